"""The additive baseline: a planted encoder by hand, bags without gain, the switch."""

from __future__ import annotations

import logging
from itertools import cycle
from typing import NamedTuple

import mteb
import numpy as np
import pytest
from datasets import load_dataset
from sentence_transformers import SentenceTransformer

from harness_ext import measure
from harness_ext.encoders.additive_baseline import AdditiveBaseline
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.results.load import load_results
from harness_ext.store.item_files import ItemsError
from harness_ext.tasks import ENCODER_TASKS
from tests.planted import PlantedModel, drawn, drawn_bag, entries_of, mean_of_words

MINI = {
    "EpsilonCompositionalityMini": 0,
    "NounCompoundAffinityMini": 1.959964 * 2**0.5 / (45 + 2),
}
"""Half the interval of no gain: 0, because all resamples are; or Bonett and Price's of so many
compounds that are right or wrong, none of which differs.
"""


TASKS = [name for name, row in ENCODER_TASKS.items() if row.quick and row.measure.additive]
"""The small version of every task that has an additive baseline; others compare with a sum of words
themselves.
"""


def bag():
    """Where fits start: a sum of words of length 1."""

    def vector(text):
        total = np.zeros(96)
        for word in text.split():
            vector_of_word = drawn(word, dimensions=96)
            total += vector_of_word / np.linalg.norm(vector_of_word)
        return total

    return PlantedModel(vector, "planted/bag")


def knows_idioms(compounds):
    """A bag, but for the compounds of one class, which have a vector of their own."""
    mean = mean_of_words(dimensions=96)

    def vector(text):
        vectors = [mean(text)]
        for compound in compounds:
            if f" {compound}" in text:
                vectors.append(4 * drawn(compound, dimensions=96))
        return np.mean(vectors, axis=0)

    return vector


def entry_of(model, name, folder=None):
    task = mteb.get_task(name)
    (entry,) = entries_of(model, task, folder).values()
    return task, entry


@pytest.mark.parametrize(
    "name",
    [
        "EpsilonCompositionalityMini",
        pytest.param("NounCompoundAffinityMini", marks=pytest.mark.slow),
    ],
)
def test_a_bag_of_words_gains_nothing(name):
    task, entry = entry_of(bag(), name)
    main = task.metadata.main_score
    assert entry[f"additive_{main}"] == pytest.approx(entry[main], abs=1e-9)
    gain = Gain.of(entry, main)
    half_width = MINI[name]
    assert gain.value == pytest.approx(0, abs=1e-9)
    assert gain.low == pytest.approx(-half_width, rel=1e-6, abs=1e-9)
    assert gain.high == pytest.approx(half_width, rel=1e-6, abs=1e-9)
    assert entry[f"gain_{main}_p"] == 1.0


