"""What polarity sensitivity is computed from: what each trained classifier says of pairs and of held-out sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from harness_ext.arrays import Array, Flags, Floats, Integers, Names, Places
from harness_ext.data.rows import WITHOUT_LABELS
from harness_ext.fitted.polarity_protocol import PolarityTraining
from harness_ext.framework.items import Items, Table, column, only_planned, positions
from harness_ext.framework.measure import RowError, Rows
from harness_ext.framework.scores import Axis

NEGATIVE, POSITIVE = 0, 1
"""The labels."""

MODE = Axis("mode", {"fb": "the encoder is frozen", "ft": "the encoder is trained with the classifier"})
CLASSIFIER = Axis("classifier", {"linear": "logistic regression", "dnn": "a network with 500 and 100 hidden units"})
DIRECTION = Axis(
    "direction", {"neg_to_pos": "pairs whose original is negative", "pos_to_neg": "pairs whose original is positive"}
)


SEEDS = (0, 1, 2)
"""Seeds of the networks and of the fine-tuned encoders."""


@dataclass(frozen=True)
class PolarityComparisons:
    """What is learned from and what is asked; labels are `NEGATIVE` or `POSITIVE`.

    Attributes:
        texts: The distinct texts, in the order of their vectors.
        train: Rows of the vectors of the training sentences, shape (t,).
        train_labels: Shape (t,).
        held_out: Rows of the vectors of the sentences that accuracy is computed on, shape (h,).
        held_out_labels: Shape (h,).
        held_out_ids: Ids of their dataset rows, shape (h,).
        pairs: Rows of the vectors of original and rewrite, shape (m, 2).
        pair_labels: The labels of the originals; the rewrites have the other one. Shape (m,).
        pair_ids: Ids of their dataset rows, shape (m,).
    """

    texts: list[str]
    train: Places
    train_labels: Places
    held_out: Places
    held_out_labels: Places
    held_out_ids: Names
    pairs: Places
    pair_labels: Places
    pair_ids: Names

    @property
    def asked(self) -> Places:
        """Rows of all vectors that get a label, each once, ascending, shape (a,)."""
        return np.unique(np.concatenate([self.held_out, self.pairs.ravel()]))


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
    original_correct: Flags = column("Whether the original is labelled correctly.", measured=True)
    rewrite_correct: Flags = column("Whether the rewrite is labelled correctly.", measured=True)


@dataclass(frozen=True)
class HeldOutAnswers(Table):
    """One row per held-out sentence and trained classifier."""

    row: Names = column("Id of the dataset's row: a sentence.")
    mode: Names = column("fb: frozen encoder; ft: fine-tuned with the classifier.")
    classifier: Names = column("linear or dnn.")
    seed: Integers = column("Of the training.")
    correct: Flags = column("Whether it is labelled correctly.", measured=True)


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
    comparisons: PolarityComparisons | None = only_planned()

    def texts(self) -> list[str]:
        """See the base class."""
        return self.comparisons.texts if self.comparisons else []

    def of_words(self) -> PolarityItems:
        """The plan for the encoder's own words: the main score is the linear classifier's, so there are no networks."""
        return replace(
            self,
            answers=self.answers[_of(self.answers, "fb", "linear")],
            held_out=self.held_out[_of(self.held_out, "fb", "linear")],
        )

    def usable_pairs(self) -> PolarityPairs:
        """The pairs that no rule removes."""
        return self.pairs[self.pairs.excluded == ""]

    def seeds(self, mode: str, classifier: str) -> list[int]:
        """The seeds of a classifier's trainings, ascending."""
        seeds: list[int] = np.unique(self.held_out.seed[_of(self.held_out, mode, classifier)]).tolist()
        return seeds

    def accuracy(self, mode: str, classifier: str) -> Floats:
        """Of each seed, in [0, 1], shape (s,)."""
        part = self.of_held_out(mode, classifier)
        return np.array([part.correct[part.seed == seed].mean() for seed in self.seeds(mode, classifier)])

    def of_held_out(self, mode: str, classifier: str) -> HeldOutAnswers:
        """What a trained classifier says of the held-out sentences."""
        return self.held_out[_of(self.held_out, mode, classifier)]

    def correct(self, mode: str, classifier: str) -> Flags:
        """Whether original and rewrite are labelled correctly, shape (2, s, number of usable pairs)."""
        part = self.answers[_of(self.answers, mode, classifier)]
        seeds, pairs = self.seeds(mode, classifier), self.usable_pairs().pair
        found = np.zeros((2, len(seeds), len(pairs)), dtype=bool)
        kept = np.isin(part.pair, pairs)  # items may be restricted to some pairs
        places = np.searchsorted(seeds, part.seed[kept]), positions(part.pair[kept], pairs)
        for side, correct in zip(found, (part.original_correct, part.rewrite_correct), strict=True):
            side[places] = correct[kept]
        return found

    def both_correct(self, mode: str, classifier: str) -> Floats:
        """1 for a pair of which both sentences are labelled correctly, else 0: shape (s, number of usable pairs)."""
        original, rewrite = self.correct(mode, classifier)
        both: Floats = (original & rewrite).astype(np.float64)
        return both

    def labelled_positive(self, mode: str, classifier: str) -> Floats:
        """The share of the two sentences of a pair that are labelled positive, shape (s, number of usable pairs)."""
        original_positive = self.usable_pairs().direction == "pos_to_neg"
        original, rewrite = self.correct(mode, classifier)
        positive = np.stack([original == original_positive, rewrite != original_positive])
        share: Floats = positive.mean(axis=0)
        return share

    def with_fine_tuning(self, classifier: str, trained: Iterable[tuple[int, float, Labelled]], max_epochs: int,
                         batch_size: int) -> PolarityItems:  # fmt: skip
        """These items with the trainings of a classifier and the encoder in the place of its earlier ones.

        Args:
            classifier: Of `CLASSIFIER`.
            trained: For each training its seed, how many epochs it took, and what its classifier says.
            max_epochs: After how many epochs they would have been stopped.
            batch_size: Sentences per step.
        """
        seeds, epochs, labelled = zip(*trained, strict=True)
        settings = {"classifier": classifier, "max_epochs": max_epochs, "batch_size": batch_size}
        runs = FineTunings.of(
            {"seed": seeds, "epochs": epochs, **{name: [value] * len(seeds) for name, value in settings.items()}}
        )
        return replace(
            self,
            answers=joined(self.answers[~_of(self.answers, "ft", classifier)], *(one.answers for one in labelled)),
            held_out=joined(self.held_out[~_of(self.held_out, "ft", classifier)], *(one.held_out for one in labelled)),
            fine_tunings=joined(self.fine_tunings[self.fine_tunings.classifier != classifier], runs),
        )


