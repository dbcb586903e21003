"""Measure what this package costs. `python -m benchmarks.bench --help`."""

from __future__ import annotations

import os
from pathlib import Path

_OWN = {
    "HF_HOME": str(Path(".cache/huggingface").absolute()),
    "HF_HUB_OFFLINE": "1",  # what is not at hand is not measured
    "TOKENIZERS_PARALLELISM": "false",
    "HARNESS_EXT_ADDITIVE": "0",  # additive baselines are not measured
}

if __name__ == "__main__":  # the processes that it starts import this too
    for name, value in _OWN.items():
        os.environ.setdefault(name, value)  # before anything imports what reads them once

    from benchmarks.bench.run import app

    app()
