"""Each sentence of the pages that names a model or a figure has a test of its own, and passes it."""

from __future__ import annotations

import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness_ext.results.effects import Outcome
from harness_ext.results.entry import Results
from harness_ext.results.load import load_results
from tests.results.planted_items import entry_at

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))  # as for `python docs/claims.py`
try:
    import claims
    import findings
finally:
    sys.path.pop(0)


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def in_one_line(text):
    return " ".join(text.replace("**", "").split())


NAMES = [claim.holds.__name__.strip("_") for claim in claims.CLAIMS]


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=NAMES)
def test_a_sentence_stands_on_its_page_as_long_as_the_figures_bear_it_out(claim):
    holds = claim.holds()
    assert holds is not False, f"{claim.page}: {claim.sentence}"
    stands_there = in_one_line(claim.sentence) in in_one_line(text_of(claim.page))
    assert stands_there == bool(holds)


@pytest.mark.parametrize("page", claims.PAGES)
def test_every_sentence_with_a_model_or_a_figure_is_a_claim(page):
    sentences = [claim.sentence for claim in claims.CLAIMS if claim.page == page]
    part = claims.part(page, text_of(page))
    assert not claims.unclaimed(page, part, sentences)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MPNet tells which sense a verb has.", ["MPNet tells which sense a verb has."]),
        ("It is good. The best gets .273 of it.", ["The best gets .273 of it."]),
        ("- **Verbs**: Gemma is above all.", ["Gemma is above all."]),
        ("## MPNet wins", ["MPNet wins", "MPNet wins"]),
        ("It merges 94 % of them.", ["It merges 94 % of them."]),
        ("## Nothing is lost", ["Nothing is lost"]),
        ("## What is lost?", []),
        ("A cell has the 95 % interval.", []),
        ("```text\nMPNet .273\n```", []),
        ("    MPNet .273", []),
        ("| MPNet | .273 |", []),
        ("It is [here](MPNet.md) and `MPNet`.", []),
        ("Words are claimed, and MPNet too.", []),
        ("At .7 it is safe.", ["At .7 it is safe."]),
        ("The AUC is below ½.", ["The AUC is below ½."]),
        ("It has 2 758 pairs.", ["It has 2 758 pairs."]),
        ("Sums are below a third.", ["Sums are below a third."]),
        ("No control encoder does it.", ["No control encoder does it."]),
        ("They merge all opposites.", ["They merge all opposites."]),
        ("No threshold is safe.", ["No threshold is safe."]),
        ("Order is above chance.", ["Order is above chance."]),
        ("A score above chance may show order.", []),
        ("`trigrams` and `length` win.", ["`trigrams` and `length` win."]),
        ("`sentences` are long.", []),
        ("Is Jaccard at .7 enough?", []),
        ('<img src="a.svg" alt="Scores of seven encoders">', []),
    ],
)
def test_a_sentence_without_a_claim_is_found(text, found):
    claimed = ["Words are claimed, and MPNet too."]
    assert claims.unclaimed("docs/findings.md", text, claimed) == found


@pytest.mark.slow
def test_every_sentence_of_the_findings_with_a_model_or_a_figure_is_a_claim(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")  # as for `python docs/findings.py`
    names = runpy.run_path(str(ROOT / "docs" / "findings.py"))
    page = names["tested_page"](names["load_results"](ROOT / "leaderboard"))
    assert not claims.unclaimed("docs/findings.md", page.text, page.claims)


ROLES = ("RoleSwapSimilarity", "test", "default")
ABOVE = (1.5, 3.5)
NOT_ABOVE = (-0.5, 2.5)


def findings_of(noise):
    """The findings of planted encoders above their baselines: name -> its distance from noise."""
    entries = []
    for name, ends in noise.items():
        entry = entry_at("RoleSwapSimilarity", "test", ABOVE, ABOVE, ends)
        entries.append(replace(entry, model=findings.MODELS[name]))
    return findings.Findings(Results(tuple(entries), ()))


@pytest.mark.parametrize(
    ("noise", "sentence"),
    [
        ({"MPNet": None, "Gemma": None}, ""),
        ({"MPNet": ABOVE, "Gemma": ABOVE}, "MPNet and Gemma are above matched noise too."),
        ({"MPNet": None, "Gemma": ABOVE}, "Gemma is above matched noise too."),
        (
            {"MPNet": NOT_ABOVE, "Gemma": ABOVE},
            "Of MPNet and Gemma, whose noise is measured, Gemma is above it.",
        ),
        (
            {"MPNet": NOT_ABOVE, "Gemma": None},
            "MPNet is not significantly above matched noise.",
        ),
    ],
)
def test_what_is_said_of_noise_is_what_the_cells_say(noise, sentence):
    planted = findings_of(noise)
    assert planted.noise_sentence(ROLES) == sentence
    assert planted.is_noise_known(ROLES) == (True if sentence else None)
    assert planted.gain_sentence(ROLES) == "MPNet and Gemma are above their additive baselines."


@pytest.fixture(scope="module")
def of_role_swaps():
    """The findings of the board's results on role swaps."""
    return findings.Findings(load_results(ROOT / "leaderboard", "RoleSwapSimilarity"))


def test_bigrams_are_above_who_is_farther_from_them_than_both_intervals_are_wide(of_role_swaps):
    """Half as wide as intervals: bigrams .063, MPNet .064, Gemma .077. MPNet is .209 from bigrams,
    Gemma .050; the square roots of both sums of squares are .090 and .100.
    """
    below = of_role_swaps.beside_control("bigrams", Outcome.BELOW, ROLES)
    assert set(below) == {*findings.MODELS} - {"Gemma"}
    sentence = of_role_swaps.control_sentence("bigrams", ROLES)
    assert sentence.endswith("MPNet and E5 (4 bits), and not significantly more than Gemma.")


def test_a_control_encoder_that_is_not_the_best_is_refused(of_role_swaps):
    with pytest.raises(ValueError, match="length is not the best control encoder"):
        of_role_swaps.above_control("length", ROLES)


def test_a_claim_that_the_figures_do_not_bear_out_ends_the_page():
    tested = findings.Claims()
    assert tested.claim(None, "Nothing is known.") == ""
    assert tested.claim(True, "It is so.") == "It is so."
    assert tested.sentences == ["It is so."]
    with pytest.raises(findings.UnsupportedClaimError, match="It is not so"):
        tested.claim(False, "It is not so.")
