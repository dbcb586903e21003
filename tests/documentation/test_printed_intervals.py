"""A score with its interval on a page is one of the board, of the example results, of the control
encoders, or of a table beside the page: definitions move, and printed figures stay behind.
"""

import csv
import re
from operator import itemgetter
from pathlib import Path

import pytest

from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import FILE
from harness_ext.show.numbers import formatted

ROOT = Path(__file__).parents[2]

PRINTED = re.compile(r"([-−]?\d?\.\d{3}) \[([-−]?\d?\.\d{3}), ([-−]?\d?\.\d{3})\]")

CODE = re.compile(r"^```.*?^```$|^    .*?$", re.DOTALL | re.MULTILINE)
"""What commands print: other tests run them."""

ELSEWHERE = {
    "docs/additive_baseline.md": {".747 [.493, .963]"},  # a planted encoder, in tests/tasks
    "docs/glossary.md": {".700 [.600, .800]"},  # an example of the form
    "docs/validity.md": {".654 [.524, .774]"},  # a planted encoder, in docs/claims.py
}
"""Page -> what is of no result."""

MEASURED_ELSEWHERE = {
    "docs/instructions.md",  # test_tutorial.py
    "docs/own_data.md",  # tests/own_data
    "docs/layers.md",  # of `harness-ext layers`, which the board does not have
    "docs/trees.md",
    "docs/lm_eval_tasks.md",
    "docs/languages.md",
    "docs/merging.md",
}


@pytest.fixture(scope="module")
def known():
    """Score and interval, as they are printed."""
    found = set()
    for folder in ("leaderboard", "docs/example_results"):
        for entry in load_results(ROOT / folder).entries:
            scores = entry.scores
            for key in scores:
                if f"{key}_ci_low" in scores:
                    low = scores[f"{key}_ci_low"]
                    high = scores[f"{key}_ci_high"]
                    found.add(as_printed(scores[key], low, high))
    with FILE.open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            numbers = map(float, numbers_of(line))
            found.add(as_printed(*numbers))
    return found


numbers_of = itemgetter("value", "low", "high")


def as_printed(score, low, high):
    return f"{formatted(score)} [{formatted(low)}, {formatted(high)}]"


def intervals(page):
    """The scores with intervals of a page, as they stand there, without what commands print."""
    text = CODE.sub("", page.read_text(encoding="utf-8")).replace("−", "-")
    return [f"{score} [{low}, {high}]" for score, low, high in PRINTED.findall(text)]


PAGES = ["README.md"]
PAGES += sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))
PAGES = [page for page in PAGES if page not in MEASURED_ELSEWHERE]


@pytest.mark.parametrize("page", PAGES)
def test_a_score_with_its_interval_is_one_that_was_measured(page, known):
    unknown = [shown for shown in intervals(ROOT / page) if shown not in known]
    assert unknown == sorted(ELSEWHERE.get(page, set()))


def test_an_interval_of_older_draws_is_seen(known, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("The gain is .320 [.217, .425], and\n\n    .1 of code: .111 [.000, .222]\n")
    assert intervals(page) == [".320 [.217, .425]"]
    assert ".320 [.217, .425]" not in known
