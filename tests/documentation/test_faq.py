"""What the commands of docs/faq.md print is what stands below them."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import harness_ext

ROOT = Path(__file__).parents[2]

ANSWER = re.compile(r"^    \$ harness-ext (.*)\n((?:    [^$\n].*\n)+)", re.MULTILINE)
"""A command, and some of the lines that it prints."""

NOT_HERE = re.compile(r"cross-encoder:\./nli|localhost|\bresults\b|\blm\b|\bprompted\b|--curve")
"""A model of random weights, a server, and what commands above have made."""


def answers():
    """Arguments -> the lines below."""
    page = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    lines_of_command = {}
    for command, block in ANSWER.findall(page):
        if not NOT_HERE.search(command):
            lines_of_command[command] = [words_of(line) for line in block.splitlines()]
    return lines_of_command


def words_of(line):
    return " ".join(line.split())


@pytest.mark.slow
@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("command", answers())
def test_an_answer_is_what_its_command_prints(monkeypatch, command):
    reads_board = " leaderboard" in command
    monkeypatch.chdir(ROOT if reads_board else ROOT / "docs")  # which has checks.py
    words = shlex.split(command)
    done = harness_ext(*words, columns="400")
    printed = {words_of(line) for line in done.stdout.splitlines()}
    missing = [line for line in answers()[command] if line not in printed]
    assert not missing, done.stdout


def test_most_answers_are_run():
    assert len(answers()) == 11
