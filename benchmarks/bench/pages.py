"""How long the pages take: the report of a few models, a board of many."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bench.clock import command, program

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

REPORT_MODELS, BOARD_MODELS = 3, 20


def pages(settings: Settings) -> Iterator[Row]:
    """The commands on made-up results of ten tasks in two subsets each, with items (tests/leaderboard/synthetic.py).

    `benchmarks/leaderboard.py` has boards of a thousand models and more.
    """
    from tests.leaderboard.synthetic import TASKS, write_models  # not above: it is not installed

    tasks = [name for name in TASKS if not name.startswith("Epsilon")]  # whose made-up distances no board accepts
    models = {"report": 1, "board": 2} if settings.quick else {"report": REPORT_MODELS, "board": BOARD_MODELS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, number in models.items():
            write_models(folder / what, range(number), tasks)
        build = ("leaderboard", "build", folder / "board", "-o", folder / "site", "--strict")
        commands = {
            "harness-ext report": (models["report"], ("report", folder / "report", "-o", folder / "pages")),
            "harness-ext leaderboard build": (models["board"], build),
        }
        for title, (number, arguments) in commands.items():
            took = command([program("harness-ext"), *arguments], HARNESS_EXT_CACHE=str(folder / "cache"))
            yield {"command": title, "models": number, "clock, s": took.clock, "processor time, s": took.processor}
