"""The tables of models on the first page are what the files give, and a line of them is read without a legend."""

import runpy
import sys
from pathlib import Path

import pytest

from tests.results.planted_items import entry_at

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "docs"))  # as for `python docs/model_table.py`
    try:
        return runpy.run_path(str(ROOT / "docs" / "model_table.py"))
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_the_first_page_and_the_badges_are_up_to_date(script):
    made = dict(script["pages"]((ROOT / "README.md").read_text(encoding="utf-8")))
    for path, text in made.items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `make docs`"
    assert {*(ROOT / "docs" / "badges").iterdir()} == {ROOT / path for path in made if path.suffix == ".svg"}
    (table,) = (part for part in made[Path("README.md")].split("<!-- end -->") if "<!-- published -->" in part)
    assert table.count("\n| ") == 14 + 2
    assert "| S-BERT | ![compositionally-inclined: idioms too are their words](docs/badges/" in table


@pytest.mark.parametrize(
    ("chance", "words", "said"),
    [
        ((2, 4), (2, 4), "above chance; beyond its words"),
        ((2, 4), (-2, 2), "above chance; not told from its words"),
        ((2, 4), (-0.5, 0.5), "above chance; no more than its words"),
        ((-2, 2), (2, 4), "not told from chance"),
    ],
)
def test_a_verdict_in_a_few_words(script, chance, words, said):
    assert script["short_verdict"](entry_at("RoleSwapSimilarity", "test", chance, words), []) == said
