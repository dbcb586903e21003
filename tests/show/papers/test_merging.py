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
    rows = [
        row
        for row in load_rows(ENCODER_TASKS["MergeOppositesMini"], "test", "default")
        if row["kind"] in kinds
    ]
    return rows[: 156 + 75]


def near_paraphrases(rows, cosines):
    """Paraphrases are at a cosine near .9, opposites of a kind at the cosine that is said, others
    unrelated.
    """
    steps = cycle(0.8 + 0.015 * step for step in range(13))
    parts = {
        row["second"]: (
            row["first"],
            next(steps) if row["kind"] == "same" else cosines.get(row["kind"], 0.0),
        )
        for row in rows
    }

    def vector(text):
        first, cosine = parts.get(text, (text, 1.0))
        one, other = drawn(first, 1, 400), drawn(text, 2, 400)
        one /= np.linalg.norm(one)
        other -= other @ one * one
        return cosine * one + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)

    return vectors_of(vector)


def decided(rows, cosines, at_most=0.2):
    """The plan of the rows, and the decision about a planted encoder."""
    plan = MERGE_OPPOSITES.planned(rows, "")
    return plan, MergeDecision(MERGE_OPPOSITES.fill(plan, near_paraphrases(rows, cosines)), at_most)


def test_an_encoder_that_keeps_opposites_apart_is_safe(mini):
    plan, decision = decided(mini, {})
    assert decision.is_safe
    assert "merges 0 % of opposites" in conclusion("planted/model", decision)
    assert ": safe for caches, deduplication or agents' memories" in conclusion(
        "planted/model", decision
    )
    assert advice(decision).startswith("Merge at cos ≥ .8")
    assert decision.threshold == pytest.approx(0.815)
    assert alike(plan, decision.items) == ""


def test_a_higher_threshold_is_named_where_there_is_one(mini):
    plan, decision = decided(mini, dict.fromkeys(("negation", "order", "roles"), 0.855))
    assert not decision.is_safe
    assert decision.merged == pytest.approx(45 / 75)
    assert decision.higher == (pytest.approx(0.86), 0, pytest.approx(9 / 13))
    assert "at cos ≥ .860 it merges 0 % of opposites and still keeps 69 % of paraphrases" in advice(
        decision
    )
    listed = merged({"planted/model": decision})
    assert listed.header == ("", "model")
    assert {row[0] for row in listed.rows if row[1].startswith("1.000")} == {
        "negation",
        "order",
        "roles",
    }
    rows = worst(plan, decision).rows
    assert len(rows) == 10
    assert {row[:2] for row in rows} <= {(".855", kind) for kind in ("negation", "order", "roles")}
    assert {tuple(row[2:]) for row in rows} <= {(row["first"], row["second"]) for row in mini}


@pytest.mark.slow
def test_no_threshold_is_named_where_there_is_none(mini):
    """Opposites of three kinds are as near as most paraphrases, or have the same vector."""
    (_, near), (plan, same) = (
        decided(mini, dict.fromkeys(("negation", "order", "roles"), cosine))
        for cosine in (0.965, 1.0)
    )
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
    _, decision = decided(mini, dict.fromkeys(("negation", "order", "roles"), 0.855))

    def at(cosine):
        return replace(decision, deployed=cosine)

    assert at(0.85).shares["same"][:1] == (pytest.approx(9 / 13),)
    assert at(0.86).shares["same"].merged == pytest.approx(9 / 13)  # a tie is merged
    assert (at(0.85).merged, at(0.86).merged) == (pytest.approx(45 / 75), 0)
    assert (at(0.85).is_safe, at(0.86).is_safe) == (False, True)
    said = conclusion("planted/model", at(0.85))
    assert said.startswith(
        "planted/model at cos ≥ .850 keeps 69 % of paraphrases (95 % interval 61 % to 76 %) "
        "together"
    )
    assert "and merges 60 % of opposites (95 % interval 48 % to 71 %): not safe for" in said
    assert at(0.85).shares["roles"].units == 15
    assert at(0.85).shares["roles"].low == pytest.approx(0.747, abs=1e-3)  # Wilson's, of 15 of 15
    curve = [*at(0.85).curve()]
    assert [row["threshold"] for row in curve if row["deployed"]] == [0.85]
    assert {row["threshold"]: row["false_merges"] for row in curve}[0.86] == 0
    assert [*curve[-1].values()] == [1.0, 0, 0, False]


