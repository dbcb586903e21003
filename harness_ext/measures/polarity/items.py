"""What polarity sensitivity is computed from: the answers of trained classifiers.

Each says of both sentences of a pair, and of held-out sentences, whether they are positive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from harness_ext.common.arrays import (
    Flags,
    Floats,
    Indices,
    Integers,
    Names,
    Texts,
    positions,
)
from harness_ext.data.rows import WITHOUT_LABELS
from harness_ext.measures.core.items import Items, Table, column, only_planned, text
from harness_ext.measures.core.measure import Row, RowError, Rows
from harness_ext.measures.core.scores import Axis
from harness_ext.measures.polarity.protocol import PolarityTraining
from harness_ext.statistics.statistic import average

NEGATIVE = 0
POSITIVE = 1
"""What a sentence is labeled."""

FROZEN = "fb"
FINE_TUNED = "ft"
"""How a classifier is trained: on the vectors of an encoder as it is, or together with it."""

LINEAR = "linear"
NETWORK = "dnn"
"""Which classifier is trained: logistic regression, or a network with a hidden layer."""

MODE = Axis(
    "mode",
    {
        FROZEN: "the encoder is frozen, as people use it; ranked here",
        FINE_TUNED: "the encoder is trained with the classifier; the paper: "
        '"for accurate comparisons across models, we must default to FT mode" (§3.1)',
    },
)
CLASSIFIER = Axis(
    "classifier",
    {LINEAR: "logistic regression", NETWORK: "a network with 500 and 100 hidden units"},
)

NEGATIVE_TO_POSITIVE = "neg_to_pos"
POSITIVE_TO_NEGATIVE = "pos_to_neg"
DIRECTION = Axis(
    "direction",
    {
        NEGATIVE_TO_POSITIVE: "pairs whose original is negative",
        POSITIVE_TO_NEGATIVE: "pairs whose original is positive",
    },
)

CHANCE_PSS: dict[str, Any] = {
    "title": "chance of polarity sensitivity",
    "formula": (
        "p · (1 − p), p the share of the pairs' sentences that are labeled positive; mean over the "
        "seeds"
    ),
    "range": (0, 0.25),
    "source": "this project",
    "interval": True,
}
"""What the declarations of the chance of polarity sensitivity have in common."""

SEEDS = (0, 1, 2)
"""Seeds of the networks and of the fine-tuned encoders."""


class TrainedClassifier(NamedTuple):
    """What a classifier says once it is trained.

    Attributes:
        classifier: Of `CLASSIFIER`.
        seed: Of its training.
        labels: Of the sentences that it is asked, shape (a,).
    """

    classifier: str
    seed: int
    labels: Indices


class FineTunedEncoder(NamedTuple):
    """What a classifier says that is trained together with the encoder.

    Attributes:
        seed: Of the training.
        epochs: How many were trained.
        labels: Of the sentences that it is asked, shape (a,).
    """

    seed: int
    epochs: float
    labels: Indices


class PairAnswers(NamedTuple):
    """What the s trainings of a classifier, one per seed, say of pairs.

    Attributes:
        pairs: The pairs, shape (k,).
        original_correct: Whether the original is labeled correctly, shape (s, k).
        rewrite_correct: Whether the rewrite is labeled correctly, shape (s, k).
    """

    pairs: Names
    original_correct: Flags
    rewrite_correct: Flags


@dataclass(frozen=True)
class PolaritySentences(Table):
    """One row per sentence of a plan and what it is for."""

    row: Names = column("Id of the dataset's row.")
    role: Names = column("train, held_out, original or rewrite.")
    label: Integers = column("0 negative, 1 positive.")
    sentence: Texts = text("The sentence.")

    @property
    def asked(self) -> PolaritySentences:
        """Those that trained classifiers are asked."""
        return self[self.role != "train"]


@dataclass(frozen=True)
class PolarityPairs(Table):
    """One row per pair of the dataset, also of those that a rule removes."""

    pair: Names = column("Id of the dataset's row: a sentence and its rewrite.")
    direction: Names = column("From which polarity to which: neg_to_pos or pos_to_neg.")
    excluded: Names = column(
        "The rule that removes it: copy, no_added_word, duplicate; else empty."
    )


@dataclass(frozen=True)
class PolarityAnswers(Table):
    """One row per pair and trained classifier."""

    pair: Names = column("Id of the dataset's row: a sentence and its rewrite.")
    mode: Names = column("fb: frozen encoder; ft: fine-tuned with the classifier.")
    classifier: Names = column("linear or dnn.")
    seed: Integers = column("Of the training.")
    original_correct: Flags = column("Whether the original is labeled correctly.", measured=True)
    rewrite_correct: Flags = column("Whether the rewrite is labeled correctly.", measured=True)


@dataclass(frozen=True)
class HeldOutAnswers(Table):
    """One row per held-out sentence and trained classifier."""

    row: Names = column("Id of the dataset's row: a sentence.")
    mode: Names = column("fb: frozen encoder; ft: fine-tuned with the classifier.")
    classifier: Names = column("linear or dnn.")
    seed: Integers = column("Of the training.")
    correct: Flags = column("Whether it is labeled correctly.", measured=True)


@dataclass(frozen=True)
class FineTunings(Table):
    """One row per training of the encoder with a classifier."""

    classifier: Names = column("linear or dnn.")
    seed: Integers = column("Of the training.")
    epochs: Floats = column("How many epochs were trained.")
    max_epochs: Integers = column("After how many it would have been stopped.")
    batch_size: Integers = column("Sentences per step.")


@dataclass(frozen=True)
class PolarityProtocol(Table):
    """One row: what the classifiers are trained on."""

    n_train: Integers = column("Training sentences.")
    train_limit: Integers = column("To how many they were limited, 0 for no limit.")
    trained_on_dev: Flags = column("Whether they are the dev sentences, not those for training.")


@dataclass(frozen=True)
class PolarityItems(Items):
    """The pairs, the answers of each trained classifier, and the trainings."""

    pairs: PolarityPairs
    answers: PolarityAnswers
    held_out: HeldOutAnswers
    fine_tunings: FineTunings
    protocol: PolarityProtocol
    sentences: PolaritySentences | None = only_planned()

    def of_baselines(self) -> PolarityItems:
        """The plan of the encoder's baselines, without networks.

        The main score is the linear classifier's.
        """
        linear = {"mode": FROZEN, "classifier": LINEAR}
        return replace(self, answers=self.answers.at(linear), held_out=self.held_out.at(linear))

    def as_planned(self) -> PolarityItems:
        """The items without fine-tuned encoders."""
        frozen = {"mode": FROZEN}
        return replace(
            self,
            answers=self.answers.at(frozen),
            held_out=self.held_out.at(frozen),
            fine_tunings=FineTunings.of_rows([]),
        )

    def contradictions(self) -> Iterator[tuple[str, str, str, str]]:
        """The trainings of the encoder that were asked other rows than the frozen encoder."""
        yield from _contradictions("answers", self.answers, self.answers.pair)
        yield from _contradictions("held_out", self.held_out, self.held_out.row)

    @property
    def usable_pairs(self) -> PolarityPairs:
        """The pairs that no rule removes."""
        return self.pairs[self.pairs.excluded == ""]

    def seeds(self, mode: str, classifier: str) -> list[int]:
        """The seeds of a classifier's trainings, ascending."""
        trainings = self.held_out.at({"mode": mode, "classifier": classifier})
        return np.unique(trainings.seed).tolist()

    def answers_to_pairs(
        self,
        mode: str,
        classifier: str,
        direction: str = "",
    ) -> PairAnswers:
        """What a classifier says of the usable pairs, or of those of a direction."""
        pairs = self.usable_pairs
        if direction:
            pairs = pairs[pairs.direction == direction]
        answers = self.answers.at({"mode": mode, "classifier": classifier})
        answers = answers[np.isin(answers.pair, pairs.pair)]  # items may be restricted to pairs
        place = positions(answers.pair, pairs.pair)
        seeds = self.seeds(mode, classifier)
        n_pairs = len(pairs)
        return PairAnswers(
            pairs=pairs.pair,
            original_correct=_by_seed(
                answers.original_correct,
                answers.seed,
                seeds,
                place,
                n_pairs,
            ),
            rewrite_correct=_by_seed(
                answers.rewrite_correct,
                answers.seed,
                seeds,
                place,
                n_pairs,
            ),
        )

    def answers_to_held_out(
        self,
        mode: str,
        classifier: str,
    ) -> tuple[Names, Flags]:
        """The held-out sentences, and whether a classifier labels each correctly.

        Returns:
            Their ids, shape (h,), and a row for each of s trainings, shape (s, h).
        """
        answers = self.held_out.at({"mode": mode, "classifier": classifier})
        rows, place = np.unique(answers.row, return_inverse=True)
        seeds = self.seeds(mode, classifier)
        return rows, _by_seed(answers.correct, answers.seed, seeds, place, len(rows))

    def answered(
        self,
        asked: PolaritySentences,
        mode: str,
        trained: Sequence[TrainedClassifier],
    ) -> PolarityItems:
        """These items with the answers of trained classifiers.

        They take the place of the answers of earlier ones of the same mode and kind.
        """
        is_original = asked.role == "original"
        is_rewrite = asked.role == "rewrite"
        is_held_out = asked.role == "held_out"
        classifiers = [training.classifier for training in trained]
        answers = [self.answers[~_is_of(self.answers, mode, classifiers)]]
        held_out = [self.held_out[~_is_of(self.held_out, mode, classifiers)]]
        for training in trained:
            is_correct = training.labels == asked.label
            n_pairs = int(is_original.sum())
            answers.append(
                PolarityAnswers.of_columns(
                    pair=asked.row[is_original],
                    mode=[mode] * n_pairs,
                    classifier=[training.classifier] * n_pairs,
                    seed=[training.seed] * n_pairs,
                    original_correct=is_correct[is_original],
                    rewrite_correct=is_correct[is_rewrite],
                )
            )
            n_held_out = int(is_held_out.sum())
            held_out.append(
                HeldOutAnswers.of_columns(
                    row=asked.row[is_held_out],
                    mode=[mode] * n_held_out,
                    classifier=[training.classifier] * n_held_out,
                    seed=[training.seed] * n_held_out,
                    correct=is_correct[is_held_out],
                )
            )
        return replace(self, answers=joined(*answers), held_out=joined(*held_out))

    def with_fine_tuning(
        self,
        asked: PolaritySentences,
        classifier: str,
        trained: Sequence[FineTunedEncoder],
        max_epochs: int,
        batch_size: int,
    ) -> PolarityItems:
        """These items with the trainings of a classifier and the encoder.

        They take the place of the earlier trainings of this classifier.
        """
        fine_tunings = FineTunings.of_rows(
            {
                "classifier": classifier,
                "seed": training.seed,
                "epochs": training.epochs,
                "max_epochs": max_epochs,
                "batch_size": batch_size,
            }
            for training in trained
        )
        answers = [
            TrainedClassifier(classifier, training.seed, training.labels) for training in trained
        ]
        others = self.fine_tunings[self.fine_tunings.classifier != classifier]
        items = self.answered(asked, FINE_TUNED, answers)
        return replace(items, fine_tunings=joined(others, fine_tunings))


