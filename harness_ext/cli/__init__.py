"""The command `harness-ext`: a module per group of commands, and each adds its own to `app`."""

from harness_ext.cli import (  # noqa: F401 - each adds its commands
    datasets,
    finetune_pss,
    leaderboard,
    own_data,
    results,
    runs,
    safe_to_merge,
)
from harness_ext.cli.app import app

__all__ = ["app"]
