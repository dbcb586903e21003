"""The command `harness-ext`: a module per group of commands."""

from harness_ext.cli import (  # noqa: F401 - each adds its commands to `app`
    datasets,
    layers,
    leaderboard,
    leaderboard_build,
    report,
    results,
    runs,
    sweep,
)
from harness_ext.cli.app import app

__all__ = ["app"]
