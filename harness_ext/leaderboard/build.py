"""From folders of results to a board."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.board_cache import BoardCache, default_cache
from harness_ext.leaderboard.board_site import write_site
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records
from harness_ext.show.static_site import ReportError, check_is_ours

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from harness_ext.leaderboard.cell import Cell, Read

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
        output: The folder of the site; is made if need be.
        records: The folder with what the maintainers have signed off; the first of `folders` if None.
        title: Of the board.
        about: What it is, in a sentence or two.
        cache: A file that remembers what was read; see `BoardCache`.
        reports: Whether to write a report of each model too, with pictures and single examples, but no sentences.
        allow_unverified: Whether results on other data than the pinned are on it, in columns of their own.
        force: Write into `output` whatever is in it.

    Returns:
        What is not on the board, and why: a sentence each.

    Raises:
        FileNotFoundError: A folder is not there, or there is no result in any; names them.
        RecordError: A record is damaged; names it.
        ReportError: A package is missing, there is no writing into the folder, it has files of others, or the cache
            cannot be used.
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
            f"{cache}: {error}. It only remembers what was read: make room there, remove it, or name a folder that can "
            "be written to in HARNESS_EXT_CACHE."
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
    board, doubled = make_board(cells, signed_off, remembered)
    of_scores, _ = make_board(cells, signed_off, remembered, "score")
    problems = {"Results that could not be read, or are refused": unread, "Results that are there twice": doubled}
    write_site((board, of_scores), problems, output, remembered, **about)
    return [*unread, *doubled]
