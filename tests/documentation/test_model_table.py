"""The first page has the table that the files give, and counts the tasks."""

import re
import runpy
from pathlib import Path

from harness_ext.tasks import TASKS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_page_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/model_table.py`
    written = runpy.run_path(str(ROOT / "docs" / "model_table.py"))["page"](README)
    assert written == README, "README.md: run `make docs`"
    table = README.split("<!-- measured -->\n")[1].split("<!-- end -->")[0]
    assert table.count("\n| ") == 7 + 1  # a row per encoder
    assert re.search(
        r"\| all-MiniLM-L6-v2 \|[^|]*\| -\.066 \[-\.154, \.028\], gain \.044; not above chance \|",
        table,
    )


def test_the_first_page_counts_the_tasks():
    """One of the small versions of a task, or of its languages, is no other task."""
    encoders = set()
    language_models = set()
    for name, task in TASKS.items():
        if task.harness != "mteb":
            language_models.add(re.sub("_(en|pt|mini|reference)$", "", name))
        elif not task.quick:
            encoders.add(name)
    assert f": {len(encoders) + len(language_models)} tasks" in README
