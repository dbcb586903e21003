"""The page on merging prints what its lines print."""

import re
from pathlib import Path

import pytest

from tests.documentation.test_printed_commands import BLOCK

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_first_lines_of_the_page_run_and_print_what_it_shows(minilm, monkeypatch, capsys):
    blocks = BLOCK.findall((DOCS / "merging.md").read_text("utf-8"))
    (code, printed), running = (
        [code for of, code in blocks if of in kinds] for kinds in ({"python", "text"}, {"py"})
    )
    assert len(code.strip().splitlines()) <= 10
    monkeypatch.syspath_prepend(DOCS)
    exec(code, {})
    assert capsys.readouterr().out == printed
    served = (DOCS / "checks.py").read_text("utf-8")
    body = re.sub(r'\n    """[^"]*"""', "", served[served.index("def served") :])
    assert running == [body]