def _by_seed(
    correct: Flags,
    seed: Integers,
    seeds: list[int],
    place: Indices,
    n: int,
) -> Flags:
    """Answers as a table, shape (s, n).

    Args:
        correct: Whether each answer is right, shape (m,).
        seed: The seed of the training that gave it, shape (m,).
        seeds: All s seeds, ascending.
        place: The number of the sentence or pair, from 0, shape (m,).
        n: How many sentences or pairs there are.
    """
    by_seed = np.zeros((len(seeds), n), dtype=bool)
    by_seed[np.searchsorted(seeds, seed), place] = correct
    return by_seed


def _contradictions(
    name: str, answers: PolarityAnswers | HeldOutAnswers, asked: Names
) -> Iterator[tuple[str, str, str, str]]:
    """As `Items.contradictions`, of one table; `asked` has the pair or sentence of each answer."""
    columns = [answers.mode.tolist(), answers.classifier.tolist(), answers.seed.tolist()]
    names = [" ".join(map(str, values)) for values in zip(*columns, strict=True)]
    training = np.array(names, dtype=str)
    of_frozen = asked[training == f"{FROZEN} {LINEAR} 0"]
    for one_training in np.unique(training).tolist():
        of_training = asked[training == one_training]
        if not np.array_equal(of_training, of_frozen):
            yield (
                f"{name} of {one_training}",
                f"{len(of_training)} rows",
                f"{len(of_frozen)} rows",
                "This training was asked other rows than the frozen encoder.",
            )


