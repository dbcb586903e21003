"""Every cell and sentence about every declared main score is true of the figures that it stands
beside.
"""

from dataclasses import replace

import pytest
from pytest import approx

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

ABOVE = ENDS[Outcome.ABOVE]


def places():
    """Measure, or measure and split where splits have wordings of their own -> a task and a split."""
    found = {}
    for task in TASKS.values():
        name = task.measure.name
        if task.wordings:
            for split in task.splits:
                found[f"{name}-{split}"] = (task.name, split)
        else:
            found[name] = (task.name, task.splits[0])
    return found


PLACES = places()


def said(entry):
    """The sentence about an entry; empty if there is none."""
    found = iter(sentences({"": entry}))
    return next(found, "")


def check(text, interval, delta, n, consequences):
    """Whether a sentence is what the interval of a difference shows, and nothing else."""
    low, high = interval
    above, below = consequences
    holds_zero = low <= 0 <= high
    is_small = max(-low, high) < delta
    expected = {
        above: low > 0,
        below: high < 0,
        "are too few": holds_zero and not is_small,
        f"is smaller than {formatted(delta)}": is_small and holds_zero,
        f"The difference is small: below {formatted(delta)}.": is_small and not holds_zero,
    }
    for part, is_true in expected.items():
        assert (part in text) == is_true
    if "are too few" in text:
        assert text.startswith(f"{n:,} ")


@pytest.mark.parametrize(("outcome", "ends"), ENDS.items(), ids=ENDS)
@pytest.mark.parametrize(("task", "split"), PLACES.values(), ids=PLACES)
def test_cells_and_sentences_are_true_of_planted_numbers(task, split, outcome, ends):
    """For each reference, whatever the others show."""
    measure = TASKS[task].measure
    delta = measure.main_declaration.smallest_effect
    scaled = [end * delta for end in ends]

    def assert_says_what_chance_shows(entry):
        consequences = (entry.wording.chance.above, entry.wording.chance.below)
        check(said(entry), scaled, delta, 40, consequences)
        assert cells(entry)[0] == outcome

    if not measure.additive:
        entry = planted(task, split, ends, None, None)
        assert_says_what_chance_shows(entry)
        _, vs_baseline, vs_noise = cells(entry)
        assert vs_baseline == UNKNOWN
        assert vs_noise == UNKNOWN
        return
    for others in (ABOVE, ENDS[Outcome.BELOW]):
        assert_says_what_chance_shows(planted(task, split, ends, others, others))
        _, vs_baseline, _ = cells(planted(task, split, others, ends, others))
        assert vs_baseline == outcome
        _, _, vs_noise = cells(planted(task, split, others, others, ends))
        is_above = scaled[0] > 0
        assert vs_noise == (Outcome.ABOVE if is_above else Outcome.NOT_ABOVE)


def test_noise_of_the_first_definition_makes_no_claim():
    """A file of 1.0 lacks the score of noise per text, whatever its other figures say."""
    for ends in ENDS.values():
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends, ends)
        of_kind = noise_kind_key("text", entry.measure.main)
        scores = dict(entry.scores)
        del scores[of_kind]
        first = replace(entry, scores=scores)
        assert effect(first, Reference.NOISE) is None
        vs_chance, vs_baseline, _ = cells(entry)
        assert cells(first) == (vs_chance, vs_baseline, FIRST_NOISE)
        assert "noise" not in cells_in_short(first)
        row = ScoreRow.of(first)
        noise = row.cells[2]
        assert noise.outcome == FIRST_NOISE
        assert noise.difference == ""
        assert noise.reference == ""
        assert "noise" not in row.marks


def test_no_table_says_of_noise_more_than_above_or_not():
    """Nor do records for programs."""
    for ends in ENDS.values():
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends, ends)
        (record,) = result_records([entry])
        _, _, vs_noise = cells(entry)
        assert vs_noise in {"above", "not above"}
        assert record["vs noise"] in {"above", "not above"}


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
    entries = {
        "a": planted("CaptionSwap", "all", ABOVE),
        "b": planted("CaptionSwap", "all", ABOVE),
        "c": planted("CaptionSwap", "all", ENDS[Outcome.BELOW]),
    }
    models_of_sentences = sentences(entries).values()
    assert [*models_of_sentences] == [["a", "b"], ["c"]]


def test_a_difference_that_prints_as_nothing_is_none():
    """Baselines are fitted to about 10⁻⁵; the smallest effect of interest is .1."""
    for ends in ((0.0001, 0.004), (-0.004, -0.0001)):
        entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], ends)
        assert cells(entry) == (Outcome.ABOVE, Outcome.EQUIVALENT, UNKNOWN)
    entry = planted("RoleSwapSimilarity", "test", ENDS[Outcome.ABOVE], (0.0001, 0.006))
    _, vs_baseline, _ = cells(entry)
    assert vs_baseline == Outcome.ABOVE_SMALL


