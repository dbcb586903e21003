"""The models of a board: their names, pages and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from harness_ext.leaderboard.board import Board
from harness_ext.results.columns import Row
from harness_ext.show.model_labels import revision_label
from harness_ext.show.static_site import cut, slugs
from harness_ext.store.mteb_files import ModelMetaFile


class BoardModel(NamedTuple):
    """A model on the pages of a board.

    Attributes:
        name: Its name, with its revision or precision if it has several.
        page: Its page.
        parameters: The number of parameters; None if unknown.
    """

    name: str
    page: str
    parameters: int | None


def board_models(board: Board) -> dict[Row, BoardModel]:
    """Name the models of a board and their pages, and read their sizes from the metadata beside their results."""
    names, pages = _names(board.rows), slugs("\n".join((row.model, row.revision, row.precision)) for row in board.rows)
    files = {row: place.entry.file for places in board.places.values() for row, place in places.items()}
    return {
        row: BoardModel(names[row], f"models/{page}.html", None if size is None else int(size))
        for row, page in zip(board.rows, pages.values(), strict=True)
        for size in [ModelMetaFile.beside(files[row]).n_parameters]
    }


def _names(rows: Sequence[Row]) -> dict[Row, str]:
    names: dict[Row, str] = {}
    for model, group in groupby(sorted(rows), key=lambda row: row.model):
        same = list(group)
        revisions, precisions = {row.revision for row in same}, {row.precision for row in same}
        for row in same:
            precision = f" {row.precision or 'unknown precision'}" if len(precisions) > 1 else ""
            names[row] = f"{cut(model)}{revision_label(row.revision, revisions)}{precision}"
    return names
