"""What the tutorial and the first page print is what their commands print today; tests/test_cli.py runs the demo."""

import re
from pathlib import Path

import pytest

from tests.command_line import harness_ext
from tests.documentation.test_printed_commands import BLOCK

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"


def printed(page, language):
    """The lines of the first block of a language, without commands and what is left out."""
    block = next(code for of, code in BLOCK.findall(page.read_text(encoding="utf-8")) if of == language)
    return [line for line in block.splitlines() if line.strip() and not line.startswith(("$", "[…]"))]


def cells(line):
    return re.split(r"\s{2,}", line.strip())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "language", "pairs"),
    [(ROOT / "README.md", "text", ()), (TUTORIAL, "console", ("--pairs", ROOT / "docs/own_data/faq_pairs.csv"))],
)
def test_safe_to_merge_says_what_the_page_prints(minilm, page, language, pairs):
    done = harness_ext("safe-to-merge", "-m", minilm, *pairs, "--at-most", ".2", columns="250")
    assert done.exit_code == (2 if pairs else 1), done.output  # twelve pairs can show no model to be safe
    found = [cells(line) for line in done.stdout.splitlines()]
    for line in printed(page, language):
        assert cells(line) in found, f"{line}\n{done.stdout}"