class Gain(NamedTuple):
    """The gain of a result and the ends of its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, entry, main):
        key = f"gain_{main}"
        return cls(entry[key], entry[f"{key}_ci_low"], entry[f"{key}_ci_high"])


def gains_of(model, task):
    """The gains of every split and subset."""
    main = task.metadata.main_score
    entries = entries_of(model, task)
    return [Gain.of(entry, main) for entry in entries.values()]


KINDS = (
    {
        "seed": 1,
        "dimension": 256,
        "dtype": "float16",
        "pooled": "mean",
        "normalised": True,
    },
    {
        "seed": 2,
        "dimension": 384,
        "dtype": "float32",
        "pooled": "weighted mean",
        "constant": 1.0,
    },
    {
        "seed": 3,
        "dimension": 384,
        "dtype": "float32",
        "pooled": "sum",
        "constant": 1.0,
        "in_words": False,
    },
    {
        "seed": 4,
        "dimension": 256,
        "dtype": "float64",
        "pooled": "mean",
        "whole": True,
    },
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [*zip(TASKS, cycle(KINDS), strict=False)])
def test_no_bag_of_words_gains_anything_in_any_task(name, kind):
    tolerance = 0.01 if kind["dtype"] == "float16" else 0.003
    task = mteb.get_task(name)
    for gain in gains_of(drawn_bag(**kind), task):
        assert gain.value == pytest.approx(0, abs=tolerance)
        # of no gain the interval is a point, but for rounding
        assert gain.low - 1e-6 <= gain.value <= gain.high + 1e-6
        assert gain.low - tolerance <= 0 <= gain.high + tolerance


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_a_bag_of_words_gains_nothing_on_the_real_data():
    (task,) = mteb.get_tasks(
        tasks=["NounCompoundScaledSimilarity"],
        languages=["por"],
        eval_splits=["neutral"],
    )
    (gain,) = gains_of(drawn_bag(**KINDS[1]), task)
    assert gain.value == pytest.approx(0, abs=0.003)


@pytest.mark.slow
def test_vectors_of_idioms_alone_are_the_gain():
    rows = load_dataset("compound_mini", split="naturalistic")
    idioms = {row["compound"] for row in rows if row["class"] == "NC"}
    model = PlantedModel(knows_idioms(idioms))
    task, entry = entry_of(model, "EpsilonCompositionalityMini")
    assert entry["additive_auc_nc_vs_c"] < 0.7
    assert entry["rank_share_NC"] == 1.0
    # of a literal compound too the drawn words may all lie so, by chance
    assert entry["auc_nc_vs_c"] > 0.95
    difference = entry["auc_nc_vs_c"] - entry["additive_auc_nc_vs_c"]
    assert entry["gain_auc_nc_vs_c"] == pytest.approx(difference)
    assert 0.5 < entry["additive_fit"] < 0.999
    assert entry["gain_auc_nc_vs_c_ci_low"] > 0
    (items,) = task.items.values()
    (baselines,) = task.baseline_items.values()
    scores = task.measure.baseline_scores(
        ADDITIVE, items, baselines[ADDITIVE], entry["additive_error"]
    )
    assert scores
    for key, value in scores.items():
        assert entry[key] == pytest.approx(value)


@pytest.mark.slow
def test_a_model_that_takes_no_single_words_has_no_gain(caplog):
    def without_full_stops(text):
        if " " not in text and text.endswith("."):
            raise RuntimeError(f"{text!r} is no word")
        return mean_of_words()(text)

    with caplog.at_level(logging.WARNING):
        _, entry = entry_of(PlantedModel(without_full_stops), "EpsilonCompositionalityMini")
    assert "auc_nc_vs_c" in entry
    assert not [key for key in entry if key.startswith(("gain_", "additive_"))]
    assert "is no word" in caplog.text


def test_the_switch(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    _, entry = entry_of(bag(), "EpsilonCompositionalityMini", tmp_path)
    assert not [key for key in entry if "additive" in key or "gain" in key]
    (found,) = load_results(tmp_path).entries
    with pytest.raises(ItemsError, match=r"has no additive baseline.*--overwrite-strategy always"):
        found.baseline_items(ADDITIVE)


@pytest.mark.slow
def test_the_gain_of_a_mixture_is_that_over_the_bag_in_it(minilm):
    """Of MiniLM and its own bag, in shares: it rises with MiniLM's share, and is the gain over the
    bag itself.

    Up to a quarter of MiniLM it is within .04; beyond, the baseline depends on the probes, as its
    interval says.
    """
    encoder = SentenceTransformer(minilm, device="cpu")
    known: dict[str, np.ndarray] = {}

    def vectors(texts):
        new = [text for text in dict.fromkeys(texts) if text not in known]
        vectors_of_new = encoder.encode(new, normalize_embeddings=True)
        known.update(zip(new, vectors_of_new, strict=True))
        return np.array([known[text] for text in texts])

    def found_by(encode):
        task = "EpsilonCompositionalityMini"
        return measure(encode, task, split="naturalistic", subset="default")

    whole = found_by(vectors)
    sentences = [text for text in known if len(text.split()) > 3]
    baseline = AdditiveBaseline(sentences, vectors(sentences), vectors, 16)
    bags = baseline.bags().vectors
    directions = bags / np.linalg.norm(bags, axis=1, keepdims=True)
    bag_of_text = known | dict(zip(sentences, directions, strict=True))

    def mixture(share):
        def mixed(texts):
            bags = np.array([bag_of_text[text] for text in texts])
            return (1 - share) * bags + share * vectors(texts)

        return found_by(mixed)

    bag = mixture(0)
    quarter = mixture(0.25)
    half = mixture(0.5)
    most = mixture(0.75)

    def over_bag(found):
        return found.scores.auc_nc_vs_c - bag.scores.auc_nc_vs_c

    gains = [found.gain for found in (bag, quarter, half, most, whole)]
    assert gains == sorted(gains)
    assert bag.gain == pytest.approx(0, abs=0.04)
    assert quarter.gain == pytest.approx(over_bag(quarter), abs=0.04)
    for found in (half, most, whole):
        low, high = found.gain_interval
        assert low <= over_bag(found) <= high
