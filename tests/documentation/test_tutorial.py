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


def printed(page, language):
    """The lines of the first block of a language, without commands and what is left out."""
    block = next(
        code for of, code in BLOCK.findall(page.read_text(encoding="utf-8")) if of == language
    )
    return [
        line for line in block.splitlines() if line.strip() and not line.startswith(("$", "[…]"))
    ]


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def test_a_comparison_is_that_of_the_page():
    page = (ROOT / "docs" / "compare.md").read_text("utf-8")
    (block,) = (code for _, code in BLOCK.findall(page) if code.startswith("$ harness-ext"))
    command, *lines = block.splitlines()
    done = harness_ext(*command.split()[2:], columns="270")
    assert [line.rstrip() for line in done.stdout.splitlines()][2:] == lines[2:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "language", "pairs"),
    [
        (ROOT / "README.md", "text", ()),
        (TUTORIAL, "console", ("--pairs", ROOT / "docs/own_data/faq_pairs.csv")),
    ],
)
def test_safe_to_merge_says_what_the_page_prints(minilm, page, language, pairs):
    done = harness_ext("safe-to-merge", "-m", minilm, *pairs, "--at-most", ".2", columns="400")
    # twelve pairs can show no model to be safe
    assert done.exit_code == (2 if pairs else 1), done.output
    found = [cells(line) for line in done.stdout.splitlines()]
    for line in printed(page, language):
        assert cells(line) in found, f"{line}\n{done.stdout}"


@pytest.mark.slow
def test_instructions_change_scores_as_the_page_says(minilm, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    page = (ROOT / "docs" / "instructions.md").read_text("utf-8")
    prompts = yaml.safe_load(
        "\n".join(line.strip() for line in re.findall(r"^    \w+: .*", page, re.M))
    )
    (row,) = (line for line in page.splitlines() if line.startswith("| all-MiniLM-L6-v2 |"))
    model, shown = SentenceTransformer(minilm), {}
    for name, prompt in prompts.items():
        encode = partial(model.encode, prompt=prompt)
        entry = measure(encode, "EpsilonCompositionalityMini").entry
        keys = ("auc_nc_vs_c", "auc_nc_vs_c_ci_low", "auc_nc_vs_c_ci_high")
        score, low, high = (formatted(entry[key]) for key in keys)
        shown[name] = f"{score} [{low}, {high}]"
    assert [*shown.values()] == [cell.strip() for cell in row.split("|")[2:-1]]
    assert f"| model | {' | '.join(shown)} |" in page
