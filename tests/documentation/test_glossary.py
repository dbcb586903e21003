"""The glossary has what `harness-ext explain terms` explains, and pages lead to it."""

import re
import runpy
from pathlib import Path

import pytest

from harness_ext.show.terms import TERMS, WORDS, all_terms, anchor, parts_of_heading

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
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


def test_words_of_headings_lead_to_their_terms():
    validity = (ROOT / "docs" / "validity.md").read_text(encoding="utf-8")
    assert "\n| task | data | [chance](glossary.md#chance) | random-words |" in validity
    assert "([AUC](docs/glossary.md#auc); [chance](docs/glossary.md#chance) .500)" in README
    assert "[Spearman's ρ](docs/glossary.md#rank-correlation)" in README


def test_code_and_links_stay_as_they_are(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    with_links = runpy.run_path(str(ROOT / "docs" / "pages.py"))["with_links"]
    page = "| `gain` | [AUC](a.md) | no chances | PC |\n| --- | --- | --- | --- |\n| AUC | | | |\n"
    linked = page.replace(" PC ", " [PC](glossary.md#nc-pc-c) ")
    assert with_links(page) == linked
    assert with_links(linked) == linked
    in_code = f"```text\n{page}```\n"
    assert with_links(in_code) == in_code


def test_the_longest_word_of_a_heading_counts():
    assert [*parts_of_heading("not above matched noise, p_noise")] == [
        ("not above", "not above"),
        (" ", ""),
        ("matched noise", "matched noise"),
        (", p_noise", ""),
    ]


def test_words_in_place_of_a_term_are_explained():
    assert set(WORDS.values()) <= TERMS.keys()


def test_anchors_are_those_of_the_site():
    toc = pytest.importorskip("markdown.extensions.toc", reason="Markdown is not installed")
    for term in TERMS:
        assert anchor(term) == toc.slugify(term, "-")
