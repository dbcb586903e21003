"""The page on validity quotes scores of control encoders that are shipped."""

import csv
import re
from operator import itemgetter
from pathlib import Path

from harness_ext.results.reference_scores import FILE
from harness_ext.show.numbers import formatted

PAGE = (Path(__file__).parents[2] / "docs" / "validity.md").read_text(encoding="utf-8")
QUOTED = {
    "bigrams": ("RoleSwapSimilarity", "test"),
    "length": ("TypeTokenIdiomaticity", "naturalistic_rebuilt"),
}

place_of = itemgetter("model", "task", "split")


def test_the_first_lines_quote_what_is_shipped():
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (first,) = re.findall(r"\*\*An encoder without.*?\n\n", PAGE, re.DOTALL)
    sentences = " ".join(first.split())
    for name, (task, split) in QUOTED.items():
        quoted = (f"compositionality/{name}", task, split)
        (value,) = {float(row["value"]) for row in rows if place_of(row) == quoted}
        assert f"gets {formatted(value)} on" in sentences
