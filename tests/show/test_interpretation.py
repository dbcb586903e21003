"""Every sentence about every declared main score is true of the figures that it stands beside."""

from dataclasses import replace

import pytest

from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.measures.core.scores import interval_keys
from harness_ext.results import effects
from harness_ext.results.effects import Outcome, Reference, effect
from harness_ext.results.published import published_cells
from harness_ext.show import verdict as verdicts
from harness_ext.show.numbers import formatted
from harness_ext.show.papers.epsilon import PAPER, interpretation
from harness_ext.show.published_tables import measured_and_published, published_tables
from harness_ext.show.interpretation import outcome, sentences, terms, verdict
from harness_ext.tasks import TASKS
from tests.results.planted_items import entry_at as planted

ENDS = {
    "above": (1.5, 3.5),
    "just above": (0.1, 0.9),
    "small": (-0.5, 0.6),
    "cannot tell": (-0.5, 2.5),
    "just below": (-0.9, -0.1),
    "below": (-3.5, -1.5),
}
"""Intervals of a difference from a reference, in smallest effects of interest."""

PLACES = {
    (task.measure.name, split if task.wordings else ""): (task.name, split)
    for task in TASKS.values()
    for split in (task.splits if task.wordings else task.splits[:1])
}


def said(entry, entries=()):
    return {reference: text for reference, _, text in sentences([("", entry)], entries)}


def check(text, interval, delta, n, unit, consequences):
    """Whether a sentence is what the interval of a difference shows, and nothing else."""
    low, high = interval
    above, below = consequences
    assert (above in text) == (low > 0)
    assert (below in text) == (high < 0)
    assert ("cannot tell" in text) == (low <= 0 <= high and max(-low, high) >= delta)
    small = max(-low, high) < delta
    assert (f"is smaller than {formatted(delta)}" in text) == (small and low <= 0 <= high)
    assert (f"The effect is small: below {formatted(delta)}." in text) == (small and not low <= 0 <= high)
    if "cannot tell" in text:
        assert f"from {formatted(low)} to {formatted(high)}" in text
        assert n is None or text.startswith(f"{n:,} {unit}")


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize(("task", "split"), PLACES.values(), ids=["-".join(filter(None, key)) for key in PLACES])
def test_sentences_are_true_of_planted_numbers(task, split, ends, monkeypatch):
    """For either reference, whatever the other shows."""
    monkeypatch.setattr(verdicts, "baselines_above_chance", lambda *_: set())
    measure = TASKS[task].measure
    about, _ = measure.declarations()[measure.main]
    delta = about.smallest_effect
    scaled = [end * delta for end in ends]
    for other in (ENDS["above"], ENDS["below"]) if measure.additive else (None,):
        entry = planted(task, split, ends, other)
        consequences = entry.wording.chance.above, entry.wording.chance.below
        check(said(entry)[Reference.CHANCE], scaled, delta, 40, "", consequences)
        assert Reference.BASELINE not in said(entry) or not any(
            each in said(entry)[Reference.BASELINE] for each in consequences
        )
        if entry.wording.chance.above:
            brief = verdict(entry)
            assert ("above chance" in brief) == (ends[0] > 0)
            assert ("below chance" in brief) == (ends[1] < 0)
            assert "above its baseline" not in brief or (other and other[0] > 0)
        if other:
            beside = said(planted(task, split, other, ends))[Reference.BASELINE]
            check(beside, scaled, delta, 40, "", ("above its additive baseline", "additive baseline does better"))
            assert ("above chance, but" in beside) == (other[0] > 0 > ends[1])


def test_what_cannot_tell_says_how_many_units_can_and_which_task_has_more():
    """SE = .595 / 3.92 = .1518; (2.8 · .1518 / .1)² = 18.06 times 40 = 722, in two digits 730."""
    entry = planted("EpsilonCompositionalityMini", "naturalistic", (0.45, 3.85), (-0.07, 5.88))
    assert said(entry)[Reference.BASELINE] == (
        "40 compounds cannot tell: the difference from its additive baseline may be anywhere from -.007 to .588; to "
        "find .100, about 730 are needed. Run EpsilonCompositionality, which has more."
    )
    assert verdict(entry).startswith("above chance, cannot tell from its baseline")
    fast = planted("MontagueConsistencyFast", "test", ENDS["above"], ENDS["cannot tell"])  # it has all adjectives
    assert "cannot tell" in said(fast)[Reference.BASELINE]
    assert "which has more" not in said(fast)[Reference.BASELINE]


def test_a_gain_that_noise_gets_too_counts_only_above_chance(monkeypatch):
    gain = gain_key("share_entailed")
    monkeypatch.setattr(verdicts, "baselines_above_chance", lambda *_: {gain})
    unsure = planted("IdiomParaphrase", "idioms", ENDS["cannot tell"], ENDS["above"])
    assert "above its baseline" not in verdict(unsure)
    assert "only a score above chance would tell" in said(unsure)[Reference.BASELINE]
    sure = planted("IdiomParaphrase", "idioms", ENDS["above"], ENDS["above"])
    assert "above chance, above its baseline" in verdict(sure)


def test_order_and_terms_of_a_verdict():
    def of(chance, words):
        return verdict(planted("RoleSwapSimilarity", "test", ENDS[chance], ENDS[words]))

    assert of("below", "above") == "below chance, above its baseline"
    assert of("above", "below") == "above chance, but below its baseline"
    assert of("just above", "small") == "just above chance, near its baseline"
    assert of("cannot tell", "cannot tell") == "cannot tell from chance or its baseline"


