"""Builds a board from folders of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.board_site import write_site
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records
from harness_ext.show.static_site import check_is_ours

TITLE = "Compositionality leaderboard"


def build(
    folders: Sequence[Path],
    output: Path,
    *,
    records: Path | None = None,
    title: str = TITLE,
    about: str = "",
    force: bool = False,
) -> list[str]:
    """Build a board from results.

    Args:
        folders: Each the `--output-folder` of `mteb run`, or the `--output_path` of `lm-eval run`.
        output: The folder of the site; made if missing.
        records: The folder with the maintainers' records; the first of `folders` if None.
        title: The board's title.
        about: A sentence or two about the board.
        force: Whether to write into `output` even if it has files of others.

    Returns:
        A sentence for each result that is not on the board.

    Raises:
        FileNotFoundError: A folder is missing, or no folder has a result; names them.
        RecordError: A record is damaged; names it.
        ReportError: A package is missing, or the folder cannot be written to or has files of others.
    """
    if not force:
        check_is_ours(output)
    cells, unread = read_cells(folders, Records.load(records or folders[0]))
    if not cells and not unread:
        raise FileNotFoundError(
            f"{', '.join(map(str, folders))}: no result of this project's tasks in it. "
            f"Make one with: mteb run -m MODEL -t EpsilonCompositionalityMini --output-folder {folders[0]}"
        )
    board, doubled = make_board(cells)
    problems = {"Damaged or refused results": unread, "Results found twice": doubled}
    write_site(board, problems, output, title=title, about=about)
    return [*unread, *doubled]
