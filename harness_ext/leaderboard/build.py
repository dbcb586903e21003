"""Builds a board from folders of results."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from harness_ext.leaderboard.board import make_boards
from harness_ext.leaderboard.board_cache import BoardCache, default_cache
from harness_ext.leaderboard.board_site import write_site
from harness_ext.leaderboard.cell import Cell, Read
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records
from harness_ext.show.static_site import ReportError, check_is_ours

TITLE = "Compositionality leaderboard"


def build(
    folders: Sequence[Path],
    output: Path,
    *,
    records: Path | None = None,
    title: str = TITLE,
    about: str = "",
    cache: Path | None = None,
    reports: bool = False,
    allow_unverified: bool = False,
    force: bool = False,
) -> list[str]:
    """Build a board from results.

    Args:
        folders: Each the `--output-folder` of `mteb run`, or the `--output_path` of `lm-eval run`.
        output: The folder of the site; made if missing.
        records: The folder with the maintainers' records; the first of `folders` if None.
        title: The board's title.
        about: A sentence or two about the board.
        cache: The file of the `BoardCache`; `default_cache()` if None.
        reports: Whether to write a report of each model too, with pictures and single examples, but no sentences.
        allow_unverified: Whether to show results on data other than the pinned data, in columns of their own.
        force: Whether to write into `output` even if it has files of others.

    Returns:
        A sentence for each result that is not on the board.

    Raises:
        FileNotFoundError: A folder is missing, or no folder has a result; names them.
        RecordError: A record is damaged; names it.
        ReportError: A package is missing, the folder cannot be written to or has files of others, or the cache cannot
            be used.
    """
    if not force:
        check_is_ours(output)
    cache = cache or default_cache()
    try:
        signed_off = Records.load(records or folders[0])
        remembered = BoardCache(cache)
        reads = read_cells(folders, remembered, allow_unverified=allow_unverified)
        return _build(folders, output, signed_off, remembered, reads, title=title, about=about, reports=reports)
    except sqlite3.Error as error:
        raise ReportError(
            f"{cache}: {error}. This file is only a cache. Make room for it, remove it, or name a folder that can be "
            "written to in HARNESS_EXT_CACHE."
        ) from None


def _build(
    folders: Sequence[Path],
    output: Path,
    signed_off: Records,
    remembered: BoardCache,
    reads: Iterable[Read],
    **about: Any,
) -> list[str]:
    cells: list[Cell] = []
    unread: list[str] = []
    for read in reads:
        cells += read.cells
        unread += read.problems
    if not cells and not unread:
        raise FileNotFoundError(
            f"{', '.join(map(str, folders))}: no result of this project's tasks in it. "
            f"Make one with: mteb run -m MODEL -t EpsilonCompositionalityMini --output-folder {folders[0]}"
        )
    boards, doubled = make_boards(cells, signed_off, remembered)
    problems = {"Damaged or refused results": unread, "Results found twice": doubled}
    write_site(boards, problems, output, remembered, **about)
    return [*unread, *doubled]
