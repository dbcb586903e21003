"""The tables of models on the first page are what the files give."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_first_page_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/model_table.py`
    page = runpy.run_path(str(ROOT / "docs" / "model_table.py"))["page"]
    there = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page(there) == there, "README.md: run `make docs`"
    (table,) = (part for part in there.split("<!-- end -->") if "<!-- published -->" in part)
    assert table.count("\n| ") == 14 + 2
    assert "| S-BERT | compositionally-inclined: idioms too are their words |" in table
