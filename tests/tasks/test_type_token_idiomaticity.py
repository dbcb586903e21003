from __future__ import annotations

import logging
from dataclasses import replace
from itertools import chain

import mteb
import numpy as np
import pytest
from mteb.timing import TimingStack

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.tasks import TypeTokenIdiomaticity
from tests.evaluators.given import at, compound_row
from tests.items_check import assert_rescored
from tests.planted import PlantedModel, PlantedSpanModel, entries_of

pytestmark = pytest.mark.usefixtures("without_own_words")

TASK = TypeTokenIdiomaticity()
COMPOUNDS = [f"mod{number} head{number}" for number in range(12)]


def turned(text):
    """Words at 0 and 90 degrees, compounds and their sentences turned away by what they are idiomatic."""
    if text in COMPOUNDS:
        return at(45 + 3 * COMPOUNDS.index(text))
    if text.startswith("see the"):
        return at(45 + 10 * (5 - float(text.split()[-1])))
    return at(0 if text.startswith("mod") else 90)


class TurnedInSentences(PlantedSpanModel):
    """In a sentence, the compound is turned away from the compound alone by what it is idiomatic there."""

    def encode_spans(self, sentences, spans):
        self.spans += zip(sentences, spans, strict=True)
        vectors = []
        for sentence, (start, end) in zip(sentences, spans, strict=True):
            words = sentence.split()
            inside = " ".join(words[start:end])
            if end - start == len(words):
                vectors.append(at(45) if inside in COMPOUNDS else turned(inside))
            else:
                vectors.append(at(45 + 10 * (5 - float(words[-1]))))
        return np.array(vectors, dtype=np.float32)


def row(number, context, **changes):
    """Less compositional by 0.4 with each number, and by 0.1 (then 0.2) with each context."""
    token_score = 5 - 0.4 * number - (0, 0.1, 0.3)[context - 1]
    about = {"id": f"en-{number}-{context}", "expert_class": ("C", "PC", "NC")[number // 4]}
    about |= {"type_score": 5 - 0.4 * number, "token_score": token_score, **changes}
    return compound_row(COMPOUNDS[number], f"see the {{}} scored {token_score:.2f}", **about)


ROWS = [row(number, context) for number in range(12) for context in (1, 2, 3)]


def measure(model, rows):
    place = {"hf_split": "naturalistic", "hf_subset": "en"}
    encode = TaskEncoder(model, TASK.metadata, **place, encode_kwargs={}, timer=TimingStack())
    items = TASK.measure.fill(TASK.measure.planned(rows, encode.hf_split), encode)
    return replace(TASK.measure, fewest_units=1).flat_scores(items), items


def test_sentence_only_encoder():
    model = PlantedModel(turned)
    scores, items = measure(model, ROWS)
    assert scores["phrase_additivity_type_spearman"] == pytest.approx(1)
    assert scores["span_level"] == 0
    assert not [key for key in scores if key.startswith(("nc_out", "span_cross", "spread")) or key.endswith("_span")]
    assert "n_excluded_zero_vector" not in scores
    sentences = [row["sentence"] for row in ROWS]
    assert sorted(chain(*model.calls)) == sorted({*COMPOUNDS, *" ".join(COMPOUNDS).split(), *sentences})
    assert items.per_compound("phrase_additivity")[1] == pytest.approx(np.cos(np.radians(3)))


def test_span_encoder_that_knows():
    model = TurnedInSentences(turned)
    scores, _ = measure(model, ROWS)
    for key in ("nc_out_type", "nc_out_comp_type", "nc_out_token", "nc_out_comp_token"):
        assert scores[f"{key}_spearman"] == pytest.approx(1)
    for level in ("sentence", "span"):
        assert scores[f"{level}_cross_sentence_spearman_mean"] == pytest.approx(-1)  # the more different the farther
        assert {scores[f"{level}_cross_sentence_spearman_mean_{klass}"] for klass in ("C", "PC", "NC")} == {-1.0}
    assert scores["span_level"] == 1
    assert len(model.spans) == len(set(model.spans)) == 36 + 12 + 24


def test_what_has_no_partner_is_counted_and_named(caplog):
    rows = [
        *ROWS[:-3],
        row(11, 1, sentence=None, span=None, surface=None, id="no-sentence"),
        row(11, 2, token_score=None, type_score=None, expert_class=None, id="no-score"),
        row(11, 3, type_score=None),
    ]
    with caplog.at_level(logging.WARNING):
        scores, items = measure(TurnedInSentences(turned), rows)
    assert scores["n_excluded_no_sentence"] == 1
    assert scores["n_excluded_no_score"] == 1
    assert scores["n_excluded_no_type_score"] == 1
    assert scores["n_excluded_cross_sentence_sentence"] == 1  # one sentence is left of the last compound
    assert scores["n_excluded_cross_sentence_span"] == 1
    assert "no-sentence" in caplog.text
    assert "no-score" in caplog.text
    assert len(items.sentences) == len(rows)
    assert np.isnan(items.across_sentences["span"]["rho"]).tolist() == [False] * 11 + [True]
    assert TASK.measure.units(items).tolist() == COMPOUNDS[:11]


def test_hyphens_join_two_words():
    model = PlantedModel(turned)
    measure(model, [{**ROWS[0], "compound": "caixa-forte"}, *ROWS[3:]])
    assert {"caixa", "forte", "caixa-forte"} <= set(chain(*model.calls))


@pytest.mark.slow
@pytest.mark.real_data
def test_real_encoder_in_both_languages(minilm, unverified_mirror, tmp_path):
    """Items and scores belong together; words are sub-words in Portuguese, and ids hold blanks and hyphens."""
    task = mteb.get_task("TypeTokenIdiomaticity")
    entries_of(mteb.get_model(minilm), task, tmp_path)
    (file,) = tmp_path.rglob("TypeTokenIdiomaticity.json")
    items = assert_rescored(file)
    (english, portuguese) = (items["naturalistic", language] for language in ("en", "pt"))
    assert (len(english.compounds), len(portuguese.compounds)) == (281, 180)
    assert (len(english.pairs), len(portuguese.pairs)) == (2 * 3 * 280, 2 * 3 * 180)
    assert len(TASK.measure.units(english)) == 279
    assert not np.isnan(english.alone.similarity).any()
