"""A line of every command of `harness-ext`, for the tests of what all of them do, and the folder in which they run."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import typer.main

from harness_ext.cli import app
from harness_ext.cli.demo import MODEL, REVISION
from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece

RESULTS = Path(__file__).parents[1] / "docs" / "example_results"
KNOWN = "sentence-transformers/all-MiniLM-L6-v2"
RANDOM = "mteb/baseline-random-encoder"

QUICK = {
    "check": "pairs.csv merge_opposites",
    "compare": "results --pairs",
    "datasets check": "--dataset compound_mini",
    "datasets export": "exported --dataset compound_mini",
    "datasets list": "",
    "explain": "montague_consistency",
    "leaderboard init": "board",
    "needs": "merge_opposites",
    "publish": f"results -m {KNOWN} -t TreeReconstructionMini --org acme --to card",
    "show": "results --details",
    "submit": f"results -m {KNOWN} -o submission",
    "tasks": "",
    "verify": "results",
}
"""Command -> its arguments; each takes less than two seconds."""

SLOW = {
    "demo": "--output-folder of_demo --hf-home hf",
    "finetune-pss": "-m ./tiny --task PolaritySensitivityMini --seeds 1 --max-epochs 1 --output-folder tuned",
    "layers": "-m ./tiny -t EpsilonCompositionalityMini --output-folder layers",
    "leaderboard build": "results -o site",
    "measure": f"merge_opposites pairs.csv -m {RANDOM} --output-folder own",
    "report": "results -o report",
    "safe-to-merge": f"-m {RANDOM}",
    "sweep": "--models models.txt -t MergeOppositesMini --output-folder swept",
}


def every_command() -> set[str]:
    """The names of all commands, those of groups with the name of their group."""

    def names(group, before=""):
        for name, command in group.commands.items():
            yield from names(command, f"{before}{name} ") if hasattr(command, "commands") else [before + name]

    return {*names(typer.main.get_command(app))}


def prepare(folder: Path) -> None:
    """Put into a folder what the lines read."""
    (folder / "results").symlink_to(RESULTS)
    (folder / "models.txt").write_text(RANDOM)
    with (folder / "pairs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["first", "second", "kind"])
        for number in range(12):
            rows.writerow([f"Door {number} is open.", f"Door {number} is not closed.", "same"])
            rows.writerow([f"Door {number} is open.", f"Door {number} is shut.", "opposite"])


def save_tiny(folder: Path) -> None:
    """Save the model `tiny`, of random weights, into a folder; for `demo`, under the name of its encoder."""
    words = wordpiece()
    save_pooled(folder / "tiny", save(folder / "plain", small_bert(words), fast(words, model_max_length=64)))
    named = folder / "hf" / "hub" / f"models--{MODEL.replace('/', '--')}" / "snapshots"
    named.mkdir(parents=True)
    shutil.copytree(folder / "tiny", named / REVISION)
