"""Every cell and sentence about every declared main score is true of the figures that it stands
beside.
"""

from dataclasses import replace

import pytest

from harness_ext.measures.core.baseline_keys import noise_kind_key
from harness_ext.measures.core.scores import interval_keys
from harness_ext.results import effects
from harness_ext.results.effects import Outcome, Reference, effect
from harness_ext.results.published import published_cells
from harness_ext.show.beside_references import ScoreRow
from harness_ext.show.interpretation import (
    FIRST_NOISE,
    UNKNOWN,
    cells,
    cells_in_short,
    notes,
    sentences,
)
from harness_ext.show.numbers import formatted
from harness_ext.show.papers.epsilon import PAPER, interpretation
from harness_ext.show.published_tables import measured_and_published, published_tables
from harness_ext.show.result_tables import result_records
from harness_ext.tasks import TASKS
from tests.results.planted_items import entry_at as planted

ENDS = {
    Outcome.ABOVE: (1.5, 3.5),
    Outcome.ABOVE_SMALL: (0.1, 0.9),
    Outcome.EQUIVALENT: (-0.5, 0.6),
    Outcome.INCONCLUSIVE: (-0.5, 2.5),
    Outcome.BELOW_SMALL: (-0.9, -0.1),
    Outcome.BELOW: (-3.5, -1.5),
}
"""Intervals of a difference from a reference, in smallest effects of interest."""

PLACES = {
    (task.measure.name, split if task.wordings else ""): (task.name, split)
    for task in TASKS.values()
    for split in (task.splits if task.wordings else task.splits[:1])
}


def said(entry):
    return next(iter(sentences({"": entry})), "")


def check(text, interval, delta, n, consequences):
    """Whether a sentence is what the interval of a difference shows, and nothing else."""
    low, high = interval
    above, below = consequences
    assert (above in text) == (low > 0)
    assert (below in text) == (high < 0)
    assert ("are too few" in text) == (low <= 0 <= high and max(-low, high) >= delta)
    small = max(-low, high) < delta
    assert (f"is smaller than {formatted(delta)}" in text) == (small and low <= 0 <= high)
    assert (f"The difference is small: below {formatted(delta)}." in text) == (
        small and not low <= 0 <= high
    )
    assert "are too few" not in text or text.startswith(f"{n:,} ")


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize(
    ("task", "split"), PLACES.values(), ids=["-".join(filter(None, key)) for key in PLACES]
)
def test_cells_and_sentences_are_true_of_planted_numbers(task, split, ends):
    """For each reference, whatever the others show."""
    measure = TASKS[task].measure
    about = measure.main_declaration
    delta = about.smallest_effect
    scaled = [end * delta for end in ends]
    (wanted,) = (outcome for outcome, of_outcome in ENDS.items() if of_outcome == ends)
    for others in (ENDS[Outcome.ABOVE], ENDS[Outcome.BELOW]) if measure.additive else (None,):
        entry = planted(task, split, ends, others, others)
        consequences = entry.wording.chance.above, entry.wording.chance.below
        check(said(entry), scaled, delta, 40, consequences)
        assert cells(entry)[0] == wanted
        if not others:
            assert cells(entry)[1:] == (UNKNOWN, UNKNOWN)
            continue
        beside = planted(task, split, others, ends, others)
        over = planted(task, split, others, others, ends)
        is_above = Outcome.ABOVE if scaled[0] > 0 else Outcome.NOT_ABOVE
        assert (cells(beside)[1], cells(over)[2]) == (wanted, is_above)


def test_noise_of_the_first_definition_makes_no_claim():
    """A file of 1.0 lacks the score of noise per text, whatever its other figures say."""
    for ends in ENDS.values():
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends, ends)
        of_kind = noise_kind_key("text", entry.measure.main)
        scores = {key: value for key, value in entry.scores.items() if key != of_kind}
        first = replace(entry, scores=scores)
        assert effect(first, Reference.NOISE) is None
        assert cells(first) == (*cells(entry)[:2], FIRST_NOISE)
        assert "noise" not in cells_in_short(first)
        row = ScoreRow.of(first)
        assert row.cells[2].outcome == FIRST_NOISE
        assert (row.cells[2].difference, row.cells[2].reference) == ("", "")
        assert "noise" not in row.marks


def test_no_table_says_of_noise_more_than_above_or_not():
    """Nor do records for programs."""
    for ends in ENDS.values():
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends, ends)
        (record,) = result_records([entry])
        assert {record["vs noise"], cells(entry)[2]} <= {"above", "not above"}


def test_too_few_units_say_which_task_has_more():
    entry = planted("EpsilonCompositionalityMini", "naturalistic", ENDS[Outcome.INCONCLUSIVE])
    assert said(entry) == (
        "40 compounds are too few: the interval holds chance, and differences that matter. Run "
        "EpsilonCompositionality, which has more."
    )
    # it has all adjectives
    fast = planted("MontagueConsistencyFast", "test", ENDS[Outcome.INCONCLUSIVE])
    assert "are too few" in said(fast)
    assert "which has more" not in said(fast)


def test_models_with_the_same_outcome_share_a_sentence():
    above, other, below = (
        planted("CaptionSwap", "all", ENDS[outcome])
        for outcome in (Outcome.ABOVE, Outcome.ABOVE, Outcome.BELOW)
    )
    assert [*sentences({"a": above, "b": other, "c": below}).values()] == [["a", "b"], ["c"]]