def test_a_difference_that_prints_as_nothing_is_none():
    """Baselines are fitted to about 10⁻⁵; the smallest effect of interest is .1."""
    for ends in ((0.0001, 0.004), (-0.004, -0.0001)):
        assert verdict(planted("RoleSwapSimilarity", "test", ENDS["above"], ends)) == "above chance, near its baseline"
    assert "just above its baseline" in verdict(planted("RoleSwapSimilarity", "test", ENDS["above"], (0.0001, 0.006)))


def test_people_are_a_reference_where_their_agreement_is_known():
    """Their ρ is .875."""
    near, far = (planted("RoleSwapSimilarity", "test", ends) for ends in ((8.0, 9.5), (2.0, 3.0)))
    assert "People agree with each other more closely" in said(far)[Reference.PEOPLE]
    assert "by .575 to .675" in said(far)[Reference.PEOPLE]
    assert Reference.PEOPLE in said(near)


def test_without_an_interval_there_is_no_sentence():
    entry = planted("CaptionSwap", "all", ENDS["above"])
    without = replace(entry, scores={entry.measure.main: 0.9})
    assert (said(without), verdict(without), outcome(without)) == ({}, "", None)


def test_what_answers_may_get_by_chance_is_a_range():
    """Nothing below a measured chance is below chance: it is not told from it by as much as matters."""
    ends = dict(zip(interval_keys("chance_fb_linear_pss"), (0.2, 0.3), strict=True))
    within, above = (
        effect(planted("PolaritySensitivity", "reference", chance, chance_fb_linear_pss=0.25, **ends), Reference.CHANCE)
        for chance in ((-1.5, -0.5), (0.8, 1.2))
    )
    assert (within.low, within.high, within.outcome) == (0, 0, Outcome.SMALL)
    assert (above.low, above.high, above.outcome) == (pytest.approx(0.03), pytest.approx(0.07), Outcome.ABOVE)


def test_the_interval_of_90_percent_is_asked_for_only_where_it_decides(monkeypatch):
    """With -.06 to .11 it may be small or not; resamples show it."""
    asked = []
    narrow = {"ends": (-0.05, 0.09)}
    monkeypatch.setattr(effects, "_resampled", lambda _, key, wide: asked.append(key) or narrow["ends"])
    assert effect(planted("RoleSwapSimilarity", "test", (-0.6, 1.1)), Reference.CHANCE).outcome is Outcome.SMALL
    narrow["ends"] = (-0.05, 0.101)
    assert effect(planted("RoleSwapSimilarity", "test", (-0.6, 1.1)), Reference.CHANCE).outcome is Outcome.OPEN
    assert len(asked) == 2
    for ends in ((-0.9, 0.9), (1.0, 3.0), (-0.5, 2.6)):
        effect(planted("RoleSwapSimilarity", "test", ends), Reference.CHANCE)
    assert len(asked) == 2


def p_values(**of_classes):
    return {f"p_value_{name}": value for name, value in of_classes.items()}


def test_the_verdict_of_the_epsilon_paper_stands_in_words_and_moves_nothing():
    entry = planted("EpsilonCompositionality", "naturalistic", ENDS["above"], ENDS["above"])
    told = replace(entry, scores={**entry.scores, **p_values(C=0.05, PC=0.049, NC=0.0)})
    assert verdict(told) == f"{verdict(entry)}, EPS: human-aligned"
    assert (outcome(told), said(told)) == (outcome(entry), said(entry))
    assert interpretation(p_values(C=0.01, PC=0.5, NC=0.01)) == "C and NC treated as whole"
    assert interpretation(p_values(C=0.05, NC=0.0)) == ""


ALIGNED, INCLINED, ANTI = "human-aligned", "compositionally-inclined", "anti-compositional"
OF_THE_PAPER = {
    **{f"bert-base-uncased (pooling={pooling})": ALIGNED for pooling in ("cls", "mean_last4")},
    "bert-base-uncased (pooling=cls+sep)": "PC alone treated as whole",
    **{f"ModernBERT-base (pooling={pooling})": INCLINED for pooling in ("cls", "cls+sep", "mean_last4")},
    **{f"deberta-v3-base (pooling={pooling})": ANTI for pooling in ("cls", "cls+sep", "mean_last4")},
    **{"all-MiniLM-L6-v2": INCLINED, "SGPT-125M-weightedmean-nli-bitfit": f"{ALIGNED} *"},
    **{"multilingual-e5-large-instruct": ALIGNED, "UAE-Large-V1": ALIGNED, "Qwen3-Embedding-0.6B": ANTI},
}
"""By its rule, from the p-values that it prints; a star where its text has another."""


def test_tables_have_the_verdict_of_the_epsilon_paper():
    printed, *_ = published_tables("EpsilonCompositionality", published_cells("EpsilonCompositionality"))  # Table 1
    mine = replace(planted("EpsilonCompositionality", "naturalistic", ENDS["above"]), model="my/encoder")
    scores = {**mine.scores, **p_values(C=0.5, PC=0.5, NC=0.01), "rank_share_C": 0.4}
    beside = measured_and_published([replace(mine, scores=scores)])
    for table, of_mine in ((printed, {}), (beside, {"encoder": "NC alone treated as whole"})):
        column = table.header.index("EPS's verdict")
        assert {row[0].partition("/")[2]: row[column] for row in table.rows} == OF_THE_PAPER | of_mine
        assert PAPER.caution in table.note
    other = measured_and_published([planted("NounCompoundAffinity", "naturalistic", ENDS["above"])])
    assert "EPS's verdict" not in other.header
    with_eps, without = (terms([TASKS[f"{name}Mini"].measure]) for name in ("EpsilonCompositionality", "CaptionSwap"))
    assert with_eps == f"{without} {PAPER.caution}"
