"""Each claim about a gain or about noise, and the planted encoder that tries to break it."""

import functools
import re
from itertools import pairwise

import mteb
import numpy as np
import pytest
import scipy
from datasets import load_dataset
from sentence_transformers import SentenceTransformer

from harness_ext import measure
from harness_ext.results.effects import Outcome
from harness_ext.results.load import load_results
from harness_ext.show.interpretation import cells
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.planted import PlantedModel, drawn, entries_of, vectors_of, with_noise

WIDE = 256
MINI = "EpsilonCompositionalityMini"


def word(text):
    return drawn(text, dimensions=WIDE)


def bag(text):
    return sum((word(one) for one in text.split()), np.zeros(WIDE))


def unit(vector):
    return vector / np.linalg.norm(vector)


def idioms_weighed(times):
    """A bag in which the words of an idiom count several times, within it alone: it knows every
    idiom.
    """
    idioms = {
        row["compound"]
        for row in load_dataset("compound_mini", split="naturalistic")
        if row["class"] == "NC"
    }

    def vector(text):
        words = text.split()
        bare = [re.sub(r"^\W+|\W+$", "", one.lower()) for one in words]
        weights = np.ones(len(words))
        for place, pair in enumerate(pairwise(bare)):
            if " ".join(pair) in idioms:
                weights[place : place + 2] = times
        return sum(weight * word(one) for weight, one in zip(weights, words, strict=True))

    return vector


def of_pairs(text):
    return sum((word(f"{one}|{other}") for one, other in pairwise(text.split())), np.zeros(WIDE))


def order_noise(text):
    """A bag and a random vector for each pair of neighbors: it sees order, and nothing of its
    meaning.
    """
    return bag(text) + of_pairs(text)


def text_noise(text):
    """A bag, and half as long a random vector for each text."""
    return unit(bag(text)) + 0.5 * unit(word(f"text {text}"))


def random_layer(text):
    layer = np.random.default_rng(5).standard_normal((WIDE, 200)) / 7
    return np.maximum(bag(text) / len(text.split()) @ layer, 0)


@pytest.fixture(scope="module")
def score_of_the_bag():
    return next(iter(entries_of(PlantedModel(bag), MINI, baselines=False).values()))["auc_nc_vs_c"]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1.5, pytest.param(3, marks=pytest.mark.slow)])
def test_the_baseline_learns_no_idiom(times, score_of_the_bag):
    """Fitted to the sentences, weights of words learned them; random strings of the words have no
    idiom.
    """
    found = measure(vectors_of(idioms_weighed(times)), MINI)
    assert found.additive == pytest.approx(score_of_the_bag, abs=0.01)
    assert found.gain == pytest.approx(found.scores["auc_nc_vs_c"] - score_of_the_bag, abs=0.01)
    assert found.gain_interval[0] > 0


def entry_of(encode, task, folder, data="test"):
    with with_noise():
        entries_of(PlantedModel(encode), task, folder)
    return {entry.data: entry for entry in load_results(folder).entries}[data]


def cells_of(encode, task, folder, data="test"):
    return cells(entry_of(encode, task, folder, data))


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_noise_of_word_order_is_not_above_noise_on_role_swaps(tmp_path):
    """It gains over its additive baseline, and is above chance: neither says that it means
    anything.
    """
    of_chance, of_baseline, of_noise = cells_of(order_noise, "RoleSwapSimilarity", tmp_path)
    assert (of_chance, of_baseline) == (Outcome.ABOVE, Outcome.ABOVE)
    assert of_noise not in {Outcome.ABOVE, Outcome.ABOVE_SMALL}


