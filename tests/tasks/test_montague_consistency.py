"""The tasks on planted encoders, whose answers follow from how they are made."""

import numpy as np
import pytest

from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import (
    phrase_rows,
    read_vocabulary,
)
from harness_ext.measures.montague.consistency import MONTAGUE
from harness_ext.measures.montague.items import montague_plan
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.planted_vectors import bent, drawn, vectors_of

pytestmark = pytest.mark.usefixtures("without_baselines")

TYPES = ("S-I", "S-NI", "NS-Pl", "NS-Pr", "A")
VOCABULARY = read_vocabulary(dataset_folder("modifier_phrases") / "vocabulary.csv")
ADJECTIVE_NOUN = [row for row in phrase_rows(VOCABULARY) if row["pattern"] == "AN"]


SOME = []
for word_type in (*TYPES, "N"):
    SOME += [word for word in VOCABULARY if word.type == word_type][:4]
"""Four words of each type, of which all phrases are soon compared."""


def measured(rows, encode):
    """What a result file gets."""
    plan = MONTAGUE.planned(rows, "test")
    items = MONTAGUE.fill(plan, encode)
    return MONTAGUE.flat_scores(items)


def test_an_encoder_that_implements_set_semantics():
    """Every comparison comes out as set theory has it. Words are orthogonal; a is the adjective, v
    the noun.

    - Intersective (a wild dog is wild, and a dog): the mean of both, the noun weighing more. Near
      both, and nearer the noun; two things with a in common come close, d = 1 - 1 / (1 + 1.5²) =
      0.69, where those of other types have 0.8.
    - Subsective only (a skilful king is not skilful in general): near the noun, farther from a than
      the noun is.
    - Plain non-subsective (an alleged king: who knows?): a, and a direction made from v that leans
      away from it.
    - Privative (a fake dog is no dog): the noun reflected.
    """
    half = len(VOCABULARY)
    known = {}
    for place, word in enumerate(VOCABULARY):
        known[word.word] = np.eye(2 * half)[place]
    for row in ADJECTIVE_NOUN:
        adjective, noun = row["words"]
        type_of_adjective, _ = row["types"]
        a = known[adjective]
        v = known[noun]
        elsewhere = np.roll(v, half)
        phrase_of_type = {
            "S-I": a + 1.5 * v,
            "A": a + 1.5 * v,
            "S-NI": v - 0.5 * a,
            "NS-Pl": a + 2 * elsewhere - 0.2 * v,
            "NS-Pr": a - 2 * v,
        }
        known[row["phrase"]] = phrase_of_type[type_of_adjective]

    def vector(text):
        if text in known:
            return known[text]
        return drawn(text, dimensions=2 * half)

    scores = measured(ADJECTIVE_NOUN, vectors_of(vector))
    assert scores["montague_consistency"] == pytest.approx(1)
    assert scores["montague_consistency_ci_low"] == pytest.approx(1)
    is_intersective = {"S-I": 1, "S-NI": 0, "NS-Pl": 0, "NS-Pr": 0, "A": 1}
    is_non_subsective = {"S-I": 0, "S-NI": 0, "NS-Pl": 1, "NS-Pr": 1, "A": 0}
    for kind in TYPES:
        assert scores[f"intersective_{kind}"] == is_intersective[kind]
        assert scores[f"non_subsective_{kind}"] == is_non_subsective[kind]
        assert scores[f"pair_S-I_{kind}"] == 1
    assert scores["pair_NS-Pr_S-I"] == 0
    assert scores["pair_NS-Pr_S-NI"] == 1


def mean_of_words(text):
    """Of random vectors of length 1; in float32, as encoders return it."""
    words = np.array([drawn(word, dimensions=384) for word in text.split()])
    directions = words / np.linalg.norm(words, axis=1, keepdims=True)
    return directions.mean(axis=0).astype(np.float32)


def test_an_encoder_that_averages_words():
    """It treats all adjectives alike, so it agrees with set theory where chance does.

    The mean of two unit vectors at an angle φ lies at φ/2 from both. So for any words and any type

    - d(phrase, word) = 1 - cos(φ/2) ≤ 1 - cos φ = d(adjective, noun): a single phrase is
      intersective, share 1;
    - d(phrase, adjective) = d(phrase, noun): it is non-subsective by a tie, share 1, and the
      adjective weighs ½;
    - of two different pairs either is the closer one: the shares of (T1, T2) and (T2, T1) add up to
      1.

    Of two adjectives and a noun, each is nearer to the mean than to the others or their mean.
    Balanced, single phrases and non-subsectivity give ½ each. What float32 makes of the ties must
    not show.
    """
    rows = list(phrase_rows(SOME))
    scores = measured(rows, vectors_of(mean_of_words))
    for kind in TYPES:
        assert scores[f"intersective_{kind}"] == 1
        assert scores[f"non_subsective_{kind}"] == 1
        assert scores[f"adjective_weight_{kind}"] == pytest.approx(0.5, abs=1e-6)
        for other in TYPES:
            assert scores[f"intersective_{kind}_{other}"] == 1
            assert scores[f"partition_{kind}_{other}"] == 1
            both = scores[f"pair_{kind}_{other}_micro"] + scores[f"pair_{other}_{kind}_micro"]
            assert both == pytest.approx(1, abs=0.02)  # a few comparisons may be ties by accident
    shares = (scores["pair_S-I_S-NI"], scores["pair_S-I_NS-Pl"], scores["pair_S-I_NS-Pr"])
    expected = (0.5 + np.mean(shares) + 0.5) / 3
    assert scores["montague_consistency"] == pytest.approx(expected, abs=1e-3)


def test_the_order_of_the_rows_matters_only_to_the_mean_over_first_nouns_and_to_draws():
    rows = [row for row in phrase_rows(SOME) if row["pattern"] == "AN"]
    encode = vectors_of(bent())
    expected = measured(rows, encode)
    order = np.random.default_rng(1).permutation(len(rows))
    found = measured([rows[place] for place in order], encode)
    for key, value in expected.items():
        if key.endswith("_types_p"):  # adjectives are drawn in the order of the rows
            assert found[key] == pytest.approx(value, abs=0.02)
        elif not key.startswith(("montague", "pair")) or "micro" in key:
            assert found[key] == pytest.approx(value)


def test_a_phrase_that_is_missing_is_named():
    rows = [row for row in ADJECTIVE_NOUN if row["phrase"] != "wild dog"]
    with pytest.raises(ValueError, match="no row for the phrase 'wild dog'"):
        montague_plan(rows)


@pytest.mark.slow
def test_the_fast_task_is_of_one_adjective_and_a_noun():
    """61 adjectives, each with 12 nouns."""
    rows = load_rows(ENCODER_TASKS["MontagueConsistencyFast"], "test", "default")
    assert len(rows) == 61 * 12
    assert set(rows["pattern"]) == {"AN"}
