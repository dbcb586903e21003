"""The models of a board: their names and pages, and facts from the metadata beside results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from harness_ext.leaderboard.board import Board
from harness_ext.results.columns import Row
from harness_ext.show.model_labels import revision_label
from harness_ext.show.static_site import cut, slug
from harness_ext.store.mteb_files import ModelMetaFile


@dataclass(frozen=True)
class BoardModel:
    """A model on the pages of a board, with facts from mteb's `ModelMeta`; None or empty if unknown.

    Attributes:
        name: Its name, with its revision or precision if it has several.
        page: Its page.
        parameters: The number of parameters.
        open_weights: Whether the weights are public.
        instructed: Whether it takes instructions or prompts.
        zero_shot: Whether it was trained on none of the board's tasks.
        languages: Languages, such as `eng-Latn`.
        dimensions: Dimensions of a vector.
        max_tokens: The longest input, in tokens.
        licence: The licence of the weights.
        reference: The address of a page about it.
    """

    name: str
    page: str
    parameters: int | None
    open_weights: bool | None
    instructed: bool | None
    zero_shot: bool | None
    languages: tuple[str, ...]
    dimensions: int | None
    max_tokens: int | None
    licence: str
    reference: str


def board_models(board: Board) -> dict[Row, BoardModel]:
    """Name the models of a board and their pages, and read their facts."""
    names, pages = _names(board.rows), _pages(board.rows)
    tasks = frozenset(column.task for column in board.columns if not column.is_of_language_models)
    files = {row: place.entry.file for places in board.places.values() for row, place in places.items()}
    return {row: _model(names[row], pages[row], ModelMetaFile.beside(files[row]), tasks) for row in board.rows}


def _names(rows: Sequence[Row]) -> dict[Row, str]:
    names: dict[Row, str] = {}
    for model, group in groupby(sorted(rows), key=lambda row: row.model):
        same = list(group)
        revisions, precisions = {row.revision for row in same}, {row.precision for row in same}
        for row in same:
            precision = f" {row.precision or 'unknown precision'}" if len(precisions) > 1 else ""
            names[row] = f"{cut(model)}{revision_label(row.revision, revisions)}{precision}"
    return names


def _pages(rows: Sequence[Row]) -> dict[Row, str]:
    """Name the page of each model. Other models do not change the name, unless their names are alike."""
    taken: set[str] = set()
    pages = {}
    for row in rows:
        name = slug(f"{row.model} {row.revision[:12]} {row.precision}", taken)
        taken.add(name)
        pages[row] = f"models/{name}.html"
    return pages


def _model(name: str, page: str, known: ModelMetaFile, tasks: frozenset[str]) -> BoardModel:
    """Pick the facts of a model with this name and page; `tasks` are those of the board."""
    trained = known.training_datasets
    reference = known.reference or ""
    return BoardModel(
        name,
        page,
        parameters=_whole(known.n_parameters),
        open_weights=known.open_weights,
        instructed=known.use_instructions,
        zero_shot=None if trained is None else tasks.isdisjoint(trained),
        languages=tuple(known.languages or ())[:1000],
        dimensions=None if isinstance(known.embed_dim, list) else _whole(known.embed_dim),
        max_tokens=_whole(known.max_tokens),
        licence=known.license or "",
        reference=reference if reference.startswith(("https://", "http://")) else "",
    )


def _whole(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)
