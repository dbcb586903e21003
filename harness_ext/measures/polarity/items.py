"""What polarity sensitivity is computed from: what each trained classifier says of pairs and of held-out sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Integers, Names, Texts, positions
from harness_ext.data.rows import WITHOUT_LABELS
from harness_ext.measures.core.items import Items, Table, column, only_planned, text
from harness_ext.measures.core.old_measure import RowError, Rows
from harness_ext.measures.core.old_scores import Axis, AxisValues
from harness_ext.measures.polarity.protocol import PolarityTraining
from harness_ext.statistics.statistic import average

NEGATIVE, POSITIVE = 0, 1
"""The labels."""

_FROZEN = {"mode": "fb"}
MODE = Axis(
    "mode",
    {
        "fb": "the encoder is frozen, as people use it; ranked here",
        "ft": "the encoder is trained with the classifier; the paper: "
        '"for accurate comparisons across models, we must default to FT mode" (§3.1)',
    },
)
CLASSIFIER = Axis("classifier", {"linear": "logistic regression", "dnn": "a network with 500 and 100 hidden units"})
DIRECTION = Axis(
    "direction", {"neg_to_pos": "pairs whose original is negative", "pos_to_neg": "pairs whose original is positive"}
)


CHANCE_PSS: dict[str, Any] = {
    "title": "chance of polarity sensitivity",
    "formula": "p · (1 − p), p the share of the pairs' sentences that are labeled positive; mean over the seeds",
    "range": (0, 0.25),
    "source": "this project",
    "interval": True,
}

SEEDS = (0, 1, 2)
"""Seeds of the networks and of the fine-tuned encoders."""


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
    excluded: Names = column("The rule that removes it: copy, no_added_word, duplicate; else empty.")


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
    """The pairs, what each trained classifier says of them and of the held-out sentences, and the trainings."""

    pairs: PolarityPairs
    answers: PolarityAnswers
    held_out: HeldOutAnswers
    fine_tunings: FineTunings
    protocol: PolarityProtocol
    sentences: PolaritySentences | None = only_planned()

    def of_baselines(self) -> PolarityItems:
        """The plan of the encoder's baselines: the main score is the linear classifier's, so there are no networks."""
        linear = {**_FROZEN, "classifier": "linear"}
        return replace(self, answers=self.answers.at(linear), held_out=self.held_out.at(linear))

    def as_planned(self) -> PolarityItems:
        """The items without fine-tuned encoders."""
        answers, held_out = self.answers.at(_FROZEN), self.held_out.at(_FROZEN)
        return replace(self, answers=answers, held_out=held_out, fine_tunings=FineTunings.of_rows([]))

    def contradictions(self) -> Iterator[tuple[str, str, str, str]]:
        """The trainings of the encoder that were asked other rows than the frozen encoder."""
        message = "This training was asked other rows than the frozen encoder."
        tables = ("answers", self.answers, self.answers.pair), ("held_out", self.held_out, self.held_out.row)
        for name, table, rows in tables:
            columns = zip(table.mode.tolist(), table.classifier.tolist(), table.seed.tolist(), strict=True)
            training = np.array([f"{mode} {classifier} {seed}" for mode, classifier, seed in columns], dtype=str)
            frozen = rows[training == "fb linear 0"]
            for of in np.unique(training).tolist():
                asked = rows[training == of]
                if not np.array_equal(asked, frozen):
                    yield f"{name} of {of}", f"{len(asked)} rows", f"{len(frozen)} rows", message

    @property
    def usable_pairs(self) -> PolarityPairs:
        """The pairs that no rule removes."""
        return self.pairs[self.pairs.excluded == ""]

    def seeds(self, axes: AxisValues) -> list[int]:
        """The seeds of a classifier's trainings, ascending."""
        return np.unique(self.held_out.at(axes).seed).tolist()

    def of_pairs(self, axes: AxisValues) -> tuple[Names, Flags]:
        """The usable pairs, and whether a classifier labels original and rewrite correctly, shapes (k,), (2, s, k).

        There are s trainings of the classifier, one per seed; pairs are those of a direction if the axes have one.
        """
        answers, pairs = self.answers.at(axes), self.usable_pairs.at(axes).pair
        answers = answers[np.isin(answers.pair, pairs)]  # items may be restricted to some pairs
        correct = answers.original_correct, answers.rewrite_correct
        return pairs, self._by_seed(axes, answers.seed, positions(answers.pair, pairs), len(pairs), correct)

    def of_held_out(self, axes: AxisValues) -> tuple[Names, Floats]:
        """The held-out sentences, and 1 where a classifier labels one correctly, else 0, shapes (h,) and (s, h)."""
        answers = self.held_out.at(axes)
        rows, unit = np.unique(answers.row, return_inverse=True)
        (correct,) = self._by_seed(axes, answers.seed, unit, len(rows), [answers.correct])
        return rows, correct.astype(np.float64)

    def _by_seed(self, axes: AxisValues, seed: Integers, unit: Indices, n: int, correct: Sequence[Flags]) -> Flags:
        seeds = self.seeds(axes)
        by_seed = np.zeros((len(correct), len(seeds), n), dtype=bool)
        by_seed[:, np.searchsorted(seeds, seed), unit] = correct
        return by_seed

    def answered(
        self, asked: PolaritySentences, mode: str, trained: Sequence[tuple[str, int, Indices]]
    ) -> PolarityItems:
        """These items with the answers of trained classifiers in the place of those of earlier ones of their kind.

        Each training has its classifier (of `CLASSIFIER`), its seed, and a label per asked sentence, shape (a,).
        """
        original, rewrite, held_out = (asked.role == role for role in ("original", "rewrite", "held_out"))
        pairs, rows = asked.row[original].tolist(), asked.row[held_out].tolist()
        classifiers = [classifier for classifier, _, _ in trained]
        answers = [self.answers[~_is_of(self.answers, mode, classifiers)]]
        of_held_out = [self.held_out[~_is_of(self.held_out, mode, classifiers)]]
        for classifier, seed, labels in trained:
            correct = labels == asked.label
            of_pairs = PolarityAnswers.of_rows((pair, mode, classifier, seed) for pair in pairs)
            of_rows = HeldOutAnswers.of_rows((row, mode, classifier, seed) for row in rows)
            answers.append(replace(of_pairs, original_correct=correct[original], rewrite_correct=correct[rewrite]))
            of_held_out.append(replace(of_rows, correct=correct[held_out]))
        return replace(self, answers=joined(*answers), held_out=joined(*of_held_out))

    def with_fine_tuning(
        self,
        asked: PolaritySentences,
        classifier: str,
        trained: Sequence[tuple[int, float, Indices]],
        max_epochs: int,
        batch_size: int,
    ) -> PolarityItems:
        """These items with the trainings of a classifier and the encoder in the place of its earlier ones.

        Each training has its seed, the number of its epochs, and a label per asked sentence, shape (a,).
        """
        runs = [(classifier, seed, epochs, max_epochs, batch_size) for seed, epochs, _ in trained]
        others = self.fine_tunings[self.fine_tunings.classifier != classifier]
        items = self.answered(asked, "ft", [(classifier, seed, labels) for seed, _, labels in trained])
        return replace(items, fine_tunings=joined(others, FineTunings.of_rows(runs)))


