"""What importing mteb costs with this package installed and without, and what commands that only read cost."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from benchmarks.bench.clock import command, interleaved, program

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

ROOT = Path(__file__).parents[2]

COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "python -c 'import mteb'": (sys.executable, "-c", "import mteb"),
    "mteb --help": (program("mteb"), "--help"),
    "python -c 'import numpy, scipy.stats, pyarrow'": (sys.executable, "-c", "import numpy, scipy.stats, pyarrow"),
    "harness-ext show leaderboard": (program("harness-ext"), "show", ROOT / "leaderboard"),
    "harness-ext explain auc_nc_vs_c": (program("harness-ext"), "explain", "auc_nc_vs_c"),
    "harness-ext show --published": (program("harness-ext"), "show", "--published", "EpsilonCompositionality"),
}


def startup(settings: Settings) -> Iterator[Row]:
    """Processes with the hook by which mteb finds this package, and without it (HARNESS_EXT_AUTOLOAD=0), in turn.

    Medians of their seconds of processor time; *more* is the median of the differences.
    """
    for name, arguments in tqdm(list(COMMANDS.items())[: 2 if settings.quick else None], desc="start-up"):
        ways = {
            hook: lambda arguments=arguments, hook=hook: command(arguments, HARNESS_EXT_AUTOLOAD=hook)  # type: ignore[misc]
            for hook in ("0", "1")
        }
        runs = interleaved(ways, settings)
        without, with_us = ([run.processor for run in runs[hook]] for hook in ("0", "1"))
        yield {
            "command": f"`{name}`",
            "runs": len(without),
            "without, s": statistics.median(without),
            "with, s": statistics.median(with_us),
            "more, s": statistics.median(one - other for one, other in zip(with_us, without, strict=True)),
        }
