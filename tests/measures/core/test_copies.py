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
    copy = {
        **row,
        "id": f"{row.get('id')}-again",
        **dict.fromkeys({*measure.labels} & row.keys(), "another"),
    }
    copy |= dict(
        zip(measure.symmetric, (row[name] for name in reversed(measure.symmetric)), strict=True)
    )
    return {
        name: cell.replace(" ", "  ", 1) if name in SENTENCES else cell
        for name, cell in copy.items()
    }


@pytest.mark.parametrize("name", ROWS)
def test_copies_are_one_unit_and_said_once(name, caplog):
    measure = ENCODER_MEASURES[name]
    rows = [
        row
        for row in ROWS[name](np.random.default_rng(0), 12)
        if row.get("id") not in {"pair again", "x"}
    ]
    alone = measure.planned(rows, "naturalistic")
    caplog.clear()
    copies = [copy_of(row, measure) for row in rows if not row.get("removed_by")]
    for _ in range(2):
        assert measure.planned([*rows, *copies], "naturalistic").digest() == alone.digest()
    (said,) = caplog.messages
    assert said.startswith(f"{name}: {len(copies)} of {len(rows) + len(copies)} rows are copies")
    assert f"row {len(rows) + 1} ({copies[0].get('id', 'without an id')}) is row " in said


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
    (sentence,) = measure.planned([other, row], "").triples.anchor
    assert sentence == row["sentence"]
