"""Has another model lost something that this one has? The decision of `harness-ext compare
--fail-if-worse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from harness_ext.common.errors import UnknownNameError
from harness_ext.results.compare import Comparison, ComparisonError, Comparisons, holm
from harness_ext.results.entry import Entry


class Model(NamedTuple):
    """A model at a revision."""

    name: str
    revision: str


def model_of(entry: Entry) -> Model:
    """Tell whose entry it is."""
    return Model(entry.model, entry.revision)


def model_at(
    name: str,
    revision: str,
    entries: Iterable[Entry],
) -> Model:
    """Find a model among those of entries.

    Args:
        name: Its whole name.
        revision: How its revision begins; empty where there is only one.
        entries: The entries.

    Raises:
        UnknownNameError: No revision of the model begins so, or several do; says which there are.
    """
    models = {model_of(entry): None for entry in entries if entry.model == name}
    matching = [model for model in models if model.revision.startswith(revision)]
    if len(matching) == 1:
        return matching[0]
    revisions = ", ".join(model.revision for model in models)
    raise UnknownNameError(
        f"{name}{f'@{revision}' if revision else ''}: {len(matching)} revisions of this model "
        f"match. Name one as {name}@REVISION, of: {revisions}."
    )


@dataclass(frozen=True)
class Gate:
    """Whether any other model is significantly worse than a reference, such as the model before its
    fine-tuning.

    Attributes:
        reference: The model that the others are compared with.
        comparisons: Of the reference with each other model, on each column that both have; by
            Holm's correction over these alone.
        lacking: Other model -> what it was not measured on, of what the reference was measured on.
    """

    reference: Model
    comparisons: Comparisons
    lacking: dict[Model, list[str]]

    @classmethod
    def of(
        cls,
        reference: Model,
        entries: Sequence[Entry],
        comparisons: Iterable[Comparison],
    ) -> Gate:
        """Take the comparisons of a reference from those of every two models.

        Args:
            reference: The model.
            entries: All entries compared.
            comparisons: Of every two of them.

        Raises:
            ComparisonError: The reference was compared with no other model, or by no score that
                can be worse; says what to do.
        """
        of_reference: list[Comparison] = []
        for pair in comparisons:
            if reference in {model_of(pair.first), model_of(pair.second)}:
                of_reference.append(pair)
        if not of_reference:
            raise ComparisonError(
                f"{reference.name}: no other model shown was measured on what it was measured on. "
                "Measure both on the same tasks, into one folder."
            )
        if all(pair.better is None for pair in of_reference):
            keys = ", ".join(dict.fromkeys(pair.key for pair in of_reference))
            raise ComparisonError(
                f"No model can be worse by {keys}: neither direction is better. Leave --score and "
                "--by out, to compare main scores."
            )
        return cls(reference, holm(of_reference), _lacking(reference, entries))

    @cached_property
    def n_losses(self) -> dict[Model, int]:
        """Other model -> in how many comparisons it is significantly worse, if in any."""
        n_losses: dict[Model, int] = {}
        for pair in self.comparisons:
            better = pair.better
            if better is None or not pair.is_significant or model_of(better) != self.reference:
                continue
            worse = model_of(pair.second if better is pair.first else pair.first)
            n_losses[worse] = n_losses.get(worse, 0) + 1
        return n_losses


def _lacking(
    reference: Model,
    entries: Iterable[Entry],
) -> dict[Model, list[str]]:
    """Other model -> the columns of the reference that it lacks, if there are any."""
    columns: dict[Model, dict[tuple[str, str, str], str]] = {}
    for entry in entries:
        column = f"{entry.task} ({entry.data})"
        columns.setdefault(model_of(entry), {})[entry.measured_on] = column
    of_reference = columns.pop(reference)
    lacking: dict[Model, list[str]] = {}
    for model, of_model in columns.items():
        missing = [column for place, column in of_reference.items() if place not in of_model]
        if missing:
            lacking[model] = missing
    return lacking
