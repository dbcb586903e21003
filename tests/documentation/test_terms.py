"""Terms that this project gave up stand nowhere: not in pages, help, docstrings, messages or keys
of scores.
"""

import ast
import re
from pathlib import Path

import pytest

from harness_ext.show.explain import measures_of

ROOT = Path(__file__).parents[2]
GIVEN_UP = re.compile(
    r"\b(own words|its words|beyond (its|the) words|cannot tell|not told from|told apart|knows? "
    r"nothing|form alone|"
    r"upper reading|by intervals)\b",
    re.IGNORECASE,
)
PAGES = [
    *ROOT.glob("*.md"),
    *(
        file
        for kind in ("md", "svg", "csv", "ipynb")
        for file in (ROOT / "docs").rglob(f"*.{kind}")
    ),
    *(ROOT / "datasets_scripts").rglob("*.md"),
    ROOT / "mkdocs.yml",
    ROOT / "docs" / "findings.md.jinja",
]
SOURCES = [
    file
    for folder in ("harness_ext", "tasks", "datasets_scripts")
    for file in (ROOT / folder).rglob("*.py")
]
OTHER_TEXTS = [
    file
    for folder in ("harness_ext", "tasks")
    for file in (ROOT / folder).rglob("*")
    if file.suffix in {".yaml", ".csv", ".md", ".html", ".jinja", ".js"}
]


def found(text):
    """What was given up and stands there, with the line before and behind it."""
    words = " ".join(text.split())
    return [words[max(0, one.start() - 40) : one.end() + 40] for one in GIVEN_UP.finditer(words)]


def strings(source):
    """Docstrings, help of commands and messages: every string of a module, as Python joins its
    parts.
    """
    return [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize(
    "text", ["above its\nwords: Its words", "They know nothing.", "sorted by intervals"]
)
def test_it_finds_them(text):
    assert found(text)
    assert not found("unknown words, this word, form and alone")


def test_no_page_has_them():
    files = [file for file in [*PAGES, *OTHER_TEXTS] if file.name != "CHANGELOG.md"]
    assert len(files) > 60
    wrong = [
        f"{file.relative_to(ROOT)}: {one}"
        for file in files
        for one in found(file.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_docstring_help_or_message_has_them():
    assert len(SOURCES) > 200
    wrong = [
        f"{file.relative_to(ROOT)}: {one}"
        for file in SOURCES
        for text in strings(file.read_text(encoding="utf-8"))
        for one in found(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_score_has_them():
    declared = [one for _, measure in measures_of() for one in measure.declarations.items()]
    assert len(declared) > 200
    for key, (score, _) in declared:
        assert not found(f"{key.replace('_', ' ')}. {score.title}. {score.formula}"), key
