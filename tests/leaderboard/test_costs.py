"""What a model costs, from made-up metadata and phases."""

import json

import pytest

from harness_ext.leaderboard.costs import Costs

PHASES = [
    {"name": "Data loading", "start": 0, "end": 9, "split": "", "subset": ""},
    {"name": "Encoding", "start": 10.0, "end": 12.5, "split": "all", "subset": "default"},
    {"name": "Encoding", "start": 13.0, "end": 13.5, "split": "all", "subset": "default"},
    {"name": "Encoding words", "start": 14.0, "end": 19.0, "split": "all", "subset": "default"},
    {"name": "Encoding", "start": 0.0, "end": 50.0, "split": "mine", "subset": "default"},
]


@pytest.fixture
def result(tmp_path):
    """A result of captions, of 13 188 texts, with these phases."""
    file = tmp_path / "CaptionSwap.json"
    file.write_text(json.dumps({"evaluation_phases": PHASES}))
    return file


def write_meta(result, **known):
    result.with_name("model_meta.json").write_text(json.dumps(known))


def test_costs_by_hand(result):
    """2.5 and .5 seconds for 13 188 texts; neither words nor a split without statistics count."""
    write_meta(result, embed_dim=1024, n_parameters=559_890_432)
    costs = Costs.of([result])
    assert (costs.dimensions, costs.parameters) == (1024, 559_890_432)
    assert costs.seconds == pytest.approx(3000 / 13_188)
    assert costs.texts() == ("1,024", "560 M", ".23")


def test_many_seconds_are_a_whole_number():
    assert [Costs(None, None, seconds).texts()[-1] for seconds in (3.14159, 130.4, 2500.0)] == [
        "3.1",
        "130",
        "2500",
    ]


def test_a_run_that_shares_its_vectors_with_a_longer_one_makes_no_model_fast(result):
    write_meta(result)
    shared = result.with_name("RoleSwapSimilarity.json")
    phases = [{"name": "Encoding", "start": 0.0, "end": 0.01, "split": "test", "subset": "default"}]
    shared.write_text(json.dumps({"evaluation_phases": phases}))
    assert Costs.of([shared]).seconds is not None
    assert Costs.of([result, shared]).seconds == Costs.of([result]).seconds


@pytest.mark.parametrize(
    "phases", [None, [], "soon", [{"name": "Encoding", "start": "0", "end": 1}], PHASES[:1]]
)
def test_what_is_not_known_or_damaged_costs_nothing(result, phases):
    write_meta(result, embed_dim=[64, 128], n_parameters=None)
    result.write_text(json.dumps({"evaluation_phases": phases}))
    assert Costs.of([result]) == (None, None, None)
    assert Costs.of([result]).texts() == ("", "", "")
