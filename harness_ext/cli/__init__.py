"""The command `harness-ext`: a module per group of commands."""

from harness_ext.cli import datasets, leaderboard, own_data, results, runs  # noqa: F401 - each adds its commands to `app`
from harness_ext.cli.app import app

__all__ = ["app"]
