"""The judge tells the outcomes apart; else a table of nothing but zeros would say nothing."""

from collections import Counter

import numpy as np
import pytest

from harness_ext.results.load import load_results
from tests.hostile.judge import OUTCOMES, PAGE, Judge, counts_in, harness_ext, with_table


@pytest.fixture
def outcome():
    """The outcome of a trial, which fails unless it is right or clear."""

    def outcome(*arguments, **options):
        properties = []
        judge = Judge("", properties)
        try:
            judge(*arguments, **options)
        except AssertionError:
            return properties[0][1][1]
        assert properties[0][1][1] in {"right", "clear"}
        return properties[0][1][1]

    return outcome


def test_values_and_errors(outcome, tmp_path):
    assert outcome(lambda: 1, lambda value: value == 1) == "right"
    assert outcome(lambda: 2, lambda value: value == 1) == "silent"
    assert outcome(lambda: np.zeros(2) @ np.zeros(3), bool) == "raw"
    assert outcome(lambda: load_results(tmp_path / "gone"), None, "gone") == "clear"
    assert outcome(lambda: load_results(tmp_path / "gone"), None, "elsewhere") == "raw"


def test_commands(outcome, tmp_path):
    assert outcome(lambda: harness_ext("explain", "auc_nc_vs_c"), lambda said: "auc_nc_vs_c" in said) == "right"
    assert outcome(lambda: harness_ext("explain", "auc_nc_vs_c"), lambda said: "auc_nc_vs_d" in said) == "silent"
    assert outcome(lambda: harness_ext("show", tmp_path / "gone"), None, "gone") == "clear"
    assert outcome(lambda: harness_ext("show", tmp_path / "gone"), None, "elsewhere") == "raw"


def test_a_result_that_goes_is_lost(outcome, tmp_path):
    file = tmp_path / "results" / "a" / "1" / "T.json"
    file.parent.mkdir(parents=True)
    entry = '{"hf_subset": "default", "main_score": 0.5}'
    file.write_text(f'{{"task_name": "T", "dataset_revision": "1", "scores": {{"test": [{entry}]}}}}')
    assert outcome(lambda: True, bool, folder=tmp_path) == "right"
    assert outcome(lambda: not file.unlink(), bool, folder=tmp_path) == "lost"


def test_a_trial_that_ends_before_it_is_judged_is_no_success():
    properties = []
    Judge("names", properties)
    assert properties == [("trial", ["names", "raw"])]


def test_the_table():
    page = PAGE.read_text(encoding="utf-8")
    counts = counts_in(page)
    assert len(counts) >= 11
    assert with_table(page, {}) == page
    changed = with_table(page, {"kills": Counter(right=2, raw=1)})
    assert "| kills | 3 | 2 | 0 | 1 | 0 | 0 |" in changed.splitlines()
    everything = sum(counts.values(), Counter(right=2, raw=1)) - counts["kills"]
    (last,) = [line for line in changed.splitlines() if line.startswith("| **all**")]
    assert last == f"| **all** | {everything.total()} | {' | '.join(str(everything[one]) for one in OUTCOMES)} |"
    assert changed.partition("What the areas are")[2] == page.partition("What the areas are")[2]
