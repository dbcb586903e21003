"""Compounds that are written as one word have no words to add up, unless a table gives them."""

from __future__ import annotations

import pandas
import pytest

from harness_ext import measure
from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files
from tests.command_line import harness_ext
from tests.planted import bag_of_words, letters, vectors_of

MEASURE = measure_named("type_token")


def closed_compounds(n=14, **cells):
    """Rows of Finnish compounds of one word; `@` in a cell is a letter of the row."""
    row = {"compound": "kivi@talo", "type_score": 0, "sentence": "Näin kivi@talo eilen."} | cells
    rows = []
    for number in range(n):
        letter = chr(ord("a") + number)
        filled = {
            name: cell.replace("@", letter) if isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        rows.append({**filled, "type_score": number % 7 / 2})
    return rows


PARTS = {"modifier": "kivi@", "head": "talo"}


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl", "frame"])
def test_they_are_left_out_and_counted_and_too_few_are_refused(suffix, tmp_path):
    with_words = closed_compounds(5, compound="kivi @talo", sentence="")
    rows = [*closed_compounds(12), *with_words]
    table = pandas.DataFrame(rows)
    file = tmp_path / f"rows{suffix}"
    if suffix == ".csv":
        table.to_csv(file, index=False)
    elif suffix == ".xlsx":
        table.to_excel(file, index=False)
    elif suffix == ".jsonl":
        table.to_json(file, orient="records", lines=True)
    read = table_of(table) if suffix == "frame" else table_of_files([file])
    found = rows_for_measure(MEASURE, read)
    assert not found.errors
    assert found.unit_count() == 5
    assert "n_excluded_one_word = 12" in found.left_out()
    with pytest.raises(OwnDataError, match=r"n_excluded_one_word = 12 .*modifier and head"):
        found.check()
    if suffix != "frame":
        done = harness_ext("check", file, "type_token")
        assert done.exit_code == 1
        assert "n_excluded_one_word = 12" in done.output


def test_their_modifier_and_head_may_be_given():
    rows = closed_compounds(**PARTS)
    found = rows_for_measure(MEASURE, table_of(rows))
    found.check()
    assert found.unit_count() == 14
    assert "one_word" not in found.left_out()
    measured = measure(vectors_of(letters), rows, "type_token")
    assert measured.scores["n_excluded_one_word"] == 0
    cosines = measured.items.alone.similarity
    assert len({*cosines.round(6)}) > 1


def test_a_score_does_not_rest_on_the_few_that_have_words():
    with_words = closed_compounds(10, compound="kivi @talo", sentence="")
    rows = [*closed_compounds(12), *with_words]
    measured = measure(vectors_of(letters), rows, "type_token")
    assert measured.scores["n_excluded_one_word"] == 12
    compounds = {row["compound"] for row in with_words}
    assert {*measured.items.alone.compound} == compounds


def test_columns_with_other_names(tmp_path):
    table = pandas.DataFrame(closed_compounds(**PARTS))
    table = table.rename(columns={"modifier": "Määrite", "head": "Pääsana"})
    table.to_csv(tmp_path / "rows.csv", index=False)
    named = ("--column", "modifier=Määrite", "--column", "head=Pääsana")
    done = harness_ext("check", tmp_path / "rows.csv", "type_token", *named)
    assert done.exit_code == 0, done.output
    assert "of 14 units" in done.output


@pytest.mark.parametrize("form", ["frame", ".csv"])
@pytest.mark.parametrize("score", ["", None, "NA"])
def test_a_row_without_any_score_does_not_fit_and_says_why(score, form, tmp_path):
    """With a sentence or without: nothing of it would be measured. A score of either kind is
    enough.
    """
    rows = closed_compounds(**PARTS)
    rows[3] |= {"type_score": score, "sentence": ""}
    rows[4]["type_score"] = score
    rows[5] |= {"type_score": score, "token_score": 2.5}
    table = pandas.DataFrame(rows)
    file = tmp_path / "rows.csv"
    table.to_csv(file, index=False)
    found = rows_for_measure(
        MEASURE, table_of(table) if form == "frame" else table_of_files([file])
    )
    assert len(found.rows) == 12
    said = "column 'type_score': it is empty, and so is token_score"
    assert [said in str(error) for error in found.errors] == [True, True]
    with pytest.raises(OwnDataError, match="no part in any score"):
        found.check()
    measured = harness_ext("measure", "type_token", file, "-m", "compositionality/letters")
    checked = harness_ext("check", file, "type_token")
    for done, status in ((measured, 2), (checked, 1)):
        assert done.exit_code == status
        assert f"line 5, line 6, {said}" in done.output
    assert "or token_score" in harness_ext("needs", "type_token").output


def test_a_table_without_a_column_of_scores_is_told_once_and_names_near_a_column_are_asked_for(
    tmp_path,
):
    file = tmp_path / "rows.csv"
    table = pandas.DataFrame(closed_compounds(**PARTS))
    table.rename(columns={"type_score": "Arvio (1–5)"}).to_csv(file, index=False)
    done = harness_ext("check", file, "type_token")
    assert done.exit_code == 2
    assert "no column 'type_score' and none 'token_score': one of both is needed." in done.output
    assert "--column type_score=ITS_NAME" in done.output
    done = harness_ext("check", file, "type_token", "--column", "type_score=Arvio (1-5)")
    assert done.exit_code == 2
    assert "no column 'Arvio (1-5)'. Did you mean Arvio (1–5)? There are: " in done.output
    assert "compound, type_score or token_score" in harness_ext("needs").output


def test_values_that_are_all_the_same_are_said(caplog, tmp_path):
    rows = closed_compounds(**PARTS)
    for row in rows[:10]:
        row["type_score"] = 3
    found = rows_for_measure(MEASURE, table_of(rows))
    (tie,) = found.ties()
    assert str(tie) == "type_score is 3 in 11 of 14: there is little to rank."
    assert found.ranked_unit_count() == 4
    pandas.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    assert "Look at it: type_score is 3 in 11" in harness_ext("check", tmp_path / "rows.csv").output
    open_compounds = closed_compounds(compound="kivi@ talo", sentence="")
    measure(vectors_of(bag_of_words()), open_compounds, "type_token")
    assert "14 of 14 values that are ranked are 1: there is little to rank" in caplog.text