def test_without_an_interval_there_is_no_sentence():
    entry = planted("CaptionSwap", "all", ENDS[Outcome.ABOVE])
    without = replace(entry, scores={entry.measure.main: 0.9})
    assert said(without) == ""
    assert cells(without) == (UNKNOWN, UNKNOWN, UNKNOWN)


def test_what_answers_may_get_by_chance_is_a_range():
    """Nothing below a measured chance is below chance: any difference is smaller than what
    matters.
    """
    low_key, high_key = interval_keys("chance_fb_linear_pss")
    measured_chance = {
        "chance_fb_linear_pss": 0.25,
        low_key: 0.2,
        high_key: 0.3,
    }

    def effect_of(ends):
        entry = planted("PolaritySensitivity", "reference", ends, **measured_chance)
        return effect(entry, Reference.CHANCE)

    within = effect_of((-1.5, -0.5))
    assert within.low == within.high == 0
    assert within.outcome is Outcome.EQUIVALENT
    above = effect_of((0.8, 1.2))
    assert above.low == approx(0.03)
    assert above.high == approx(0.07)
    assert above.outcome is Outcome.ABOVE_SMALL


def test_the_interval_of_90_percent_is_asked_for_only_where_it_decides(monkeypatch):
    """With -.06 to .11 it may be small or not; resamples show it."""
    narrow_intervals = [(-0.05, 0.101), (-0.05, 0.09)]

    def resampled(_, key, wide):
        return narrow_intervals.pop()

    def outcome(ends):
        entry = planted("RoleSwapSimilarity", "test", ends)
        return effect(entry, Reference.CHANCE).outcome

    monkeypatch.setattr(effects, "_resampled", resampled)
    assert outcome((-0.6, 1.1)) is Outcome.EQUIVALENT
    assert outcome((-0.6, 1.1)) is Outcome.INCONCLUSIVE
    assert narrow_intervals == []
    for ends in ((-0.9, 0.9), (1.0, 3.0), (-0.5, 2.6)):
        outcome(ends)  # which asks for none


def p_values(**of_classes):
    return {f"p_value_{name}": value for name, value in of_classes.items()}


def test_what_the_epsilon_paper_would_say_is_a_note_and_moves_nothing():
    entry = planted("EpsilonCompositionality", "naturalistic", ABOVE, ABOVE)
    scores = entry.scores | p_values(C=0.05, PC=0.049, NC=0.0)
    told = replace(entry, scores=scores)
    said_of_it = "In the paper's words (EPS, by p-values): human-aligned: EpsilonCompositionality."
    assert notes([told]) == [*notes([entry]), said_of_it, PAPER.caution]
    assert cells(told) == cells(entry)
    assert said(told) == said(entry)
    assert interpretation(p_values(C=0.01, PC=0.5, NC=0.01)) == "C and NC treated as whole"
    assert interpretation(p_values(C=0.05, NC=0.0)) == ""


ALIGNED = "human-aligned"
INCLINED = "compositionally-inclined"
ANTI = "anti-compositional"
OF_THE_PAPER = {
    "bert-base-uncased (pooling=cls)": ALIGNED,
    "bert-base-uncased (pooling=cls+sep)": "PC alone treated as whole *",
    "bert-base-uncased (pooling=mean_last4)": ALIGNED,
    "ModernBERT-base (pooling=cls)": INCLINED,
    "ModernBERT-base (pooling=cls+sep)": INCLINED,
    "ModernBERT-base (pooling=mean_last4)": INCLINED,
    "deberta-v3-base (pooling=cls)": ANTI,
    "deberta-v3-base (pooling=cls+sep)": ANTI,
    "deberta-v3-base (pooling=mean_last4)": ANTI,
    "all-MiniLM-L6-v2": INCLINED,
    "SGPT-125M-weightedmean-nli-bitfit": f"{ALIGNED} *",
    "multilingual-e5-large-instruct": ALIGNED,
    "UAE-Large-V1": ALIGNED,
    "Qwen3-Embedding-0.6B": ANTI,
}
"""By its rule, from the p-values that it prints; a star where its text has another."""


def test_tables_have_the_verdict_of_the_epsilon_paper():
    task = "EpsilonCompositionality"

    def verdicts(table):
        assert PAPER.caution in table.note
        column = table.header.index("EPS's interpretation")
        verdict_of_model = {}
        for row in table.rows:
            _, _, model = row[0].partition("/")
            verdict_of_model[model] = row[column]
        return verdict_of_model

    table_1, *_ = published_tables(task, published_cells(task))
    assert verdicts(table_1) == OF_THE_PAPER
    entry = planted(task, "naturalistic", ABOVE)
    scores = entry.scores | p_values(C=0.5, PC=0.5, NC=0.01)
    scores["rank_share_C"] = 0.4
    mine = replace(entry, model="my/encoder", scores=scores)
    of_mine = {"encoder": "NC alone treated as whole"}
    assert verdicts(measured_and_published([mine])) == OF_THE_PAPER | of_mine
    entry_of_another = planted("NounCompoundAffinity", "naturalistic", ABOVE)
    other = measured_and_published([entry_of_another])
    assert "EPS's interpretation" not in other.header