_NONE = np.zeros(0, dtype=np.int64)
NO_FINE_TUNING = FineTunings(_NONE.astype(str), _NONE, _NONE.astype(float), _NONE, _NONE)


@dataclass(frozen=True)
class Labelled:
    """What one trained classifier says of the pairs and of the held-out sentences."""

    answers: PolarityAnswers
    held_out: HeldOutAnswers

    @classmethod
    def of(cls, labels: Places, comparisons: PolarityComparisons, mode: str, classifier: str, seed: int) -> Labelled:
        """Hold the labels that a classifier gives against the right ones.

        Args:
            labels: Of each distinct text, shape (n,); only those that are asked count.
            comparisons: What was asked.
            mode: Of `MODE`.
            classifier: Of `CLASSIFIER`.
            seed: Of its training.
        """
        truth = np.column_stack([comparisons.pair_labels, 1 - comparisons.pair_labels])
        original, rewrite = (labels[comparisons.pairs] == truth).T
        correct = labels[comparisons.held_out] == comparisons.held_out_labels

        def same(n: int) -> dict[str, Any]:
            return {"mode": np.full(n, mode), "classifier": np.full(n, classifier), "seed": np.full(n, seed)}

        return cls(
            PolarityAnswers(
                pair=comparisons.pair_ids, original_correct=original, rewrite_correct=rewrite, **same(len(original))
            ),
            HeldOutAnswers(row=comparisons.held_out_ids, correct=correct, **same(len(correct))),
        )


def polarity_plan(rows: Rows, split: str) -> PolarityItems:
    """List the training sentences, and what a linear classifier and a network of each seed are asked.

    Args:
        rows: `RoleRow`s. Without held-out sentences the originals of the pairs take their place; in Yelp they are
            the test sentences.
        split: The protocol, see `harness_ext.fitted.polarity_protocol`.

    Raises:
        RowError: No training sentence has one of the labels.
    """
    texts: dict[str, int] = {}
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

    def numbers(some: Rows, field: str = "text") -> Places:
        return np.array([texts.setdefault(row[field], len(texts)) for row in some], dtype=np.intp)

    def values(some: Rows, field: str, dtype: type) -> Array:
        return np.array([row[field] for row in some], dtype=dtype)

    comparisons = PolarityComparisons(
        texts=[],
        train=numbers(train),
        train_labels=values(train, "label", np.intp),
        held_out=numbers(held_out),
        held_out_labels=values(held_out, "label", np.intp),
        held_out_ids=values(held_out, "id", str),
        pairs=np.column_stack([numbers(pairs), numbers(pairs, "rewrite")]),
        pair_labels=values(pairs, "label", np.intp),
        pair_ids=values(pairs, "id", str),
    )
    unlabelled = np.full(len(texts), -1)
    trainings = [("linear", 0), *(("dnn", seed) for seed in SEEDS)]
    blank = [Labelled.of(unlabelled, comparisons, "fb", classifier, seed) for classifier, seed in trainings]
    training = PolarityTraining.parse(split)
    directions = list(DIRECTION.values)
    return PolarityItems(
        pairs=PolarityPairs.of_rows(
            (row["id"], directions[row["label"]], row["removed_by"] or "") for row in every_pair
        ),
        answers=joined(*(each.answers for each in blank)),
        held_out=joined(*(each.held_out for each in blank)),
        fine_tunings=NO_FINE_TUNING,
        protocol=PolarityProtocol.of_rows([(len(train), training.train_limit or 0, training.on_dev)]),
        comparisons=replace(comparisons, texts=[*texts]),
    )


AnyTable = TypeVar("AnyTable", bound=Table)


def joined(first: AnyTable, *others: AnyTable) -> AnyTable:
    """The rows of tables of one kind, one after the other."""
    columns: Mapping[str, Any] = first.values()
    return first.of({name: np.concatenate([one.values()[name] for one in (first, *others)]) for name in columns})


def _of(table: PolarityAnswers | HeldOutAnswers, mode: str, classifier: str) -> Flags:
    of: Flags = (table.mode == mode) & (table.classifier == classifier)
    return of
