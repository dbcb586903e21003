"""docs/validity.md, from results of real runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import mteb
import pytest

from harness_ext.documentation.validity_page import page, table
from harness_ext.results.load import load_results
from harness_ext.tasks import ENCODER_TASKS

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry


@pytest.fixture(scope="module")
def entry(tmp_path_factory) -> Entry:
    folder = tmp_path_factory.mktemp("results")
    model, task = mteb.get_model("compositionality/random-words"), mteb.get_task("NounCompoundAffinityMini")
    mteb.evaluate(model, task, cache=mteb.ResultCache(folder), show_progress_bar=False)
    return load_results(folder).entries[0]


def test_main_controlled_and_gain_have_a_row_each(entry):
    main, controlled, gain = table([entry]).rows
    assert main[2:5] == ("compositionality/random-words", entry.measure.main, f"{entry.main_score:.3f}".lstrip("0"))
    assert controlled[3] == entry.measure.controlled
    # Bonett and Price's interval of 20 compounds that agree: 1.96 * sqrt(2) / 22 on either side
    assert gain[4:] == (".000", "-.126", ".126")


def test_a_control_that_nothing_wins_is_named(entry):
    key = entry.measure.controlled
    scores = {**entry.scores, key: 0.7, f"{key}_ci_low": 0.6, f"{key}_ci_high": 0.8}
    named = f"- Above chance in `{key}`: **random-words** ({entry.task}, naturalistic)."
    assert named in page([replace(entry, scores=scores)])
    assert named not in page([entry])
    assert "**one**" not in page([replace(entry, scores=scores, model="planted/one")])


def test_every_task_says_which_score_to_read_and_luck_is_counted(entry):
    others = [replace(entry, task=name) for name in ENCODER_TASKS]
    assert all(f"## {name}" in page([one]) for name, one in zip(ENCODER_TASKS, others, strict=True))
    assert "Of 2 intervals" in page([entry])