def test_a_difference_that_prints_as_nothing_is_none():
    """Baselines are fitted to about 10⁻⁵; the smallest effect of interest is .1."""
    for ends in ((0.0001, 0.004), (-0.004, -0.0001)):
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends)
        assert cells(entry) == (Outcome.ABOVE, Outcome.EQUIVALENT, UNKNOWN)
    entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], (0.0001, 0.006))
    assert cells(entry)[1] == Outcome.ABOVE_SMALL


def test_without_an_interval_there_is_no_sentence():
    entry = planted("CaptionSwap", "all", ENDS[Outcome.ABOVE])
    without = replace(entry, scores={entry.measure.main: 0.9})
    assert (said(without), cells(without)) == ("", (UNKNOWN,) * 3)


def test_what_answers_may_get_by_chance_is_a_range():
    """Nothing below a measured chance is below chance: any difference is smaller than what
    matters.
    """
    ends = dict(zip(interval_keys("chance_fb_linear_pss"), (0.2, 0.3), strict=True))
    within, above = (
        effect(
            planted("PolaritySensitivity", "reference", chance, chance_fb_linear_pss=0.25, **ends),
            Reference.CHANCE,
        )
        for chance in ((-1.5, -0.5), (0.8, 1.2))
    )
    assert (within.low, within.high, within.outcome) == (0, 0, Outcome.EQUIVALENT)
    assert (above.low, above.high, above.outcome) == (
        pytest.approx(0.03),
        pytest.approx(0.07),
        Outcome.ABOVE_SMALL,
    )


def test_the_interval_of_90_percent_is_asked_for_only_where_it_decides(monkeypatch):
    """With -.06 to .11 it may be small or not; resamples show it."""
    asked = []
    narrow = {"ends": (-0.05, 0.09)}
    monkeypatch.setattr(
        effects, "_resampled", lambda _, key, wide: asked.append(key) or narrow["ends"]
    )
    assert (
        effect(planted("RoleSwapSimilarity", "test", (-0.6, 1.1)), Reference.CHANCE).outcome
        is Outcome.EQUIVALENT
    )
    narrow["ends"] = (-0.05, 0.101)
    assert (
        effect(planted("RoleSwapSimilarity", "test", (-0.6, 1.1)), Reference.CHANCE).outcome
        is Outcome.INCONCLUSIVE
    )
    assert len(asked) == 2
    for ends in ((-0.9, 0.9), (1.0, 3.0), (-0.5, 2.6)):
        effect(planted("RoleSwapSimilarity", "test", ends), Reference.CHANCE)
    assert len(asked) == 2


def p_values(**of_classes):
    return {f"p_value_{name}": value for name, value in of_classes.items()}


def test_what_the_epsilon_paper_would_say_is_a_note_and_moves_nothing():
    entry = planted(
        "EpsilonCompositionality", "naturalistic", ENDS[Outcome.ABOVE], ENDS[Outcome.ABOVE]
    )
    told = replace(entry, scores={**entry.scores, **p_values(C=0.05, PC=0.049, NC=0.0)})
    said_of_it = "In the paper's words (EPS, by p-values): human-aligned: EpsilonCompositionality."
    assert notes([told]) == [*notes([entry]), said_of_it, PAPER.caution]
    assert (cells(told), said(told)) == (cells(entry), said(entry))
    assert interpretation(p_values(C=0.01, PC=0.5, NC=0.01)) == "C and NC treated as whole"
    assert interpretation(p_values(C=0.05, NC=0.0)) == ""


ALIGNED, INCLINED, ANTI = "human-aligned", "compositionally-inclined", "anti-compositional"
OF_THE_PAPER = {
    **{f"bert-base-uncased (pooling={pooling})": ALIGNED for pooling in ("cls", "mean_last4")},
    "bert-base-uncased (pooling=cls+sep)": "PC alone treated as whole *",
    **{
        f"ModernBERT-base (pooling={pooling})": INCLINED
        for pooling in ("cls", "cls+sep", "mean_last4")
    },
    **{
        f"deberta-v3-base (pooling={pooling})": ANTI for pooling in ("cls", "cls+sep", "mean_last4")
    },
    **{"all-MiniLM-L6-v2": INCLINED, "SGPT-125M-weightedmean-nli-bitfit": f"{ALIGNED} *"},
    **{
        "multilingual-e5-large-instruct": ALIGNED,
        "UAE-Large-V1": ALIGNED,
        "Qwen3-Embedding-0.6B": ANTI,
    },
}
"""By its rule, from the p-values that it prints; a star where its text has another."""


def test_tables_have_the_verdict_of_the_epsilon_paper():
    # Table 1
    printed, *_ = published_tables(
        "EpsilonCompositionality", published_cells("EpsilonCompositionality")
    )
    mine = replace(
        planted("EpsilonCompositionality", "naturalistic", ENDS[Outcome.ABOVE]), model="my/encoder"
    )
    scores = {**mine.scores, **p_values(C=0.5, PC=0.5, NC=0.01), "rank_share_C": 0.4}
    beside = measured_and_published([replace(mine, scores=scores)])
    for table, of_mine in ((printed, {}), (beside, {"encoder": "NC alone treated as whole"})):
        column = table.header.index("EPS's interpretation")
        assert {
            row[0].partition("/")[2]: row[column] for row in table.rows
        } == OF_THE_PAPER | of_mine
        assert PAPER.caution in table.note
    other = measured_and_published(
        [planted("NounCompoundAffinity", "naturalistic", ENDS[Outcome.ABOVE])]
    )
    assert "EPS's interpretation" not in other.header
