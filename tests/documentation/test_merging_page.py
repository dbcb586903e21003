"""The page on merging prints what its lines print."""

import re
from pathlib import Path

import pytest

from tests.command_line import harness_ext
from tests.documentation.test_printed_commands import BLOCK

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_first_lines_of_the_page_run_and_print_what_it_shows(minilm, monkeypatch, capsys):
    blocks = BLOCK.findall((DOCS / "merging.md").read_text("utf-8"))
    code, printed = [code for language, code in blocks if language in {"python", "text"}]
    running = [code for language, code in blocks if language == "py"]
    assert len(code.strip().splitlines()) <= 10
    monkeypatch.syspath_prepend(DOCS)
    exec(code, {})
    assert capsys.readouterr().out == printed
    served = (DOCS / "checks.py").read_text("utf-8")
    _, head, rest = served.partition("def served")
    body = re.sub(r'\n    """[^"]*"""', "", head + rest)
    assert running == [body]


def test_a_log_of_hits_is_sorted_as_the_page_shows(tmp_path):
    blocks = BLOCK.findall((DOCS / "merging.md").read_text("utf-8"))
    (command,) = [code for language, code in blocks if language == "sh"]
    (printed,) = [code for language, code in blocks if language == "console"]
    arguments = command.replace("docs/", f"{DOCS}/").replace("sample.csv", f"{tmp_path}/sample.csv")
    done = harness_ext(*arguments.split()[1:], columns="400")
    assert done.exit_code == 0, done.output
    found = [line.rstrip() for line in done.stdout.splitlines()]
    for line in printed.splitlines():
        assert line in {*found, "[…]"}, done.stdout
    sample = (tmp_path / "sample.csv").read_text("utf-8")
    assert sample.count("\n") == 6