def test_several_models_are_listed_and_their_differences_paired(mini):
    (_, good), (_, bad) = (
        decided(mini, {}),
        decided(mini, {"negation": 0.99, "order": 0.99}, at_most=0.1),
    )
    both = {"planted/bad": bad, "planted/model": good}
    listed = merged(both)
    assert listed.header == ("", "bad", "model")
    assert ("at most 10 %", "not safe", "safe") in listed.rows
    assert [record["model"] for record in listed.data[::7]] == ["planted/bad", "planted/model"]
    (difference,) = differences(paired_differences(both)).data
    assert (difference["first"], difference["second"]) == ("planted/model", "planted/bad")
    assert difference["value"] == pytest.approx(-30 / 75)
    assert difference["low"] < -30 / 75 < difference["high"] < 0
    assert difference["p_value"] == difference["adjusted_p_value"] < 0.001
    at = {
        name: replace(each, at_most=0.1, deployed=0.9)
        for name, each in (("bad", bad), ("good", good))
    }
    opposites, same = paired_differences(at)
    assert (opposites["value"], same["value"]) == (pytest.approx(-30 / 75), 0)
    assert opposites["test"] == "sign flips"


def pairs_of_one_s_own(n):
    """Lines of n paraphrases, and of as many opposites."""
    yield from (f"the box {number} is big,big is the box {number},same\n" for number in range(n))
    yield from (f"the cat {number} is old,the cat {number} is new,antonym\n" for number in range(n))


def test_a_model_is_safe_by_the_upper_end_of_its_interval(mini):
    """11 of 75 opposites are 14.7 %, and may be 25 %."""
    eleven = {row["first"] for row in [one for one in mini if one["kind"] == "negation"][:11]}
    rows = [
        {**row, "kind": "hedges"} if row["first"] in eleven and row["kind"] == "negation" else row
        for row in mini
    ]
    _, decision = decided(rows, {"hedges": 0.99})
    share = decision.shares["opposites"]
    assert share.merged == pytest.approx(11 / 75)
    assert share.merged < 0.2 < share.high
    assert not decision.is_safe
    assert replace(decision, at_most=share.high).is_safe


def test_all_models_must_be_safe_unless_any_will_do():
    """At the cosine .97 random words merge 8 % of opposites (4 % to 13 %), letters 52 %."""
    both = (
        "safe-to-merge",
        "-m",
        "compositionality/random-words",
        "-m",
        "compositionality/letters",
    )
    line = (*both, "--threshold", ".97", "--format", "json")
    # then the baseline
    safe = [row["safe"] for row in json.loads(harness_ext(*line).stdout) if "safe" in row][:2]
    assert sorted(safe) == [False, True]
    assert (harness_ext(*line).exit_code, harness_ext(*line, "--require", "any").exit_code) == (
        1,
        0,
    )
    # either merges too many at its own threshold
    assert harness_ext(*both, "--require", "any").exit_code == 1


def test_the_command(tmp_path):
    command = ("safe-to-merge", "-m", "compositionality/random-words")
    done = harness_ext(*command, columns="100")
    assert done.exit_code == 1
    text = " ".join(done.stdout.split())
    said = (
        r"compositionality/random-words at cos ≥ \.\d{3} keeps 91 % of paraphrases "
        r"\(95 % interval 85 % to 94 %\) together, at least 90 % of new ones on average, and merges"
    )
    assert re.match(said, text)
    assert "direction 1.000 " in text
    assert "direction: from … to … the other way round" in text
    assert "The 10 worst pairs" in text
    found = json.loads(harness_ext(*command, "--format", "json").stdout)
    (paraphrases,) = (
        record
        for record in found
        if record.get("pairs") == "same" and record["model"] == "compositionality/random-words"
    )
    assert (round(paraphrases["low"], 2), round(paraphrases["high"], 2)) == (0.85, 0.94)
    answer = harness_ext(*command, "--threshold", "1", "--format", "json")
    assert answer.exit_code == 0
    all_, baseline = [
        record for record in json.loads(answer.stdout) if record.get("pairs") == "opposites"
    ]
    assert baseline["model"] == "harness_ext.deciding:jaccard"
    assert all_["threshold"] == 1
    assert all_["safe"] is (all_["low"] <= all_["merged"] <= 0.2)
    twelve = Path(__file__).parents[3] / "docs" / "own_data" / "faq_pairs.csv"
    done = harness_ext(*command, "--pairs", twelve)
    said = "together, 12 of 13 new ones on average, and merges"
    assert said in " ".join(done.stdout.split())
    few = tmp_path / "few.csv"
    few.write_text("first,second,kind\n" + "".join(pair for pair in pairs_of_one_s_own(16)))
    done = harness_ext(*command, "--threshold", "1", "--pairs", few)
    assert done.exit_code == 2
    assert "merges 0 % of opposites (95 % interval 0 % to 24 %): not safe" in " ".join(
        done.stdout.split()
    )
    assert "Opposites of 16 sources are too few" in done.stderr
    assert "With --at-most 0.2, at least 21 are needed" in " ".join(done.stderr.split())
    few.write_text("first,second,kind\n" + "".join(pair for pair in pairs_of_one_s_own(21)))
    assert harness_ext(*command, "--threshold", "1", "--pairs", few).exit_code == 0
    refused = harness_ext("safe-to-merge", "-m", "nobody/no-such-model")
    assert refused.exit_code == 2
    assert "nobody/no-such-model cannot be loaded" in " ".join(refused.stderr.split())
