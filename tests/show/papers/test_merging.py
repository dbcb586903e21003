"""Safe to merge: conclusion, kinds, worst pairs, and what to do, on planted encoders; and the
command.
"""

import json
import re
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

from harness_ext.measures.merging.decision import MergeDecision, paired_differences
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
from harness_ext.show.papers.merging import (
    advice,
    alike,
    conclusion,
    differences,
    merged,
    worst,
)
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.command_line import harness_ext
from tests.planted import drawn, vectors_of


@pytest.fixture(scope="module")
def mini():
    """156 paraphrases, 12 for each of 13 cosines, and 15 opposites of each of five kinds."""
    kinds = {"same", "negation", "antonym", "number", "order", "roles"}
    task = ENCODER_TASKS["MergeOppositesMini"]
    rows = load_rows(task, "test", "default")
    of_kinds = [row for row in rows if row["kind"] in kinds]
    return of_kinds[: 156 + 75]


NEAR_KINDS = {"negation": 0.855, "order": 0.855, "roles": 0.855}
"""Kinds of opposites -> their cosine: three of five kinds, 45 of 75 opposites."""


def unit(vector):
    return vector / np.linalg.norm(vector)


def near_paraphrases(rows, cosines):
    """Paraphrases are at a cosine near .9, opposites of a kind at the cosine that is said, others
    unrelated.
    """
    steps = cycle(0.8 + 0.015 * step for step in range(13))
    parts = {}
    for row in rows:
        is_same = row["kind"] == "same"
        cosine = next(steps) if is_same else cosines.get(row["kind"], 0.0)
        parts[row["second"]] = (row["first"], cosine)

    def vector(text):
        first, cosine = parts.get(text, (text, 1.0))
        along = unit(drawn(first, 1, 400))
        own = drawn(text, 2, 400)
        across = unit(own - own @ along * along)
        sine = np.sqrt(1 - cosine**2)
        return cosine * along + sine * across

    return vectors_of(vector)


def decided(rows, cosines, at_most=0.2):
    """The plan of the rows, and the decision about a planted encoder."""
    plan = MERGE_OPPOSITES.planned(rows, "")
    items = MERGE_OPPOSITES.fill(plan, near_paraphrases(rows, cosines))
    return plan, MergeDecision(items, at_most)


def test_an_encoder_that_keeps_opposites_apart_is_safe(mini):
    plan, decision = decided(mini, {})
    assert decision.is_safe
    said = conclusion("planted/model", decision)
    assert "merges 0 % of opposites" in said
    assert ": safe for caches, deduplication or agents' memories" in said
    assert advice(decision).startswith("Merge at cos ≥ .8")
    assert decision.threshold == approx(0.815)
    assert alike(plan, decision.items) == ""


def test_a_higher_threshold_is_named_where_there_is_one(mini):
    plan, decision = decided(mini, NEAR_KINDS)
    assert not decision.is_safe
    assert decision.merged == approx(45 / 75)
    threshold, merged_opposites, kept_paraphrases = decision.higher
    assert threshold == approx(0.86)
    assert merged_opposites == 0
    assert kept_paraphrases == approx(9 / 13)
    said = "at cos ≥ .860 it merges 0 % of opposites and still keeps 69 % of paraphrases"
    assert said in advice(decision)
    listed = merged({"planted/model": decision})
    assert listed.header == ("", "model")
    kinds = {kind for kind, share in listed.rows if share.startswith("1.000")}
    assert kinds == NEAR_KINDS.keys()
    rows = worst(plan, decision).rows
    assert len(rows) == 10
    pairs = {(row["first"], row["second"]) for row in mini}
    for cosine, kind, *texts in rows:
        assert cosine == ".855"
        assert kind in NEAR_KINDS
        assert tuple(texts) in pairs


@pytest.mark.slow
def test_no_threshold_is_named_where_there_is_none(mini):
    """Opposites of three kinds are as near as most paraphrases, or have the same vector."""
    _, near = decided(mini, dict.fromkeys(NEAR_KINDS, 0.965))
    plan, same = decided(mini, dict.fromkeys(NEAR_KINDS, 1.0))
    said = alike(plan, same.items)
    assert said.startswith("45 pairs of different texts have the same vector, such as")
    for decision in (near, same):
        assert "There is no threshold that merges at most 20 % of opposites" in advice(decision)
    assert "8 % of paraphrases are left" in advice(near)
    assert "are left" not in advice(same)


