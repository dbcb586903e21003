"""Submissions with random damage: refused, with the file named, or the score is that of the sound
items.

A file is a sound one with some bytes cut, put in or exchanged, or words and numbers exchanged for
others.
"""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.leaderboard.checks.verify import verify
from tests.results.measured import QUICK

TOKEN = re.compile(rb'"[^"]*"|-?[\d.]+(?:[eE]-?\d+)?|[A-Za-z_]+')
WORDS = (
    b"null",
    b"true",
    b"nan",
    b"NaN",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"[]",
    b"{}",
    b'""',
    b'"\\ud800"',
    b"..",
)


@pytest.fixture(scope="module")
def sound(measured_folder):
    """What a run of one small task writes: name -> content."""
    files = sorted(measured_folder.glob("results/planted__one/*/*.*"))
    files = [path for path in files if path.name.startswith((QUICK[0], "model_meta"))]
    return {str(path.relative_to(measured_folder)): path.read_bytes() for path in files}


@st.composite
def damaged(draw, data):
    """A file with some edits."""
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(data)))
        tokens = [token.span() for token in TOKEN.finditer(data)]
        spans = [
            (first, len(data)),
            (first, min(first + draw(st.integers(0, 12)), len(data))),
            *tokens,
        ]
        start, end = draw(st.sampled_from(spans))
        data = data[:start] + draw(st.sampled_from(WORDS) | st.binary(max_size=8)) + data[end:]
    return data


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_what_is_not_refused_has_the_score_that_its_items_give(sound, tmp_path, data):
    file = data.draw(st.sampled_from([*sound]))
    for name, content in sound.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.draw(damaged(content)) if name == file else content)
    found = verify(tmp_path)
    (result,) = (content for name, content in sound.items() if name.endswith(f"{QUICK[0]}.json"))
    score = json.loads(result)["scores"]["naturalistic"][0]["main_score"]
    if not found.is_refused:
        assert all(abs(cell.entry.main_score - score) <= 1e-5 for cell in found.cells)
    assert all(str(tmp_path) in str(finding.file) and finding.message for finding in found.findings)
