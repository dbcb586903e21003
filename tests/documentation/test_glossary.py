"""The glossary has what `harness-ext explain terms` explains, and pages lead to it."""

import re
import runpy
from pathlib import Path

import pytest

from harness_ext.show.terms import TERMS, all_terms

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PAGES = ("README.md", "docs/additive_baseline.md", "docs/findings.md", "docs/validity.md")


def test_the_glossary_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/pages.py`
    page = runpy.run_path(str(ROOT / "docs" / "pages.py"))["glossary_page"]()
    assert page == GLOSSARY, "docs/glossary.md: run `make docs`"
    headings = [heading.lower() for heading in re.findall("(?m)^## (.*)$", GLOSSARY)]
    assert headings == [*(term.lower() for term in TERMS), "categories of tasks"]
    for term in TERMS:
        assert term in all_terms()


def test_the_classes_of_compounds_are_in_it():
    for label in ("NC", "PC", "C"):
        assert f"{label}: " in TERMS["NC, PC, C"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_its_words_leads_to_it(page):
    assert "glossary.md" in (ROOT / page).read_text(encoding="utf-8")