def test_a_deployed_threshold_is_judged(mini):
    """Paraphrases are at .800, .815, … .980, twelve of each; three kinds of opposites at .855, the
    others at 0.
    """
    _, decision = decided(mini, NEAR_KINDS)
    low = replace(decision, deployed=0.85)
    high = replace(decision, deployed=0.86)
    assert low.shares["same"].merged == approx(9 / 13)
    assert high.shares["same"].merged == approx(9 / 13)  # a tie is merged
    assert low.merged == approx(45 / 75)
    assert high.merged == 0
    assert not low.is_safe
    assert high.is_safe
    said = conclusion("planted/model", low)
    kept = "keeps together 69 % of paraphrases (95 % interval 61 % to 76 %)"
    assert said.startswith(f"planted/model at cos ≥ .850 {kept}, ")
    assert "and merges 60 % of opposites (95 % interval 48 % to 71 %): not safe for" in said
    roles = low.shares["roles"]
    assert roles.units == 15
    assert roles.low == approx(0.747, abs=1e-3)  # Wilson's, of 15 of 15
    curve = list(low.curve())
    deployed = [row["threshold"] for row in curve if row["deployed"]]
    assert deployed == [0.85]
    false_merges = {row["threshold"]: row["false_merges"] for row in curve}
    assert false_merges[0.86] == 0
    last = curve[-1]
    assert list(last.values()) == [1.0, 0, 0, False]


def test_the_worst_pairs_have_the_unit_of_the_decision(mini):
    plan, decision = decided(mini, NEAR_KINDS)
    first, *_ = worst(plan, replace(decision, unit=100.0)).data
    assert first[decision.of] == approx(85.5)


def test_several_models_are_listed_and_their_differences_paired(mini):
    _, good = decided(mini, {})
    _, bad = decided(mini, {"negation": 0.99, "order": 0.99}, at_most=0.1)
    both = {"planted/bad": bad, "planted/model": good}
    listed = merged(both)
    assert listed.header == ("", "bad", "model")
    assert ("at most 10 %", "not safe", "safe") in listed.rows
    first_records = listed.data[::7]
    models = [record["model"] for record in first_records]
    assert models == ["planted/bad", "planted/model"]
    (difference,) = differences(paired_differences(both)).data
    assert difference["first"] == "planted/model"
    assert difference["second"] == "planted/bad"
    expected = -30 / 75
    assert difference["value"] == approx(expected)
    assert difference["low"] < expected < difference["high"] < 0
    assert difference["p_value"] < 0.001
    assert difference["adjusted_p_value"] == difference["p_value"]
    at_one_threshold = {
        "bad": replace(bad, at_most=0.1, deployed=0.9),
        "good": replace(good, at_most=0.1, deployed=0.9),
    }
    opposites, same = paired_differences(at_one_threshold)
    assert opposites["value"] == approx(expected)
    assert same["value"] == 0
    assert opposites["test"] == "sign flips"


def test_p_of_differences_and_the_corrected_p_stand_in_the_columns_of_their_names():
    record = {
        "first": "a",
        "second": "b",
        "pairs": "same",
        "value": -0.1,
        "low": -0.2,
        "high": 0.0,
        "p_value": 0.01,
        "adjusted_p_value": 0.04,
    }
    table = differences([record])
    (row,) = table.rows
    cells = dict(zip(table.header, row, strict=True))
    assert cells["p"] == ".010"
    assert cells["p (Holm)"] == ".040"


def pairs_of_one_s_own(n):
    """A table of n paraphrases, and of as many opposites."""
    lines = ["first,second,kind"]
    for number in range(n):
        lines.append(f"the box {number} is big,big is the box {number},same")
    for number in range(n):
        lines.append(f"the cat {number} is old,the cat {number} is new,antonym")
    return "\n".join([*lines, ""])


def in_one_line(text):
    return " ".join(text.split())


