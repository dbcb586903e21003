"""Rows of a benchmark, printed as CSV while they come."""

import csv
import sys
from collections.abc import Iterable, Mapping
from typing import Any


def print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows of the same columns, each as soon as it is there."""
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(sys.stdout, [*row], lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
        sys.stdout.flush()