def polarity_plan(rows: Rows, split: str) -> PolarityItems:
    """List the training sentences, and what a linear classifier and the networks are asked.

    Rows are `RoleRow`s. Without held-out sentences the originals of the pairs take their place; in
    Yelp they are the test sentences. The split names the protocol, see
    `harness_ext.measures.polarity.protocol`. There is a network of each of `SEEDS`.

    Raises:
        RowError: No training sentence has one of the labels.
    """
    every_pair = [row for row in rows if row["role"] == "pair"]
    pairs = [row for row in every_pair if row["removed_by"] is None]
    train = [row for row in rows if row["role"] == "train"]
    held_out = [row for row in rows if row["role"] == "held_out"] or pairs
    lacking = {NEGATIVE, POSITIVE} - {row["label"] for row in train}
    if lacking:
        raise RowError(
            f"no sentence with the role train has the label "
            f"{' or '.join(map(str, sorted(lacking)))}, and a classifier is trained on both. A few "
            "of each are enough: in rows with the role train, or in a file whose name says train. "
            f"{WITHOUT_LABELS}"
        )
    sentences = PolaritySentences.of_rows(
        [
            *(_sentence(row, "train") for row in train),
            *(_sentence(row, "held_out") for row in held_out),
            *(_sentence(row, "original") for row in pairs),
            *(_rewrite(row) for row in pairs),
        ]
    )
    training = PolarityTraining.parse(split)
    plan = PolarityItems(
        pairs=PolarityPairs.of_columns(
            pair=[row["id"] for row in every_pair],
            direction=[_DIRECTION_OF_LABEL[row["label"]] for row in every_pair],
            excluded=[row["removed_by"] or "" for row in every_pair],
        ),
        answers=PolarityAnswers.of_rows([]),
        held_out=HeldOutAnswers.of_rows([]),
        fine_tunings=FineTunings.of_rows([]),
        protocol=PolarityProtocol.of_columns(
            n_train=[len(train)],
            train_limit=[training.train_limit or 0],
            trained_on_dev=[training.on_dev],
        ),
        sentences=sentences,
    )
    no_labels = np.full(len(sentences.asked), -1)
    to_train = [TrainedClassifier(LINEAR, 0, no_labels)]
    to_train += [TrainedClassifier(NETWORK, seed, no_labels) for seed in SEEDS]
    return plan.answered(sentences.asked, FROZEN, to_train)


