"""Run the trials and print the table.

python -m benchmarks.trials
    python -m benchmarks.trials --only "encoder outputs" --details
"""

from __future__ import annotations

import os

for _name, _value in {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}.items():
    os.environ.setdefault(_name, _value)  # before anything imports what reads them once

from benchmarks.trials.run import app  # noqa: E402

if __name__ == "__main__":  # and not in the processes that a trial starts
    app()