def records_of_pairs(kind, output):
    """Model -> its record of pairs of a kind."""
    of_kind = [record for record in json.loads(output) if record.get("pairs") == kind]
    record_of_model = {record["model"]: record for record in of_kind}
    assert len(record_of_model) == len(of_kind)
    return record_of_model


def test_a_model_is_safe_by_the_upper_end_of_its_interval(mini):
    """11 of 75 opposites are 14.7 %, and may be 25 %."""
    n_hedges = 0
    rows = []
    for row in mini:
        if row["kind"] == "negation" and n_hedges < 11:
            row = {**row, "kind": "hedges"}
            n_hedges += 1
        rows.append(row)
    _, decision = decided(rows, {"hedges": 0.99})
    share = decision.shares["opposites"]
    assert share.merged == approx(11 / 75)
    assert share.merged < 0.2 < share.high
    assert not decision.is_safe
    assert replace(decision, at_most=share.high).is_safe


@pytest.mark.slow
def test_all_models_must_be_safe_unless_any_will_do():
    """At the cosine .97 random words merge 6 % of opposites (3 % to 11 %), letters 43 %."""
    command = [
        "safe-to-merge",
        "-m",
        "compositionality/random-words",
        "-m",
        "compositionality/letters",
    ]
    at_threshold = [*command, "--threshold", ".97", "--format", "json"]
    done = harness_ext(*at_threshold)
    assert done.exit_code == 1
    records = json.loads(done.stdout)
    answers = [record["safe"] for record in records if "safe" in record]
    assert sorted(answers[:2]) == [False, True]  # then the baseline
    done = harness_ext(*at_threshold, "--require", "any")
    assert done.exit_code == 0
    # either merges too many at its own threshold
    done = harness_ext(*command, "--require", "any")
    assert done.exit_code == 1


def test_the_command(tmp_path):
    model = "compositionality/random-words"
    command = ("safe-to-merge", "-m", model)
    done = harness_ext(*command, columns="100")
    assert done.exit_code == 1
    text = in_one_line(done.stdout)
    said = (
        r"compositionality/random-words at cos ≥ \.\d{3} keeps together 91 % of "
        r"paraphrases \(95 % interval 86 % to 94 %\) and about 90 % of new ones, and merges"
    )
    assert re.match(said, text)
    assert "direction 1.000 " in text
    assert "direction: from … to … the other way round" in text
    assert "The 10 worst pairs" in text
    done = harness_ext(*command, "--format", "json")
    of_same = records_of_pairs("same", done.stdout)
    paraphrases = of_same[model]
    assert round(paraphrases["low"], 2) == 0.86
    assert round(paraphrases["high"], 2) == 0.94
    done = harness_ext(*command, "--threshold", "1", "--format", "json")
    assert done.exit_code == 0
    of_opposites = records_of_pairs("opposites", done.stdout)
    assert of_opposites.keys() == {model, "harness_ext.deciding:jaccard"}
    opposites = of_opposites[model]
    assert opposites["threshold"] == 1
    is_below = opposites["low"] <= opposites["merged"] <= 0.2
    assert opposites["safe"] is is_below
    twelve = Path(__file__).parents[3] / "docs" / "own_data" / "faq_pairs.csv"
    done = harness_ext(*command, "--pairs", twelve)
    said = "and on average 12 of 13 new ones, and merges"
    assert said in in_one_line(done.stdout)
    few = tmp_path / "few.csv"
    few.write_text(pairs_of_one_s_own(16))
    done = harness_ext(*command, "--threshold", "1", "--pairs", few)
    assert done.exit_code == 2
    said = "merges 0 % of opposites (95 % interval 0 % to 24 %): not safe"
    assert said in in_one_line(done.stdout)
    assert "Opposites of 16 sources are too few" in done.stderr
    assert "With --at-most 0.2, at least 21 are needed" in in_one_line(done.stderr)
    few.write_text(pairs_of_one_s_own(21))
    done = harness_ext(*command, "--threshold", "1", "--pairs", few)
    assert done.exit_code == 0
    refused = harness_ext("safe-to-merge", "-m", "nobody/no-such-model")
    assert refused.exit_code == 2
    assert "nobody/no-such-model cannot be loaded" in in_one_line(refused.stderr)
