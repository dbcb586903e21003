"""Polarity sensitivity: does a sentence vector change sides when the sentence does?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193. A
sentiment classifier is trained on sentence vectors (polarity_classifiers.py), or together with the encoder. PSS is the
share of pairs of opposite polarity of which both sentences are labelled correctly; accuracy is that on held-out
sentences; relative PSS is their ratio.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from harness_ext.arrays import Array, Floats, Names
from harness_ext.data.rows import RoleRow
from harness_ext.fitted.polarity_chance import CHANCE_PSS, chance_of_both_labels
from harness_ext.fitted.polarity_items import (
    CLASSIFIER,
    DIRECTION,
    MODE,
    FineTunings,
    PolarityItems,
    joined,
    polarity_plan,
)
from harness_ext.framework.fill import Encoder
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import COUNT, Place, Scores, count, declared, proportion
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.statistic import Statistic, average, mean, of_units

_TRAINED = (MODE, CLASSIFIER)


def _both_correct(items: PolarityItems, place: Place) -> tuple[Names, Floats]:
    """The pairs, or those of one direction, and 1 where both their sentences are right, else 0, shapes (n,), (s, n)."""
    pairs = items.usable_pairs()
    inside = pairs.direction == place.get("direction", pairs.direction)
    return pairs.pair[inside], items.both_correct(place["mode"], place["classifier"])[:, inside]


def _pss(items: PolarityItems, place: Place) -> Statistic:
    """Of each pair, or of each of one direction, the share of the seeds with which both its sentences are right."""
    pairs, both = _both_correct(items, place)
    return of_units(average, pairs, _over_seeds(both))


def _relative_pss(items: PolarityItems, place: Place) -> Statistic:
    """Resampled are pairs; accuracies stay."""
    both, accuracy = (of(place["mode"], place["classifier"]) for of in (items.both_correct, items.accuracy))
    ratios = both / np.where(accuracy > 0, accuracy, np.nan)[:, None]
    return of_units(average, items.usable_pairs().pair, _over_seeds(ratios))


def _accuracy(items: PolarityItems, place: Place) -> Statistic:
    part = items.of_held_out(place["mode"], place["classifier"])
    return mean(part.row, part.correct)


def _chance(items: PolarityItems, place: Place) -> Statistic:
    positive = items.labelled_positive(place["mode"], place["classifier"])
    pairs = items.usable_pairs().pair
    return of_units(chance_of_both_labels, pairs, *(positive if len(positive) else [np.full(len(pairs), np.nan)]))


def _over_seeds(values: Floats) -> Floats:
    """The mean over the seeds that define it, shape (s, n) -> (n,); NaN for none."""
    known = values[~np.isnan(values).any(axis=1)]
    return known.mean(axis=0) if len(known) else np.full(values.shape[1], np.nan)


def _pss_of_seeds(items: PolarityItems, place: Place) -> Floats:
    """PSS of each seed; of none, so that nothing is defined, where there are no pairs."""
    _, both = _both_correct(items, place)
    return both.mean(axis=1) if both.size else np.zeros(0)


def _accuracy_of_seeds(items: PolarityItems, place: Place) -> Floats:
    return items.accuracy(place["mode"], place["classifier"])


def _relative_pss_of_seeds(items: PolarityItems, place: Place) -> Floats:
    share, accuracy = _pss_of_seeds(items, place), _accuracy_of_seeds(items, place)
    ratios: Floats = np.divide(share, accuracy, out=np.full(len(share), np.nan), where=accuracy > 0)
    return ratios


def _spread(field_: Any, of_seeds: Callable[[PolarityItems, Place], Floats]) -> Any:
    """The spread over the seeds of another field, which is computed from one training by `of_seeds`, shape (s,)."""
    score = field_.metadata["score"]

    def std(items: PolarityItems, place: Place) -> float:
        values = of_seeds(items, place)
        return float(values.std(ddof=1)) if len(values) > 1 else np.nan

    return declared(
        "its spread over seeds",
        "standard deviation (ddof 1) over the seeds of the trainings; none for one",
        range=score.range,
        key=f"{score.key}_std",
        axes=score.axes,
        value=std,
    )


def _of_fine_tuning(name: str, title: str, formula: str, number: Callable[[FineTunings], Any]) -> Any:
    """What `number` says of the trainings of the encoder with a classifier; not defined without any."""

    def value(items: PolarityItems, place: Place) -> Any:
        tunings = items.fine_tunings.at(place)
        return number(tunings) if len(tunings) else np.nan

    return count(title, formula, key=f"ft_{{classifier}}_{name}", axes=(CLASSIFIER,), value=value)


def _pairs(rule: str, title: str, formula: str, **about: Any) -> Any:
    """The count of the pairs that a rule removes, or of those that none does."""
    return count(title, formula, value=lambda items, _: (items.pairs.excluded == rule).sum(), **about)


@dataclass(frozen=True)
class PolarityScores(Scores):
    """The scores of polarity sensitivity; arrays over `MODE` and `CLASSIFIER`, some over `DIRECTION` too.

    Each is the mean over the seeds of the trainings; logistic regression on frozen vectors has one.
    """

    pss: Floats = proportion(
        "polarity sensitivity",
        "share of the pairs of which original and rewrite are both labelled correctly",
        direction="higher",
        chance=0.25,
        source="PSS paper §3, Table 1",
        key="{mode}_{classifier}_pss",
        axes=_TRAINED,
        interval=True,
        statistic=_pss,
        not_in_interval="the training sample of the classifier, which moves the score by about a quarter of itself",
    )
    chance_pss: Floats = declared(**CHANCE_PSS, key="chance_{mode}_{classifier}_pss", axes=_TRAINED, statistic=_chance)
    pss_std: Floats = _spread(pss, _pss_of_seeds)
    accuracy: Floats = proportion(
        "accuracy",
        "share of the held-out sentences that are labelled correctly",
        direction="higher",
        chance=0.5,
        source="PSS paper Table 1",
        key="{mode}_{classifier}_accuracy",
        axes=_TRAINED,
        statistic=_accuracy,
    )
    accuracy_std: Floats = _spread(accuracy, _accuracy_of_seeds)
    relative_pss: Floats = declared(
        "relative polarity sensitivity",
        "polarity sensitivity / accuracy",
        range=COUNT,
        direction="higher",
        chance=0.5,
        source="PSS paper Table 1",
        key="{mode}_{classifier}_relative_pss",
        axes=_TRAINED,
        statistic=_relative_pss,
    )
    relative_pss_std: Floats = _spread(relative_pss, _relative_pss_of_seeds)
    pss_direction: Floats = proportion(
        "polarity sensitivity of one direction",
        "polarity sensitivity over the pairs of that direction",
        direction="higher",
        chance=0.25,
        key="{mode}_{classifier}_pss_{direction}",
        axes=(*_TRAINED, DIRECTION),
        statistic=_pss,
    )
    pss_direction_std: Floats = _spread(pss_direction, _pss_of_seeds)
    ft_epochs: Floats = _of_fine_tuning(
        "epochs", "epochs of the fine-tuning", "mean over the seeds of how many epochs were trained",
        lambda tunings: tunings.epochs.mean())  # fmt: skip
    ft_max_epochs: Array = _of_fine_tuning(
        "max_epochs", "limit of the fine-tuning", "after how many epochs it would have been stopped",
        lambda tunings: tunings.max_epochs[0])  # fmt: skip
    ft_batch_size: Array = _of_fine_tuning(
        "batch_size", "batch size of the fine-tuning", "sentences per step",
        lambda tunings: tunings.batch_size[0])  # fmt: skip
    ft_n_seeds: Array = _of_fine_tuning("n_seeds", "fine-tunings", "trainings of the encoder with that classifier", len)
    n_pairs: int = _pairs("", "pairs", "pairs that no rule removes", source="PSS paper appendix B")
    n_excluded_copy: int = _pairs(
        "copy", "copies", "pairs whose rewrite is its original", source="PSS paper appendix B"
    )
    n_excluded_no_added_word: int = _pairs(
        "no_added_word",
        "rewrites without a new word",
        "pairs whose rewrite adds no word, copies not counted again",
        source="PSS paper appendix B",
    )
    n_excluded_duplicate: int = _pairs("duplicate", "repeated pairs", "pairs that are there before")
    n_train: int = count(
        "training sentences",
        "sentences that classifiers are trained on",
        source="PSS paper §3",
        value=lambda items, _: items.protocol.n_train[0],
    )
    n_held_out: int = count(
        "held-out sentences",
        "sentences that accuracy is computed on",
        source="PSS paper §3",
        value=lambda items, _: len(np.unique(items.held_out.row)),
    )
    train_limit: int = count(
        "limit of the training set",
        "to how many sentences it was limited, 0 for no limit",
        value=lambda items, _: items.protocol.train_limit[0],
    )
    trained_on_dev: int = proportion(
        "trained on dev",
        "1 if classifiers are trained on the dev sentences, else 0",
        value=lambda items, _: int(items.protocol.trained_on_dev[0]),
    )


def polarity_fill(plan: PolarityItems, encode: Encoder) -> PolarityItems:
    """Train the classifiers of a plan on the vectors of its training sentences, and ask them."""
    from harness_ext.fitted.polarity_classifiers import frozen_polarity  # not above: reading needs no scikit-learn

    assert plan.comparisons is not None
    seeds = plan.seeds("fb", "dnn")
    networks = tqdm(seeds, desc="polarity: networks", disable=not seeds)
    labelled = list(frozen_polarity(encode(plan.texts()), plan.comparisons, networks))
    return replace(
        plan,
        answers=joined(*(each.answers for each in labelled)),
        held_out=joined(*(each.held_out for each in labelled)),
        comparisons=None,
    )


_WORDING = Wording(
    question="Does a sentence's vector change sides when the sentence does?",
    score=(
        "Of a review and its rewrite with the opposite verdict, a simple classifier labels both right in {value} of "
        "all pairs."
    ),
    chance=Consequences(
        "Guessing both labels",
        above="Both sentences of a pair are labelled right more often than guesses would label them.",
        below="Both sentences of a pair are labelled right less often than guesses would label them.",
    ),
    right=(
        "Every trained classifier should label both sentences correctly (1): fb is trained on the vectors of the "
        "frozen encoder, ft together with the encoder."
    ),
)

POLARITY = Measure(
    name="polarity",
    version=5,
    question="Does a sentence vector change sides when the sentence does?",
    needs=RoleRow,
    plan=polarity_plan,
    fill=polarity_fill,
    main="fb_linear_pss",
    unit="pair",
    items=PolarityItems,
    scores=PolarityScores,
    wording=_WORDING,
)
