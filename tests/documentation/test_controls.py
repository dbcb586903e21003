"""The page on validity quotes scores of control encoders that are shipped."""

import csv
import re
from pathlib import Path

from harness_ext.results.reference_scores import FILE
from harness_ext.show.numbers import formatted

PAGE = (Path(__file__).parents[2] / "docs" / "validity.md").read_text(encoding="utf-8")
QUOTED = {
    "bigrams": ("RoleSwapSimilarity", "test"),
    "length": ("TypeTokenIdiomaticity", "naturalistic_rebuilt"),
}


def test_the_first_lines_quote_what_is_shipped():
    rows = [*csv.DictReader(FILE.read_text(encoding="utf-8").splitlines())]
    (first,) = re.findall(r"\*\*An encoder without.*?\n\n", PAGE, re.DOTALL)
    for name, (task, split) in QUOTED.items():
        at_place = [row for row in rows if row["task"] == task and row["split"] == split]
        of_control = [row for row in at_place if row["model"] == f"compositionality/{name}"]
        (value,) = {formatted(float(row["value"])) for row in of_control}
        assert f"gets {value} on" in " ".join(first.split())
