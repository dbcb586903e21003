"""Measure every task for text encoders in the environment that runs this file; no package may be
missing.

    python tests/every_task.py

In the current folder, with the data of HARNESS_EXT_MIRROR and without a network. Ends with 1, and
the lines that say why, if a task is neither measured nor without its data, or if a task needs a
package that is not installed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from harness_ext.tasks import ENCODER_TASKS

MODEL = "mteb/baseline-random-encoder"
NO_DATA = re.compile(r"^Not measured, because the data is not available: (.*)\.$", re.MULTILINE)
NO_PACKAGE = re.compile(r'of the extra "|No module named|ModuleNotFoundError|MissingExtraError')
"""How a line names a package that is not installed."""


def main() -> int:
    """Run `mteb run`, say what was measured and what has no data; the exit status."""
    folder = Path.cwd()
    environment = {
        **os.environ,
        "COLUMNS": "10000",  # a line of the log is a line
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder / "huggingface"),
        # empty: what was prepared elsewhere needs no reader
        "HF_DATASETS_CACHE": str(folder / "datasets"),
        "HARNESS_EXT_ALLOW_UNVERIFIED": "1",
        "HARNESS_EXT_NOISE": "0",  # it takes as long as all else, and needs no package of its own
    }
    command = ["mteb", "run", "-m", MODEL, "-t", *ENCODER_TASKS, "--output-folder", "results"]
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env=environment,
        capture_output=True,
        text=True,
    )
    files = folder.glob("results/results/*/*/*.json")
    measured = {file.stem for file in files} & ENCODER_TASKS.keys()
    without_data = set()
    for names in NO_DATA.findall(done.stderr):
        without_data |= {*names.split(", ")}
    lines = f"{done.stdout}\n{done.stderr}".splitlines()
    faults = [line.strip() for line in lines if NO_PACKAGE.search(line)]
    unexplained = ENCODER_TASKS.keys() - measured - without_data
    print(
        f"{len(measured)} tasks are measured. Without data: "
        f"{', '.join(sorted(without_data)) or 'none'}."
    )
    print(*faults, sep="\n")
    if unexplained:
        print(
            f"Neither measured nor without data: {', '.join(sorted(unexplained))}.",
            done.stderr[-5000:],
            sep="\n",
        )
    return int(bool(faults or unexplained or not measured))


if __name__ == "__main__":
    sys.exit(main())
