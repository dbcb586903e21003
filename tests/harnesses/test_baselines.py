"""`measure_baselines`, with planted bags and two planted kinds of noise whose nine scores are
known.
"""

import numpy as np
import pytest

from harness_ext.encoders.additive_baseline import Bags
from harness_ext.harnesses.mteb import baselines
from harness_ext.harnesses.mteb.baselines import measure_baselines
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE
from harness_ext.measures.kinds.triplets import TRIPLETS

N_ROWS = 20
ROWS = [
    {
        "id": str(number),
        "anchor": f"anchor {number}",
        "right": f"right {number}",
        "wrong": f"wrong {number}",
    }
    for number in range(N_ROWS)
]
MAIN = TRIPLETS.main
"""The share of triplets whose right text is nearer."""

NINE_TENTHS = [18, 2, 10, 4, 16, 6, 14, 8, 12]
"""How many of 20 are right in each draw: the median is 10, the least 2, the mean 10."""

SKEWED = [1, 20, 3, 5, 8, 7, 20, 20, 20]
"""The median is 8, the least 1, the mean more than 11."""


def vectors(texts, n_right):
    """Vectors with which so many of the triplets are right, shape (n, 2)."""
    rows = []
    for text in texts:
        kind, number = text.split()
        degrees = {
            "anchor": 0,
            "right": 10 if int(number) < n_right else 40,
            "wrong": 25,
        }
        angle = np.radians(degrees[kind])
        rows.append([np.cos(angle), np.sin(angle)])
    return np.array(rows)


class PlantedBaseline:
    """A baseline with known bags."""

    def __init__(self, texts):
        self.texts = texts

    def bags(self, n_right=11):
        return Bags(vectors(self.texts, n_right), 0.9)

    def halves(self):
        for one, other in ((12, 8), (10, 10), (9, 13)):
            yield self.bags(one), self.bags(other)


class PlantedEncoder:
    """An encoder with such a baseline."""

    is_additive = False

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        return vectors(texts, 15)

    def additive_baseline(self, texts):
        return PlantedBaseline(texts)

    def word_keys(self, baseline):
        self.asked.append(baseline)
        return {"anchor": "anchor", "right": "anchor", "1": "1"}


def measured(monkeypatch, text=SKEWED, neighbors=SKEWED, **options):
    """The baselines' scores, and how the noise was asked for."""
    right_in_draws = {"text": text, "neighbors": neighbors}
    calls = {}

    def planted_noise(kind, texts, bags, fit):
        calls[kind] = (texts, fit)
        for n_right in right_in_draws[kind]:
            yield vectors(plan.of_baselines().texts(), n_right)

    monkeypatch.setattr(baselines, "matched_noise", planted_noise)
    encode = PlantedEncoder()
    plan = TRIPLETS.plan(ROWS, "test")
    items = TRIPLETS.fill(plan, encode)
    found = measure_baselines(TRIPLETS, plan, encode, items, **options)
    return found, found.scores(TRIPLETS, items), calls


def value_of(items):
    return TRIPLETS.statistic(items, MAIN).value()


@pytest.mark.parametrize(
    ("text", "neighbors", "of_text", "of_neighbors"),
    [
        pytest.param(NINE_TENTHS, SKEWED, 0.5, 0.4, id="text is stronger"),
        pytest.param(SKEWED, NINE_TENTHS, 0.4, 0.5, id="neighbors are stronger"),
    ],
)
def test_noise_is_the_stronger_of_two_medians(monkeypatch, text, neighbors, of_text, of_neighbors):
    found, scores, _ = measured(monkeypatch, text, neighbors)
    assert scores[f"noise_text_{MAIN}"] == of_text
    assert scores[f"noise_neighbors_{MAIN}"] == of_neighbors
    assert scores[f"noise_{MAIN}"] == 0.5
    assert scores[f"over_noise_{MAIN}"] == pytest.approx(15 / 20 - 0.5)
    assert value_of(found.items[NOISE]) == 0.5  # its items are kept


def test_the_additive_baseline_and_its_error(monkeypatch):
    found, scores, _ = measured(monkeypatch)
    assert value_of(found.items[ADDITIVE]) == 11 / 20
    assert scores[f"gain_{MAIN}"] == pytest.approx(15 / 20 - 11 / 20)
    assert scores["additive_fit"] == 0.9
    # halves lie .2, 0 and -.2 apart: the mean of their squares / 4
    variance = (0.04 + 0 + 0.04) / 3 / 4
    assert scores["additive_error"] == pytest.approx(variance**0.5)


def test_noise_knows_words_by_their_keys_and_only_known_ones(monkeypatch):
    _, _, calls = measured(monkeypatch)
    assert calls.keys() == {"text", "neighbors"}
    texts = TRIPLETS.plan(ROWS, "test").texts()
    for keys_of_words, fit in calls.values():
        assert fit == 0.9
        keys = dict(zip(texts, keys_of_words, strict=True))
        assert keys["anchor 1"] == ["anchor", "1"]
        assert keys["right 1"] == ["anchor", "1"]
        assert keys["wrong 2"] == []


def test_without_noise_there_is_none_of_either_kind(monkeypatch):
    found, scores, calls = measured(monkeypatch, with_noise=False)
    assert not calls
    assert found.items.keys() == {ADDITIVE}
    assert not [key for key in scores if "noise" in key]
