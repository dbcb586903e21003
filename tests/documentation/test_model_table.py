"""The tables of models on the first page are what the files give, and a line of them is read without a legend."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_first_page_and_the_badges_are_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/model_table.py`
    pages = runpy.run_path(str(ROOT / "docs" / "model_table.py"))["pages"]
    made = dict(pages((ROOT / "README.md").read_text(encoding="utf-8")))
    for path, text in made.items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `make docs`"
    assert {*(ROOT / "docs" / "badges").iterdir()} == {ROOT / path for path in made if path.suffix == ".svg"}
    (table,) = (part for part in made[Path("README.md")].split("<!-- end -->") if "<!-- published -->" in part)
    assert table.count("\n| ") == 14 + 2
    assert "| S-BERT | ![compositionally-inclined: idioms too are their words](docs/badges/" in table