def meanings(rows):
    """Vectors of texts whose cosines rise with people's ratings of the adversarial pairs."""
    rated = {
        (row["sentence1"], row["sentence2"]): row["similarity"]
        for row in rows
        if row["kind"] == "adversarial"
    }
    texts = sorted({text for pair in rated for text in pair})
    place = {text: number for number, text in enumerate(texts)}
    products = np.zeros((len(texts), len(texts)))
    for (one, other), rating in rated.items():
        products[[place[one], place[other]], [place[other], place[one]]] = (
            rating - 0.5 if one != other else 0
        )
    n, linked = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(products != 0))
    found = {}
    for number in range(n):
        members = np.flatnonzero(linked == number)
        values, vectors = np.linalg.eigh(products[np.ix_(members, members)])
        axes, _ = np.linalg.qr(np.random.default_rng(number).standard_normal((WIDE, len(members))))
        known = vectors * np.sqrt(values - values[0]) @ axes.T if len(members) > 1 else axes.T
        found |= {
            texts[member]: unit(vector) for member, vector in zip(members, known, strict=True)
        }
    return found


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("share", [0, 0.25])
def test_a_quarter_of_meaning_is_above_noise_on_role_swaps_and_none_is_not(share, tmp_path):
    """What it adds to the words follows people's ratings in that share of its length; the rest is
    noise.
    """
    meaning = meanings(load_rows(ENCODER_TASKS["RoleSwapSimilarity"], "test", "default").to_list())

    def mixed(text):
        if not of_pairs(text).any():
            return unit(bag(text))
        return (
            unit(bag(text))
            + (1 - share) * unit(of_pairs(text))
            + share * meaning.get(text, unit(word(f"of {text}")))
        )

    of_noise = cells_of(mixed, "RoleSwapSimilarity", tmp_path)[2]
    assert (of_noise in {Outcome.ABOVE, Outcome.ABOVE_SMALL}) == (share > 0)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_noise_of_texts_is_not_above_noise_on_idioms(tmp_path):
    of_noise = cells_of(text_noise, "IdiomParaphrase", tmp_path, "idioms")[2]
    assert of_noise not in {Outcome.ABOVE, Outcome.ABOVE_SMALL}


@pytest.mark.slow
def test_a_random_layer_is_not_above_its_baseline(tmp_path):
    of_baseline = cells_of(random_layer, MINI, tmp_path, "naturalistic")[1]
    assert of_baseline not in {Outcome.ABOVE, Outcome.ABOVE_SMALL}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trigrams", "length"])
def test_letters_and_lengths_do_not_read_as_meaning(name, tmp_path):
    """They are above chance by nothing, or a note names a control encoder: themselves."""
    with with_noise():
        entries_of(mteb.get_model(f"compositionality/{name}"), MINI, tmp_path)
    (entry,) = load_results(tmp_path).entries
    assert set(cells(entry)) - {Outcome.ABOVE, Outcome.ABOVE_SMALL}


FEW = 50
"""Dimensions of encoders that are measured with several seeds."""


def order_noise_without_case(seed):
    """An encoder without case that adds random vectors of words, and of pairs of neighbors."""

    def vector(text):
        words = text.lower().split()
        pairs = [f"{one}|{other}" for one, other in pairwise(words)]
        return sum((drawn(key, seed, FEW) for key in [*words, *pairs]), np.zeros(FEW))

    return vector


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_order_noise_without_case_is_as_strong_as_noise_of_its_kind_on_role_swaps(tmp_path):
    """*The x … the y* then moves as *the x … the y* does: in 5 of 6 seeds or more, the interval of
    the difference from noise of neighbors holds 0. Nothing reads *below*.
    """
    n_equal = 0
    for seed in range(6):
        encode = order_noise_without_case(seed)
        entry = entry_of(encode, "RoleSwapSimilarity", tmp_path / str(seed))
        main = entry.measure.main
        low, high = entry.interval(f"over_noise_{main}")
        # the stronger of two kinds may be the other
        more = entry.scores[f"noise_{main}"] - entry.scores[f"noise_neighbors_{main}"]
        n_equal += low + more <= 0 <= high + more
        assert cells(entry)[2] in {Outcome.ABOVE, Outcome.NOT_ABOVE}
    assert n_equal >= 5


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_noise_of_neighbors_is_not_above_noise_on_idioms(tmp_path):
    """There noise of texts is the stronger: it is *not above*, and not *below*."""
    entry = entry_of(order_noise_without_case(0), "IdiomParaphrase", tmp_path, "idioms")
    main = entry.measure.main
    assert entry.scores[f"noise_{main}"] == entry.scores[f"noise_text_{main}"]
    assert cells(entry)[2] == Outcome.NOT_ABOVE


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_odd_vectors_of_single_words_are_above_baseline_and_noise(minilm, tmp_path):
    """The page says so: a plain sum of word vectors, but for texts of one word, gains over its
    additive baseline.
    """
    of_word = functools.cache(SentenceTransformer(minilm).encode)

    def encode(text):
        return sum(map(of_word, text.split())) if " " in text else drawn(text, dimensions=384)

    found = cells_of(encode, "TransitiveSimilarity", tmp_path, "ks2013 test")
    assert {*found[1:]} <= {Outcome.ABOVE, Outcome.ABOVE_SMALL}
