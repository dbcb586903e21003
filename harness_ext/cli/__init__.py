"""The command `harness-ext`: a module per group of commands, and each adds its own to `app`."""

from harness_ext.cli import datasets, finetune_pss, leaderboard, own_data, results, runs, safe_to_merge  # noqa: F401
from harness_ext.cli.app import app

__all__ = ["app"]
