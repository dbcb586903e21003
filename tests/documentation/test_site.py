"""The site builds without a warning, and the outputs that the questions show are those of today."""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.command_line import harness_ext
from tests.processes import ended

ROOT = Path(__file__).parents[2]
QUESTIONS = (ROOT / "docs" / "faq.md").read_text("utf-8")
BLOCKS = re.findall(r"((?:^    \$ .*\n)+)((?:^    (?!\$).*\n)+)", QUESTIONS, re.MULTILINE)
ELSEWHERE = {
    "http://": "tests/encoders/models/test_endpoint.py serves a model",
    "cross-encoder": (
        "no model of entailment is here: tests/encoders/test_checks.py runs one of random weights"
    ),
    "compare lm": (
        "takes a minute: tests/tasks/lm_eval/test_documentation.py compares the like of them"
    ),
    "int8": "ONNX Runtime is not here: docs/int8.py needs an environment of its own",
    "sweep": "takes a minute: tests/test_sweep.py runs it",
}
"""Commands of the questions that are not run here -> why."""


@pytest.mark.slow
def test_the_site_builds_strictly_without_a_network(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: the extra `site` has it")
    environment = {
        **os.environ,
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
    }
    command = [sys.executable, "docs/build_site.py", str(tmp_path), "docs/example_results"]
    done = ended(command, ROOT, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    first = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "docs/tutorial.html" in first
    for page in (
        "board/index.html",
        "report/index.html",
        "docs/faq.html",
        "search/search_index.json",
    ):
        assert (tmp_path / "site" / page).is_file(), page
    loaded = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(https?://[^\"]+)\"", first)
    assert not loaded  # fonts and scripts are files of the site


NAMES_OF_BLOCKS = [commands.split()[2] for commands, _ in BLOCKS]


@pytest.mark.slow
@pytest.mark.parametrize(("commands", "shown"), BLOCKS, ids=NAMES_OF_BLOCKS)
def test_the_questions_show_what_the_commands_print(commands, shown, minilm, monkeypatch, tmp_path):
    for command, reason in ELSEWHERE.items():
        if command in commands:
            pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leaderboard").symlink_to(ROOT / "leaderboard")
    (tmp_path / "checks.py").symlink_to(ROOT / "docs" / "checks.py")
    for command in commands.splitlines():
        program, *words = shlex.split(command)[1:]
        if program == "cat":
            output = Path(*words).read_text("utf-8")
        else:
            done = harness_ext(*words, columns="270")
            # unsafe, as the page says
            assert done.exit_code == ("safe-to-merge" in words), done.output
            output = done.stdout
    printed = [plain(line) for line in output.splitlines()]
    for line in shown.splitlines():
        assert plain(line) in printed, output


def plain(line):
    """A line without the blanks of a column, and without the comma of a list."""
    return " ".join(line.split()).rstrip(",")


def test_the_questions_are_short():
    lines = list(filter(str.strip, QUESTIONS.splitlines()))
    assert len(lines) <= 100
    titles = [line for line in lines if line.startswith("## ")]
    assert len(BLOCKS) == len(titles) == 17
