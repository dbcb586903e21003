"""The page on merging prints what its lines print, and its tables have what the board has."""

import csv
import re
from pathlib import Path

import pytest

from harness_ext.results.load import load_results
from harness_ext.show.numbers import with_interval
from tests.command_line import harness_ext
from tests.documentation.test_printed_commands import BLOCK

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_first_lines_of_the_page_run_and_print_what_it_shows(minilm, monkeypatch, capsys):
    blocks = BLOCK.findall((DOCS / "merging.md").read_text("utf-8"))
    code, printed = [code for language, code in blocks if language in {"python", "text"}]
    running = [code for language, code in blocks if language == "py"]
    assert len(code.strip().splitlines()) <= 10
    monkeypatch.syspath_prepend(DOCS)
    exec(code, {})
    assert capsys.readouterr().out == printed
    served = (DOCS / "checks.py").read_text("utf-8")
    _, head, rest = served.partition("def served")
    body = re.sub(r'\n    """[^"]*"""', "", head + rest)
    assert running == [body]


def test_a_log_of_hits_is_sorted_as_the_page_shows(tmp_path):
    blocks = BLOCK.findall((DOCS / "merging.md").read_text("utf-8"))
    (command,) = [code for language, code in blocks if language == "sh"]
    (printed,) = [code for language, code in blocks if language == "console"]
    arguments = command.replace("docs/", f"{DOCS}/").replace("sample.csv", f"{tmp_path}/sample.csv")
    done = harness_ext(*arguments.split()[1:], columns="400")
    assert done.exit_code == 0, done.output
    found = [line.rstrip() for line in done.stdout.splitlines()]
    for line in printed.splitlines():
        assert line in {*found, "[…]"}, done.stdout
    sample = (tmp_path / "sample.csv").read_text("utf-8")
    assert sample.count("\n") == 6


def test_rows_of_encoders_on_the_board_have_its_scores():
    with (DOCS / "merging.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["table"], row["model"]): row for row in csv.DictReader(file)}
    entries = load_results(DOCS.parent / "leaderboard", "MergeOpposites").entries
    assert len(entries) == 12  # six encoders on two sets
    for entry in entries:
        row = rows[f"{entry.task}, {entry.data}", entry.model.partition("/")[2]]
        shown = with_interval(entry.main_score, entry.interval())
        assert row["kept_apart_90 [95 %]"] == shown, entry.model


def test_the_table_of_the_page_has_the_scores_of_the_file():
    text = (DOCS / "merging.md").read_text("utf-8")
    table = text.partition("<!-- results -->\n")[2].partition("<!-- end -->")[0]
    head, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    shown = {}
    for model, *cells in rows:
        for title, cell in zip(head[1:], cells, strict=False):
            shown[title.strip(), model] = cell.strip()
    with (DOCS / "merging.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kept_apart = row["kept_apart_90 [95 %]"]
            if kept_apart:
                assert shown[row["table"], row["model"]] == kept_apart
