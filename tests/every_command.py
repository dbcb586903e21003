"""What commands of `harness-ext` read, where tests run lines of them: results, pairs, a small model."""

import csv
from pathlib import Path

from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece

RESULTS = Path(__file__).parents[1] / "docs" / "example_results"
KNOWN = "sentence-transformers/all-MiniLM-L6-v2"
RANDOM = "mteb/baseline-random-encoder"


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
    """Save the model `tiny`, of random weights, into a folder."""
    words = wordpiece()
    save_pooled(folder / "tiny", save(folder / "plain", small_bert(words), fast(words, model_max_length=64)))
