"""Scores of control encoders: on the same data, by the same measure, and what `show` makes
of them.
"""

import csv
import math
import shutil
from dataclasses import replace

import mteb
import pytest

from harness_ext.common.names import REFERENCE_MODELS, control_label
from harness_ext.results import reference_scores
from harness_ext.results.effects import Outcome
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import (
    FILE,
    best_reference,
    lead,
    score_of,
)
from harness_ext.show.interpretation import notes
from harness_ext.statistics.paired_difference import Sample
from harness_ext.tasks import ENCODER_TASKS
from tests.command_line import harness_ext
from tests.planted import PlantedModel, entries_of, random_vector

TASK = "NounCompoundAffinityMini"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The entry of letters on the small Affinity."""
    folder = tmp_path_factory.mktemp("results")
    model = mteb.get_model("compositionality/letters")
    entries_of(model, TASK, folder, baselines=False)
    return load_results(folder).entries[0]


@pytest.fixture
def other(measured):
    """As if another model had the results of letters, with another main score and its interval."""

    def change(value, low, high, **more):
        main = measured.measure.main
        scores = {
            **measured.scores,
            main: value,
            f"{main}_ci_low": low,
            f"{main}_ci_high": high,
            **more,
        }
        return replace(measured, model="a/model", main_score=value, scores=scores)

    return change


def test_shipped_scores_are_what_the_encoder_gets(measured):
    of_all = reference_scores.reference_scores(measured)
    (shipped,) = (score for score in of_all if score.model == measured.model)
    mine = score_of(measured)
    assert shipped[:6] == mine[:6]
    assert shipped[6:] == pytest.approx(mine[6:], abs=2e-3)


def test_shipped_scores_are_of_the_measures_of_today():
    versions = {f"{task.measure.name}-{task.measure.version}" for task in ENCODER_TASKS.values()}
    models = set()
    with FILE.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            version, _, _ = row["measure"].partition("+")  # without what found the words
            assert version in versions
            models.add(row["model"])
    assert models == {*REFERENCE_MODELS}


def test_the_best_is_a_control_encoder(measured):
    best = best_reference(measured)
    assert best.model in REFERENCE_MODELS
    assert best.value >= measured.main_score - 1e-6


def with_main_score(entry, score):
    scores = {**entry.scores, entry.measure.main: score}
    return replace(entry, main_score=score, scores=scores)


def with_signature(entry, **changed):
    signature = replace(entry.signature, **changed)
    return replace(entry, signature=signature)


def test_a_result_never_replaces_a_shipped_score(measured, monkeypatch):
    best = reference_scores.score_of(measured)

    def shipped():
        return {best[:5]: [best]}

    monkeypatch.setattr(reference_scores, "_shipped", shipped)
    better = with_main_score(measured, 0.9)
    # anyone may have made it: what is shipped stays
    assert best_reference(measured, [better]) == best
    on_own_data = with_signature(measured, dataset="own@1")
    better_on_own_data = with_signature(better, dataset="own@1")
    found = best_reference(on_own_data, [better_on_own_data])
    assert found.value == 0.9  # a gap is filled


@pytest.mark.parametrize(
    "changed",
    [
        {"dataset": "compound_mini@1"},
        {"measure": "affinity-1"},
    ],
)
def test_other_data_and_other_definitions_have_none(measured, changed):
    other = with_signature(measured, **changed)
    assert reference_scores.reference_scores(other) == ()
    assert best_reference(other) is None
    assert lead(other) is None


def test_a_lead_is_by_intervals_where_there_are_no_items_of_the_best(other):
    """The best is at .5 or more, with half an interval of about .2: .95 ± .05 is beyond it, .6 ± .2
    is not.
    """
    far = other(0.95, 0.9, 1.0)
    near = other(0.6, 0.4, 0.8)
    behind = other(0.1, 0.05, 0.15)
    name = best_reference(near).name

    def outcome_of(entry):
        _, outcome = lead(entry)
        return outcome

    assert outcome_of(far) is Outcome.ABOVE
    assert outcome_of(near) is Outcome.INCONCLUSIVE
    assert outcome_of(behind) is Outcome.BELOW
    first_note = notes([near])[0]
    assert first_note.startswith("Not significantly above the best control encoder: ")
    assert f"({name} ." in first_note
    first_note = notes([behind])[0]
    assert first_note.startswith("Below the best control encoder: ")
    assert not any(name in note for note in notes([far]))


def test_a_lead_is_paired_where_the_items_are_there(measured, other, monkeypatch):
    """The same items: no compound differs. Each entry is resampled once."""
    monkeypatch.setattr(reference_scores, "_shipped", dict)
    drawn = []
    make = Sample.of

    def make_and_count(statistic):
        drawn.append(statistic)
        return make(statistic)

    monkeypatch.setattr(Sample, "of", make_and_count)
    same = other(measured.main_score, *measured.interval())
    first = with_main_score(measured, 1.0)
    _, outcome = lead(same, [first])
    assert outcome is Outcome.INCONCLUSIVE
    first_note = notes([same], [first])[0]
    assert first_note.endswith("(letters 1.000).")
    assert len(drawn) == 2


def test_show_has_them_with_an_option(measured, tmp_path):
    folder = shutil.copytree(measured.file.parents[3], tmp_path / "measured")
    model = PlantedModel(random_vector(), "a/model")
    entries_of(model, TASK, folder, baselines=False)
    assert "never ranked" not in harness_ext("show", folder).stdout
    shown = harness_ext("show", folder, "--controls").stdout
    above, below = shown.split("control encoders: main scores, never ranked")
    assert "a/model" in above
    header, row = (line for line in below.splitlines() if "random-words" in line or TASK in line)
    named = " ".join(map(control_label, REFERENCE_MODELS))
    assert header.split() == ["task", "data", *named.split()]
    assert named.endswith(" random vectors")
    _, _, *figures = row.split()
    assert all(math.isfinite(float(figure)) for figure in figures)
