"""The command `harness-ext` in this process, and what lines of it read in a folder: results, pairs,
a small model.
"""

import csv
import warnings
from pathlib import Path

from typer.testing import CliRunner

from harness_ext.cli import app

RESULTS = Path(__file__).parents[1] / "docs" / "example_results"
KNOWN = "sentence-transformers/all-MiniLM-L6-v2"
RANDOM = "mteb/baseline-random-encoder"


def harness_ext(*arguments, columns="600"):
    """A command that has ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = [*map(str, arguments)]
        return CliRunner().invoke(app, line, env={"COLUMNS": columns})


def prepare(folder: Path) -> None:
    """Put into a folder what lines of the command read."""
    (folder / "results").symlink_to(RESULTS)
    (folder / "models.txt").write_text(RANDOM)
    with (folder / "pairs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["first", "second", "kind"])
        for number in range(12):
            rows.writerow([f"Door {number} is open.", f"Door {number} is not closed.", "same"])
            rows.writerow([f"Door {number} is open.", f"Door {number} is shut.", "opposite"])


def save_tiny(folder: Path) -> None:
    """Save the model `tiny`, of random weights, into a folder."""
    from tests.encoders.tiny_transformers import (
        fast,
        save,
        save_pooled,
        small_bert,
        wordpiece,
    )

    words = wordpiece()
    tokenizer = fast(words, model_max_length=64)
    plain = save(folder / "plain", small_bert(words), tokenizer)
    save_pooled(folder / "tiny", plain)
