"""Copies are not evidence: a row that stands several times, under other ids and groups, is one
unit.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from harness_ext.tasks import ENCODER_MEASURES
from tests.results.planted_items import ROWS

SENTENCES = ("sentence", "text", "first", "before", "sentence1", "caption")


def copy_of(row, measure):
    """The same under another id and group, the texts of a symmetric pair in the other order,
    another blank in it.
    """
    copy = {**row, "id": f"{row.get('id')}-again"}
    for label in measure.labels:
        if label in row:
            copy[label] = "another"
    turned = reversed(measure.symmetric)
    for column, other_column in zip(measure.symmetric, turned, strict=True):
        copy[column] = row[other_column]
    for column in SENTENCES:
        if column in copy:
            copy[column] = copy[column].replace(" ", "  ", 1)
    return copy


SLOW = {"montague"}


def measures_with_rows():
    """The measures with rows to copy, marked as slow where they are."""
    for name in ROWS:
        marks = [pytest.mark.slow] if name in SLOW else []
        yield pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", list(measures_with_rows()))
def test_copies_are_one_unit_and_said_once(name, caplog):
    measure = ENCODER_MEASURES[name]
    planted_rows = ROWS[name](np.random.default_rng(0), 12)
    rows = [row for row in planted_rows if row.get("id") not in {"pair again", "x"}]
    alone = measure.planned(rows, "naturalistic")
    caplog.clear()
    copies = [copy_of(row, measure) for row in rows if not row.get("removed_by")]
    all_rows = [*rows, *copies]
    for _ in range(2):
        together = measure.planned(all_rows, "naturalistic")
        assert together.digest() == alone.digest()
    (said,) = caplog.messages
    assert said.startswith(f"{name}: {len(copies)} of {len(all_rows)} rows are copies")
    first_copy = f"row {len(rows) + 1} ({copies[0].get('id', 'without an id')})"
    assert f"{first_copy} is row " in said


def test_texts_are_compared_in_one_form():
    measure = ENCODER_MEASURES["idiom_paraphrase"]
    row = {
        "id": "1",
        "sentence": "Ein schöner Drahtesel.",
        "entailed": "ein Rad",
        "not_entailed": "ein Esel",
    }
    other = {
        **row,
        "id": "2",
        "sentence": unicodedata.normalize("NFD", "Ein schöner Draht\u00adesel."),
    }
    plan = measure.planned([other, row], "")
    (sentence,) = plan.triples.anchor
    assert sentence == row["sentence"]
