"""The template of every measure, filled as a person would fill it, is checked and then measured."""

from __future__ import annotations

import csv

import pytest

from harness_ext.own_data.fields import MEASURES
from harness_ext.results.load import load_results
from tests.command_line import harness_ext
from tests.some_quick import every_third_quick

NOUNS = (
    "river",
    "garden",
    "winter",
    "copper",
    "village",
    "pepper",
    "mirror",
    "forest",
    "market",
    "silver",
    "harbor",
    "summer",
    "candle",
    "meadow",
)
N_UNITS = len(NOUNS)

TIMES_AS_MANY = {"epsilon": 2, "affinity": 2, "negation_importance": 2}
"""Measures that need ten units of either of two classes."""

ROWS_PER_UNIT = {
    "token_idiomaticity": 10,
    "transitive_similarity": 2,
    "merge_opposites": 2,
    "pair_classes": 2,
    "retrieval": 2,
}
"""Measures that compare rows of one unit with each other need several."""


def alternating(first, second):
    """A cell that has one of two values in turn."""
    return lambda unit, turn: first if (unit + turn) % 2 == 0 else second


def text(form):
    """A cell with a text: `{noun}` is the noun of the unit, `{turn}` the number of its row."""
    return lambda unit, turn: form.format(noun=noun_of(unit), unit=unit, turn=turn)


def noun_of(unit):
    """The noun of a unit; of those after the first fourteen its plural."""
    return NOUNS[unit % N_UNITS] + "s" * (unit // N_UNITS)


CELLS = {
    "id": text("swap_obj-{unit}-{turn}"),  # the kind of a caption; a name in other measures
    "compound": text("{noun} box"),
    "expression": text("{noun} box"),
    "sentence": text("Here {turn} the {noun} box stood, and nobody saw it."),
    "class": alternating("NC", "C"),
    "expert_class": alternating("NC", "C"),
    "type_score": alternating("1.5", "4"),
    "words_syn": text("{noun}ish crate; {noun}like case"),
    "syn": text("{noun} thing"),
    "rand": text("red pen; old {noun}"),
    "head": text("box"),
    "modifier": text("{noun}"),
    "entailed": text("There was something of {noun} here."),
    "not_entailed": text("There was a crate with a {noun}."),
    "is_idiomatic": alternating("true", "false"),
    "word": text("{noun}"),
    "synonym": text("{noun}like"),
    "text": text("Nobody likes a {noun}, number {turn}."),
    "label": alternating("0", "1"),
    "rewrite": text("Everybody likes a {noun}, number {turn}."),
    "before": text("The {noun} is not big."),
    "after": text("The {noun} is big."),
    "important": alternating("true", "false"),
    "caption": text("A dog chases a {noun}."),
    "paraphrase": text("A {noun} runs, and a dog follows."),
    "negative": text("A {noun} chases a dog."),
    "sentence1": text("the {noun} runs"),
    "sentence2": text("the box moves by the {noun}, time {turn}"),
    "similarity": text("{unit}"),
    "score": text("{unit}"),
    "group": text("{noun}"),
    "source": text("{noun}"),
    "pair": text("{noun}"),
    "verbs": text("{noun}s moves"),
    "first": text("The {noun} is open."),
    "second": lambda unit, turn: (
        f"The {noun_of(unit)} is {('not closed', 'shut')[(unit + turn) % 2]}."
    ),
    "anchor": text("The {noun} is open."),
    "right": text("You can enter the {noun}."),
    "wrong": text("The {noun} is closed."),
    "is_query": lambda unit, turn: ("true", "false")[turn],
    "sense": text("{noun}"),
}
"""Column -> its cell, of the number of a unit and of a row of that."""

CELLS_OF_MEASURES = {
    "role_swap": {"kind": text("adversarial")},
    "rated_pairs": {"kind": text("other")},
    "merge_opposites": {"kind": alternating("same", "negation")},
    "pair_classes": {"class": alternating("same", "opposite")},
    # a few sentences to learn from, of both labels, and the pairs
    "polarity": {"role": lambda unit, turn: "train" if unit < 4 else "pair"},
    "montague": {
        "type": lambda unit, turn: "N" if unit < 2 else ("S-I", "S-NI", "NS-Pl", "NS-Pr")[unit % 4]
    },
}
"""The same of columns that mean something else in a measure."""


def filled(name, header):
    """Rows for a measure under the header of its template."""
    cells = CELLS | CELLS_OF_MEASURES.get(name, {})
    for unit in range(N_UNITS * TIMES_AS_MANY.get(name, 1)):
        for turn in range(ROWS_PER_UNIT.get(name, 1)):
            row = {column: cells[column](unit, turn) for column in header}
            if row.get("role") == "train":
                row["rewrite"] = ""
            yield row


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("name", every_third_quick(MEASURES))
def test_a_filled_template_fits_and_is_measured(name, tmp_path):
    """Where `check` says that all rows fit, `measure` gives a score."""
    file = tmp_path / "rows.csv"
    assert harness_ext("needs", name, "--template", file).exit_code == 0
    with file.open(encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines))
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, header)
        writer.writeheader()
        writer.writerows(filled(name, header))
    checked = harness_ext("check", file, name)
    assert checked.exit_code == 0, checked.output
    assert f" rows fit {name}, 0 do not." in checked.output
    results = tmp_path / "results"
    model = ("-m", "compositionality/letters", "--output-folder", results)
    measured = harness_ext("measure", name, file, *model)
    assert measured.exit_code == 0, measured.output
    (entry,) = load_results(results).entries
    assert entry.task == "own/rows"
    low, high = entry.measure.main_declaration.range
    assert low <= entry.main_score <= high


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        (
            "transitive_similarity",
            {"verbs": "runs moves"},
            "1 unit (group) in spearman; 10 are needed.",
        ),
        ("montague", {"type": "S-I"}, "No adjective is of type S-NI or NS-Pl or NS-Pr"),
        (
            "token_idiomaticity",
            {"is_idiomatic": "true"},
            "fewer than 5 uses of one of the readings",
        ),
    ],
)
def test_rows_that_fit_and_are_too_few_say_what_they_lack(name, changed, said, tmp_path):
    file = tmp_path / "rows.csv"
    harness_ext("needs", name, "--template", file)
    with file.open(encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines))
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, header)
        writer.writeheader()
        for row in filled(name, header):
            is_noun = row.get("type") == "N"
            writer.writerow(row if is_noun else row | changed)
    checked = harness_ext("check", file, name)
    assert checked.exit_code == 1
    assert said in checked.output
