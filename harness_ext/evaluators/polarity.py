"""Polarity sensitivity: does a sentence vector change sides when the sentence does?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193. A
sentiment classifier is trained on sentence vectors (polarity_classifiers.py), or together with the encoder. PSS is the
share of pairs of opposite polarity of which both sentences are labelled correctly; accuracy is that on held-out
sentences; relative PSS is their ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from harness_ext.arrays import Array, Floats, Integers, Texts
from harness_ext.evaluators.fill import Encoder
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.polarity_chance import CHANCE_PSS, chance_of_both_labels
from harness_ext.evaluators.polarity_items import (
    CLASSIFIER,
    DIRECTION,
    MODE,
    PolarityItems,
    PolarityRow,
    joined,
    polarity_plan,
)
from harness_ext.evaluators.scores import COUNT, Axis, Scores, count, declared, proportion
from harness_ext.evaluators.wording import Consequences, Wording
from harness_ext.statistics.statistic import Statistic, average, mean, of_units

_TRAINED = (MODE, CLASSIFIER)
_STD = "standard deviation (ddof 1) over the seeds of the trainings; none for one"


def _pss(items: PolarityItems, place: Mapping[str, str]) -> Statistic:
    """Of each pair, or of each of one direction, the share of the seeds with which both its sentences are right."""
    pairs, share = items.usable_pairs(), _over_seeds(items.both_correct(place["mode"], place["classifier"]))
    inside = pairs.direction == place.get("direction", pairs.direction)
    return of_units(average, pairs.pair[inside], share[inside])


def _relative_pss(items: PolarityItems, place: Mapping[str, str]) -> Statistic:
    """Resampled are pairs; accuracies stay."""
    both, accuracy = (of(place["mode"], place["classifier"]) for of in (items.both_correct, items.accuracy))
    ratios = both / np.where(accuracy > 0, accuracy, np.nan)[:, None]
    return of_units(average, items.usable_pairs().pair, _over_seeds(ratios))


def _accuracy(items: PolarityItems, place: Mapping[str, str]) -> Statistic:
    part = items.of_held_out(place["mode"], place["classifier"])
    return mean(part.row, part.correct)


def _chance(items: PolarityItems, place: Mapping[str, str]) -> Statistic:
    positive = items.labelled_positive(place["mode"], place["classifier"])
    pairs = items.usable_pairs().pair
    return of_units(chance_of_both_labels, pairs, *(positive if len(positive) else [np.full(len(pairs), np.nan)]))


def _over_seeds(values: Floats) -> Floats:
    """The mean over the seeds that define it, shape (s, n) -> (n,); NaN for none."""
    known = values[~np.isnan(values).any(axis=1)]
    return known.mean(axis=0) if len(known) else np.full(values.shape[1], np.nan)


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
    pss_std: Floats = proportion(
        "its spread over seeds", _STD, source="this project", key="{mode}_{classifier}_pss_std",
        axes=_TRAINED)  # fmt: skip
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
    accuracy_std: Floats = proportion(
        "its spread over seeds", _STD, source="this project", key="{mode}_{classifier}_accuracy_std",
        axes=_TRAINED)  # fmt: skip
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
    relative_pss_std: Floats = declared(
        "its spread over seeds", _STD, range=COUNT, source="this project",
        key="{mode}_{classifier}_relative_pss_std", axes=_TRAINED,
    )  # fmt: skip
    pss_direction: Floats = proportion(
        "polarity sensitivity of one direction",
        "polarity sensitivity over the pairs of that direction",
        direction="higher",
        chance=0.25,
        source="this project",
        key="{mode}_{classifier}_pss_{direction}",
        axes=(*_TRAINED, DIRECTION),
        statistic=_pss,
    )
    pss_direction_std: Floats = proportion(
        "its spread over seeds", _STD, source="this project",
        key="{mode}_{classifier}_pss_{direction}_std", axes=(*_TRAINED, DIRECTION))  # fmt: skip
    ft_epochs: Floats = count(
        "epochs of the fine-tuning", "mean over the seeds of how many epochs were trained",
        key="ft_{classifier}_epochs", axes=(CLASSIFIER,))  # fmt: skip
    ft_max_epochs: Texts = count(
        "limit of the fine-tuning", "after how many epochs it would have been stopped",
        key="ft_{classifier}_max_epochs", axes=(CLASSIFIER,))  # fmt: skip
    ft_batch_size: Texts = count(
        "batch size of the fine-tuning", "sentences per step",
        key="ft_{classifier}_batch_size", axes=(CLASSIFIER,))  # fmt: skip
    ft_n_seeds: Texts = count(
        "fine-tunings", "trainings of the encoder with that classifier",
        key="ft_{classifier}_n_seeds", axes=(CLASSIFIER,))  # fmt: skip
    n_pairs: int = count("pairs", "pairs that no rule removes", source="PSS paper appendix B")
    n_excluded_copy: int = count("copies", "pairs whose rewrite is its original", source="PSS paper appendix B")
    n_excluded_no_added_word: int = count(
        "rewrites without a new word",
        "pairs whose rewrite adds no word, copies not counted again",
        source="PSS paper appendix B",
    )
    n_excluded_duplicate: int = count("repeated pairs", "pairs that are there before")
    n_train: int = count("training sentences", "sentences that classifiers are trained on", source="PSS paper §3")
    n_held_out: int = count("held-out sentences", "sentences that accuracy is computed on", source="PSS paper §3")
    train_limit: int = count("limit of the training set", "to how many sentences it was limited, 0 for no limit")
    trained_on_dev: int = proportion(
        "trained on dev", "1 if classifiers are trained on the dev sentences, else 0", source="this project"
    )


def _descriptives(items: PolarityItems) -> dict[str, Any]:
    trained = list(product(MODE.values, CLASSIFIER.values))
    accuracies = [items.accuracy(*one) for one in trained]
    both = [items.both_correct(*one) for one in trained]
    direction = items.usable_pairs().direction
    pss = [_shares(one) for one in both]
    relative = [
        np.divide(share, accuracy, out=np.full(len(share), np.nan), where=accuracy > 0)
        for share, accuracy in zip(pss, accuracies, strict=True)
    ]
    by_direction = [_shares(one[:, direction == name]) for one in both for name in DIRECTION.values]
    tunings = [items.fine_tunings[items.fine_tunings.classifier == name] for name in CLASSIFIER.values]
    excluded, protocol = items.pairs.excluded, items.protocol
    return {
        "pss_std": _over(pss, _std),
        "accuracy_std": _over(accuracies, _std),
        "relative_pss_std": _over(relative, _std),
        "pss_direction_std": _over(by_direction, _std, DIRECTION),
        "ft_epochs": np.array([_mean(one.epochs) for one in tunings]),
        "ft_max_epochs": _first([one.max_epochs for one in tunings]),
        "ft_batch_size": _first([one.batch_size for one in tunings]),
        "ft_n_seeds": np.array([len(one) or np.nan for one in tunings], dtype=object),
        "n_pairs": int((excluded == "").sum()),
        "n_excluded_copy": int((excluded == "copy").sum()),
        "n_excluded_no_added_word": int((excluded == "no_added_word").sum()),
        "n_excluded_duplicate": int((excluded == "duplicate").sum()),
        "n_train": int(protocol.n_train[0]),
        "n_held_out": len(np.unique(items.held_out.row)),
        "train_limit": int(protocol.train_limit[0]),
        "trained_on_dev": int(protocol.trained_on_dev[0]),
    }


def _shares(both: Floats) -> Floats:
    """PSS of each seed; none, so that nothing is defined, where there are no pairs."""
    return both.mean(axis=1) if both.size else np.zeros(0)


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else np.nan


def _std(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan


def _over(values: list[Floats], statistic: Callable[..., float], *more: Axis) -> Floats:
    axes = (MODE, CLASSIFIER, *more)
    return np.array([statistic(one) for one in values]).reshape([len(axis.values) for axis in axes])


def _first(values: list[Integers]) -> Texts:
    return np.array([int(one[0]) if len(one) else np.nan for one in values], dtype=object)


def polarity_fill(plan: PolarityItems, encode: Encoder) -> PolarityItems:
    """Train the classifiers of a plan on the vectors of its training sentences, and ask them."""
    from harness_ext.evaluators.polarity_classifiers import frozen_polarity  # not above: reading needs no scikit-learn

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
    version=3,
    question="Does a sentence vector change sides when the sentence does?",
    needs=PolarityRow,
    plan=polarity_plan,
    fill=polarity_fill,
    main="fb_linear_pss",
    unit="pair",
    items=PolarityItems,
    scores=PolarityScores,
    descriptives=_descriptives,
    wording=_WORDING,
)
