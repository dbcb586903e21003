"""The pages stay short enough to be read."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SENT = "upstream.md"
"""Texts for other projects, which no reader of this one needs."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.name != SENT]
GENERATED = {"api.md", "commands.md", "findings.md", "measures.md"}
"""Every word of these is written by a script."""


def prose(page: str) -> str:
    """A page without code blocks, tables, comments and targets of links."""
    without_blocks = re.sub(r"(?ms)^ *```.*?^ *```$", "", page)
    without_indented = re.sub(r"(?m)^    .*$", "", without_blocks)
    without_tables = re.sub(r"(?m)^\|.*$", "", without_indented)
    without_comments = re.sub(r"(?s)<!--.*?-->", "", without_tables)
    return re.sub(r"\]\([^)]*\)", "]", without_comments)


def words(page: Path) -> tuple[int, int]:
    """Of prose by hand, and of everything."""
    text = page.read_text(encoding="utf-8")
    return 0 if page.name in GENERATED else len(prose(text).split()), len(text.split())


def test_the_pages_can_be_read_in_an_evening():
    by_hand, all_words = (sum(column) for column in zip(*map(words, PAGES), strict=True))
    assert by_hand <= 12_000
    assert all_words <= 35_500
    assert words(PAGES[0])[0] <= 700
