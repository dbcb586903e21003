"""What boards of many models take: to build, and to verify."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.bench.clock import of_command
from benchmarks.bench.own_time import KnownVectors, as_function

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

TASKS = ("EpsilonCompositionalityMini", "RoleSwapSimilarityMini", "MergeOppositesMini")
"""Of two categories and of opposites; they need no download."""

N_MODELS = (10, 100)

QUICK_MODELS = (2,)

_DIMENSIONS = 16


def boards(settings: Settings) -> Iterator[Row]:
    """The commands that build and verify a board of so many encoders on three small tasks, without
    additive baseline and noise. Seconds are by the clock, on all processors; memory is that of the
    largest process.
    """
    for n_models in QUICK_MODELS if settings.quick else N_MODELS:
        with TemporaryDirectory() as folder:
            board = Path(folder, "board")
            _save_results(board, n_models)
            build = ["leaderboard", "build", str(board), "--output", str(Path(folder, "site"))]
            seconds_to_build, megabytes_to_build = of_command(build)
            seconds_to_verify, megabytes_to_verify = of_command(["verify", str(board)])
        yield {
            "models": n_models,
            "results": n_models * len(TASKS),
            "build, s": seconds_to_build,
            "build, MB": megabytes_to_build,
            "verify, s": seconds_to_verify,
            "verify, MB": megabytes_to_verify,
        }


def _save_results(board: Path, n_models: int) -> None:
    """Measure encoders that add up vectors, drawn anew for each."""
    from harness_ext import measure

    with patch.dict("os.environ", {"HARNESS_EXT_ADDITIVE": "0"}):
        for number in range(n_models):
            encode = as_function(KnownVectors(_DIMENSIONS, seed=number))
            name = f"bench/encoder-{number}"
            commit = f"{number:040x}"
            for task in TASKS:
                measure(encode, task).save(board, model=name, revision=commit)
