"""The picture of the first page shows what the files in leaderboard/ give, light and dark."""

import html
import re
import sys
from itertools import chain
from pathlib import Path

import pytest

from harness_ext.measures.core.baseline_keys import NOISE, has_first_noise

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))  # as for `python docs/first_picture.py`
try:
    import first_picture
finally:
    sys.path.pop(0)

NAMES = {model: name for name, model in first_picture.MODELS.items()}


def labels(picture):
    """What a picture tells to a reader who hears it, mark by mark."""
    found = re.findall(r'aria-label="(value: [^"]*mark: [^"]*)"', picture)
    texts = map(html.unescape, found)
    return sorted(text.replace("-", "−") for text in texts)


def label(mark):
    text = f"value: {mark['value']}; encoder: {mark['encoder']}; mark: {mark['mark']}"
    return text.replace("-", "−")


@pytest.fixture(scope="module")
def panels():
    return first_picture.panels()


@pytest.mark.parametrize("name", first_picture.THEMES)
def test_the_pictures_are_those_of_the_results(panels, name):
    file = ROOT / "docs" / f"{name}.svg"
    marks = chain.from_iterable(panels.values())
    drawn = labels(file.read_text(encoding="utf-8"))
    assert drawn == sorted(map(label, marks)), "docs/scores.svg: run `make docs`"


def test_what_was_not_measured_has_no_mark(panels):
    n_noise = 0
    for panel, marks in panels.items():
        drawn = {(mark["encoder"], mark["mark"]) for mark in marks}
        scores = {encoder for encoder, name in drawn if name == first_picture.SCORE}
        entries = first_picture.load_results(ROOT / "leaderboard", panel.task).entries
        measured = [entry for entry in entries if entry.data == panel.data]
        assert scores == {NAMES[entry.model] for entry in measured if entry.model in NAMES}
        for entry in measured:
            main = entry.measure.main
            has_noise = NOISE.score_key(main) in entry.scores
            is_drawn = (NAMES[entry.model], first_picture.NOISE_NAME) in drawn
            assert is_drawn == (has_noise and not has_first_noise(entry.scores, main))
            n_noise += is_drawn
        declared = entries[0].measure.main_declaration.chance
        printed = str(declared).replace("0.", ".").removesuffix(".0")
        assert panel.chance == f"chance {printed}"
    assert n_noise


def test_the_first_page_shows_both():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in first_picture.THEMES:
        assert f'"docs/{name}.svg"' in readme
