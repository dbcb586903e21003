"""Polarity sensitivity: does a sentence vector change sides when the sentence does?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193. A
sentiment classifier is trained on sentence vectors (polarity_classifiers.py), or together with the encoder. PSS is the
share of pairs of opposite polarity of which both sentences are labeled correctly; accuracy is that on held-out
sentences; relative PSS is their ratio.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Floats, Names
from harness_ext.data.rows import RoleRow
from harness_ext.measures.core.fill import Encoder, vectors_of
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import COUNT, AxisValues, Scores, count, declared, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.polarity.items import (
    CHANCE_PSS,
    CLASSIFIER,
    DIRECTION,
    MODE,
    FineTunings,
    PolarityItems,
    chance_of_both_labels,
    polarity_plan,
)
from harness_ext.statistics.statistic import Statistic, average, of_units

_TRAINED = (MODE, CLASSIFIER)

OfSeeds = Callable[[PolarityItems, AxisValues], tuple[Names, Floats]]
"""Units, and the value of each with each seed, shapes (n,) and (s, n): their mean is the score of a training."""


def _pss(items: PolarityItems, axes: AxisValues) -> tuple[Names, Floats]:
    """The pairs, and 1 where both sentences are labeled correctly, else 0."""
    pairs, correct = items.of_pairs(axes)
    return pairs, np.asarray(correct.all(axis=0), dtype=np.float64)


def _of_rewrites(items: PolarityItems, axes: AxisValues) -> tuple[Names, Floats]:
    """The pairs, and 1 where the rewrite is labeled correctly, else 0."""
    pairs, (_, rewrite) = items.of_pairs(axes)
    return pairs, rewrite.astype(np.float64)


def _relative_pss(items: PolarityItems, axes: AxisValues) -> tuple[Names, Floats]:
    """The same over the accuracy of the training, which stays when pairs are resampled."""
    (pairs, both), (_, correct) = _pss(items, axes), items.of_held_out(axes)
    accuracy = np.where(correct.any(axis=1), _of_trainings(correct), np.nan)
    relative: Floats = both / accuracy[:, None]
    return pairs, relative


def _of_trainings(values: Array) -> Floats:
    """The mean over units, shape (s, n) -> (s,)."""
    return values.sum(axis=1) / max(values.shape[1], 1)


def _over_seeds(of_seeds: OfSeeds) -> Callable[[PolarityItems, AxisValues], Statistic]:
    """The statistic of the mean over the seeds that define it."""

    def statistic(items: PolarityItems, axes: AxisValues) -> Statistic:
        units, values = of_seeds(items, axes)
        known = values[~np.isnan(values).any(axis=1)]
        return of_units(average, units, known.mean(axis=0) if len(known) else np.full(len(units), np.nan))

    return statistic


def _spread(score: Any, of_seeds: OfSeeds) -> Any:
    """The spread over the seeds of another field."""

    def std(items: PolarityItems, axes: AxisValues) -> float:
        _, values = of_seeds(items, axes)
        return float(_of_trainings(values).std(ddof=1)) if len(values) > 1 and values.size else np.nan

    return declared(
        "its spread over seeds",
        "standard deviation (ddof 1) over the seeds of the trainings; none for one",
        range=score.range,
        key=f"{score.key}_std",
        axes=score.axes,
        value=std,
    )


def _chance(items: PolarityItems, axes: AxisValues) -> Statistic:
    pairs, (original, rewrite) = items.of_pairs(axes)
    was_positive = items.usable_pairs.direction == "pos_to_neg"
    positive = np.mean([original == was_positive, rewrite != was_positive], axis=0)
    return of_units(chance_of_both_labels, pairs, *(positive if len(positive) else [np.full(len(pairs), np.nan)]))


def _of_fine_tuning(name: str, title: str, formula: str, number: Callable[[FineTunings], Any]) -> Any:
    """What `number` says of the trainings of the encoder with a classifier; not defined without any."""

    def value(items: PolarityItems, axes: AxisValues) -> Any:
        tunings = items.fine_tunings.at(axes)
        return number(tunings) if len(tunings) else np.nan

    return count(title, formula, key=f"ft_{{classifier}}_{name}", axes=(CLASSIFIER,), value=value)


def _pairs(rule: str, title: str, formula: str, **attributes: Any) -> Any:
    """The count of the pairs that a rule removes, or of those that none does."""
    return count(title, formula, value=lambda items, _: (items.pairs.excluded == rule).sum(), **attributes)


@dataclass(frozen=True)
class PolarityScores(Scores):
    """The scores of polarity sensitivity; arrays over `MODE` and `CLASSIFIER`, some over `DIRECTION` too.

    Each is the mean over the seeds of the trainings; logistic regression on frozen vectors has one.
    """

    pss: Floats = proportion(
        "polarity sensitivity",
        "share of the pairs of which original and rewrite are both labeled correctly",
        direction="higher",
        chance=0.25,
        source="PSS paper §3, Table 1",
        key="{mode}_{classifier}_pss",
        axes=_TRAINED,
        interval=True,
        compute=_over_seeds(_pss),
        not_in_interval="the training sample of the classifier, which moves the score by about a quarter of itself",
    )
    chance_pss: Floats = declared(**CHANCE_PSS, key="chance_{mode}_{classifier}_pss", axes=_TRAINED, compute=_chance)
    pss_std: Floats = _spread(pss, _pss)
    accuracy: Floats = proportion(
        "accuracy",
        "share of the held-out sentences that are labeled correctly",
        direction="higher",
        chance=0.5,
        source="PSS paper Table 1",
        key="{mode}_{classifier}_accuracy",
        axes=_TRAINED,
        compute=_over_seeds(PolarityItems.of_held_out),
    )
    accuracy_std: Floats = _spread(accuracy, PolarityItems.of_held_out)
    rewrite_accuracy: Floats = like(
        accuracy,
        "accuracy on the rewrites",
        "share of the pairs of which the rewrite is labeled correctly: a rewrite of a system may not switch at all",
        source="this project",
        key="{mode}_{classifier}_rewrite_accuracy",
        compute=_over_seeds(_of_rewrites),
    )
    relative_pss: Floats = like(
        accuracy,
        "relative polarity sensitivity",
        "polarity sensitivity / accuracy",
        range=COUNT,
        key="{mode}_{classifier}_relative_pss",
        compute=_over_seeds(_relative_pss),
    )
    relative_pss_std: Floats = _spread(relative_pss, _relative_pss)
    pss_direction: Floats = like(
        pss,
        "polarity sensitivity of one direction",
        "polarity sensitivity over the pairs of that direction",
        source="this project",
        key="{mode}_{classifier}_pss_{direction}",
        axes=(*_TRAINED, DIRECTION),
        interval=False,
        not_in_interval="",
    )
    pss_direction_std: Floats = _spread(pss_direction, _pss)
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
    from tqdm.auto import tqdm

    from harness_ext.measures.polarity.classifiers import frozen_polarity  # not above: reading needs no scikit-learn

    sentences = plan.sentences
    assert sentences is not None
    seeds = plan.seeds({"mode": "fb", "classifier": "dnn"})
    networks = tqdm(seeds, desc="polarity: networks", disable=not seeds)
    vectors, is_train = vectors_of(sentences.sentence, encode), sentences.role == "train"
    trained = frozen_polarity(vectors[is_train], sentences.label[is_train], vectors[~is_train], networks)
    return replace(plan.answered(sentences.asked, "fb", [*trained]), sentences=None)


POLARITY = Measure(
    name="polarity",
    version=8,
    package=__package__,
    published="published.csv",
    needs=RoleRow,
    learned=lambda row: row["role"] == "train",
    plan=polarity_plan,
    fill=polarity_fill,
    main="fb_linear_pss",
    headline="ft_linear_pss",
    unit="pair",
    items=PolarityItems,
    scores=PolarityScores,
    wording=Wording(
        question="Does a sentence's vector change sides when the sentence does?",
        score=(
            "Of a review and its rewrite with the opposite verdict, a simple classifier labels both right in {value} "
            "of all pairs."
        ),
        chance=Consequences(
            "Guessing both labels",
            above="Both sentences of a pair are labeled right more often than guesses would label them.",
            below="Both sentences of a pair are labeled right less often than guesses would label them.",
        ),
        right=(
            "Every trained classifier should label both sentences correctly (1): fb is trained on the vectors of the "
            "frozen encoder, ft together with the encoder."
        ),
    ),
)
