"""Safe to merge: verdict, kinds, worst pairs, and what to do, on planted encoders; and the command."""

from __future__ import annotations

import numpy as np
import pytest

from harness_ext.show.merging import MergeVerdict
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from harness_ext.tasks.merge_opposites import MERGE_OPPOSITES
from tests.command_line import harness_ext
from tests.planted import drawn, vectors_of


@pytest.fixture(scope="module")
def mini():
    return [*load_rows(ENCODER_TASKS["MergeOppositesMini"], "test", "default")]


def near_paraphrases(rows, cosines):
    """Paraphrases are at a cosine near .9, opposites of a kind at the cosine that is said, others unrelated."""
    parts = {}
    for number, row in enumerate(rows):
        cosine = 0.8 + 0.015 * (number // 2 % 13) if row["kind"] == "same" else cosines.get(row["kind"], 0.0)
        parts[row["second"]] = row["first"], cosine

    def vector(text):
        first, cosine = parts.get(text, (text, 1.0))
        one, other = drawn(first, 1, 400), drawn(text, 2, 400)
        one /= np.linalg.norm(one)
        other -= other @ one * one
        return cosine * one + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)

    return vectors_of(vector)


def verdict_of(rows, cosines, at_most=0.2):
    items = MERGE_OPPOSITES.fill(MERGE_OPPOSITES.planned(rows, ""), near_paraphrases(rows, cosines))
    texts = {row["id"]: (row["first"], row["second"]) for row in rows}
    return MergeVerdict("planted/model", items, texts, at_most)


def test_an_encoder_that_keeps_opposites_apart_is_safe(mini):
    verdict = verdict_of(mini, {})
    assert verdict.is_safe
    assert verdict.merged == 0
    assert "merges 0 % of opposites" in verdict.verdict()
    assert ": safe for caches, deduplication, memory" in verdict.verdict()
    assert verdict.advice().startswith("Merge at cos ≥ .8")
    assert verdict.threshold == pytest.approx(0.815)


def test_pairs_with_one_vector_are_said(mini):
    verdict = verdict_of(mini, {"negation": 1.0})
    assert verdict.alike().startswith("15 pairs of different texts have the same vector, such as")
    assert verdict_of(mini, {}).alike() == ""


def test_a_higher_threshold_is_named_where_there_is_one(mini):
    verdict = verdict_of(mini, dict.fromkeys(("negation", "order", "roles"), 0.855))
    assert not verdict.is_safe
    assert verdict.merged == pytest.approx(45 / 156)
    assert "merges 29 % of opposites" in verdict.verdict()
    assert ": not safe for" in verdict.verdict()
    assert verdict.higher == (pytest.approx(0.86), 0, pytest.approx(9 / 13))
    assert "at cos ≥ .860 it merges 0 % of opposites and still keeps 69 % of paraphrases" in verdict.advice()
    assert {row[0] for row in verdict.kinds().rows if row[2] == "1.000"} == {"negation", "order", "roles"}
    assert {row[2] for row in verdict.kinds().rows} == {"1.000", ".000"}
    rows = verdict.worst().rows
    assert len(rows) == 10
    assert {row[:2] for row in rows} <= {(".855", kind) for kind in ("negation", "order", "roles")}
    assert {tuple(row[2:]) for row in rows} <= {(row["first"], row["second"]) for row in mini}


@pytest.mark.slow
@pytest.mark.parametrize(("cosine", "left"), [(0.965, "8 % of paraphrases are left"), (1.0, None)])
def test_no_threshold_is_named_where_there_is_none(mini, cosine, left):
    advice = verdict_of(mini, dict.fromkeys(("negation", "order", "roles"), cosine)).advice()
    assert "There is no threshold that merges at most 20 % of opposites" in advice
    assert (left or "are left") in advice if left else "are left" not in advice


@pytest.mark.slow
def test_what_is_allowed_decides(mini):
    cosines = {"negation": 0.99}
    assert verdict_of(mini, cosines, at_most=0.1).is_safe
    assert not verdict_of(mini, cosines, at_most=0.09).is_safe


def test_the_command():
    command = ("safe-to-merge", "-m", "compositionality/random-words")
    done = harness_ext(*command, columns="100")
    assert done.exit_code == 1
    text = " ".join(done.stdout.split())
    assert text.startswith("compositionality/random-words keeps 90 % of paraphrases together at cos ≥ ")
    assert "direction from … to … the other way round 1.000 " in text
    assert "The 10 worst pairs" in text
    assert harness_ext(*command, "--at-most", "1").exit_code == 0
    refused = harness_ext("safe-to-merge", "-m", "nobody/no-such-model")
    assert refused.exit_code == 2
    assert "nobody/no-such-model cannot be loaded" in " ".join(refused.stderr.split())