_DIRECTION_OF_LABEL = {NEGATIVE: NEGATIVE_TO_POSITIVE, POSITIVE: POSITIVE_TO_NEGATIVE}
"""The label of an original -> the direction of its pair."""


def _sentence(row: Row, role: str) -> Row:
    """A row of `PolaritySentences`: the sentence of a row of the dataset."""
    return {"row": row["id"], "role": role, "label": row["label"], "sentence": row["text"]}


def _rewrite(row: Row) -> Row:
    """A row of `PolaritySentences`: the rewrite of a pair."""
    opposite = 1 - row["label"]
    return {"row": row["id"], "role": "rewrite", "label": opposite, "sentence": row["rewrite"]}


def chance_of_both_labels(*positive_and_times: Floats) -> Floats:
    """What labels get that are independent of the sentences: p · (1 − p), the mean over the seeds.

    p is the share of all sentences that are labeled positive. So it is .25 if both labels are given
    equally often, 0 if one is given to all, shape (m,).

    Args:
        positive_and_times: For each seed, the share of the sentences of a pair that are labeled
            positive, shape (n,). Then the number of times that each pair is in each sample, shape
            (m, n).

    Examples:
        >>> once = [1.0, 1.0, 1.0]
        >>> first_alone = [2.0, 0.0, 0.0]
        >>> chance_of_both_labels(np.array([1.0, 0.5, 0.0]), np.array([once, first_alone]))
        array([0.25, 0.  ])
    """
    *positive_of_seeds, times = positive_and_times
    shares = [average(positive, times) for positive in positive_of_seeds]
    return np.mean([share * (1 - share) for share in shares], axis=0)


AnyTable = TypeVar("AnyTable", bound=Table)


def joined(first: AnyTable, *others: AnyTable) -> AnyTable:
    """The rows of tables of one kind, one after the other."""
    tables = (first, *others)
    columns: Mapping[str, Any] = {
        name: np.concatenate([table.values()[name] for table in tables]) for name in first.values()
    }
    return first.of(columns)


def _is_of(
    table: PolarityAnswers | HeldOutAnswers,
    mode: str,
    classifiers: list[str],
) -> Flags:
    return (table.mode == mode) & np.isin(table.classifier, classifiers)
