"""The pages stay short enough to be read: `python tests/documentation/test_length.py` prints the words of each."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {"api.md", "commands.md", "findings.md", "measures.md"}
"""Every word of these is written by a script."""


def prose(page: str) -> str:
    """A page without code blocks, tables, comments and targets of links."""
    without_blocks = re.sub(r"(?ms)^ *```.*?^ *```$", "", page)
    without_indented = re.sub(r"(?m)^    .*$", "", without_blocks)
    without_tables = re.sub(r"(?m)^\|.*$", "", without_indented)
    without_comments = re.sub(r"(?s)<!--.*?-->", "", without_tables)
    return re.sub(r"\]\([^)]*\)", "]", without_comments)


def first_page() -> str:
    """README without tables and pictures."""
    without_tables = re.sub(r"(?m)^\|.*$", "", (ROOT / "README.md").read_text(encoding="utf-8"))
    return re.sub(r"!\[[^]]*\]\([^)]*\)", "", without_tables)


def words(page: Path) -> tuple[int, int]:
    """Of prose by hand, and of everything."""
    text = page.read_text(encoding="utf-8")
    return 0 if page.name in GENERATED else len(prose(text).split()), len(text.split())


def test_the_pages_can_be_read_in_an_evening():
    by_hand, all_words = (sum(column) for column in zip(*map(words, PAGES), strict=True))
    assert by_hand <= 9_000
    assert all_words <= 35_000
    assert len(first_page().split()) <= 900


if __name__ == "__main__":
    for page in PAGES:
        print(*(f"{count:7}" for count in words(page)), f" {page.relative_to(ROOT)}")
    print(*(f"{sum(column):7}" for column in zip(*map(words, PAGES), strict=True)))
