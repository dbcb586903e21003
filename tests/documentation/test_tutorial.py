"""What the tutorial and the first page print is what their commands print today; tests/test_cli.py
runs the demo.
"""

import re
from functools import partial
from pathlib import Path

import pytest
import yaml
from sentence_transformers import SentenceTransformer

from harness_ext import measure
from harness_ext.show.numbers import formatted
from tests.command_line import harness_ext
from tests.documentation.test_printed_commands import BLOCK

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"


def printed(page, language, place=0):
    """The lines of a block of a language, without commands and what is left out."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    of_language = [code for name, code in blocks if name == language]
    lines = filter(str.strip, of_language[place].splitlines())
    return [line for line in lines if not line.startswith(("$", "[…]"))]


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def test_a_comparison_is_that_of_the_page():
    page = (ROOT / "docs" / "compare.md").read_text("utf-8")
    blocks = [code for _, code in BLOCK.findall(page)]
    (block,) = [code for code in blocks if code.startswith("$ harness-ext")]
    command, *lines = block.splitlines()
    done = harness_ext(*command.split()[2:], columns="270")
    output = [line.rstrip() for line in done.stdout.splitlines()]
    assert output[2:] == lines[2:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "language", "place", "pairs"),
    [
        (ROOT / "README.md", "text", 0, ()),
        (TUTORIAL, "console", 0, ("--pairs", ROOT / "docs/own_data/faq_pairs.csv")),
        (TUTORIAL, "console", 1, ()),
    ],
)
def test_safe_to_merge_says_what_the_page_prints(minilm, page, language, place, pairs):
    done = harness_ext("safe-to-merge", "-m", minilm, *pairs, "--at-most", ".2", columns="400")
    # twelve pairs can show no model to be safe
    assert done.exit_code == (2 if pairs else 1), done.output
    found = [cells(line) for line in done.stdout.splitlines()]
    for line in printed(page, language, place):
        assert cells(line) in found, f"{line}\n{done.stdout}"


@pytest.mark.slow
def test_instructions_change_scores_as_the_page_says(minilm, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    page = (ROOT / "docs" / "instructions.md").read_text("utf-8")
    lines = re.findall(r"(?m)^    (\w+: .*)", page)
    prompts = yaml.safe_load("\n".join(lines))
    (row,) = re.findall(r"(?m)^\| all-MiniLM-L6-v2 \|(.*)\|$", page)
    printed_cells = [cell.strip() for cell in row.split("|")]
    model = SentenceTransformer(minilm)
    keys = ("auc_nc_vs_c", "auc_nc_vs_c_ci_low", "auc_nc_vs_c_ci_high")
    measured_cells = []
    for prompt in prompts.values():
        encode = partial(model.encode, prompt=prompt)
        entry = measure(encode, "EpsilonCompositionalityMini").entry
        score, low, high = (formatted(entry[key]) for key in keys)
        measured_cells.append(f"{score} [{low}, {high}]")
    assert measured_cells == printed_cells
    assert f"| model | {' | '.join(prompts)} |" in page