def polarity_plan(rows: Rows, split: str) -> PolarityItems:
    """List the training sentences, and what a linear classifier and a network of each seed are asked.

    Rows are `RoleRow`s. Without held-out sentences the originals of the pairs take their place; in Yelp they are the
    test sentences. The split names the protocol, see `harness_ext.measures.polarity.protocol`.

    Raises:
        RowError: No training sentence has one of the labels.
    """
    every_pair = [row for row in rows if row["role"] == "pair"]
    pairs = [row for row in every_pair if row["removed_by"] is None]
    train = [row for row in rows if row["role"] == "train"]
    held_out = [row for row in rows if row["role"] == "held_out"] or pairs
    if lacking := {NEGATIVE, POSITIVE} - {row["label"] for row in train}:
        raise RowError(
            f"no sentence with the role train has the label {' or '.join(map(str, sorted(lacking)))}, and a classifier "
            "is trained on both. A few of each are enough: in rows with the role train, or in a file whose name says "
            f"train. {WITHOUT_LABELS}"
        )
    sentences = PolaritySentences.of_rows([
        *((row["id"], "train", row["label"], row["text"]) for row in train),
        *((row["id"], "held_out", row["label"], row["text"]) for row in held_out),
        *((row["id"], "original", row["label"], row["text"]) for row in pairs),
        *((row["id"], "rewrite", 1 - row["label"], row["rewrite"]) for row in pairs),
    ])  # fmt: skip
    training, directions = PolarityTraining.parse(split), list(DIRECTION.values)
    nothing = np.full(len(sentences.asked), -1)
    return PolarityItems(
        pairs=PolarityPairs.of_rows(
            (row["id"], directions[row["label"]], row["removed_by"] or "") for row in every_pair
        ),
        answers=PolarityAnswers.of_rows([]),
        held_out=HeldOutAnswers.of_rows([]),
        fine_tunings=FineTunings.of_rows([]),
        protocol=PolarityProtocol.of_rows([(len(train), training.train_limit or 0, training.on_dev)]),
        sentences=sentences,
    ).answered(sentences.asked, "fb", [("linear", 0, nothing), *(("dnn", seed, nothing) for seed in SEEDS)])


def chance_of_both_labels(*positive_and_times: Floats) -> Floats:
    """What labels get that are independent of the sentences, and positive as often as those that were given.

    It is .25 if both labels are given equally often, 0 if one is given to all, shape (m,).

    Args:
        positive_and_times: For each seed, the share of the sentences of a pair that are labeled positive, shape (n,).
            Then the number of times that each pair is in each sample, shape (m, n).

    Examples:
        >>> chance_of_both_labels(np.array([1.0, 0.5, 0.0]), np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 0.0]]))
        array([0.25, 0.  ])
    """
    *positive, times = positive_and_times
    shares = [average(share, times) for share in positive]
    return np.mean([share * (1 - share) for share in shares], axis=0)


AnyTable = TypeVar("AnyTable", bound=Table)


def joined(first: AnyTable, *others: AnyTable) -> AnyTable:
    """The rows of tables of one kind, one after the other."""
    columns: Mapping[str, Any] = first.values()
    return first.of({name: np.concatenate([one.values()[name] for one in (first, *others)]) for name in columns})


def _is_of(table: PolarityAnswers | HeldOutAnswers, mode: str, classifiers: list[str]) -> Flags:
    return (table.mode == mode) & np.isin(table.classifier, classifiers)
