"""Public files of pairs are read as they are: two texts, whether they mean the same, perhaps a
kind.
"""

import json
import re
from typing import NamedTuple

import pandas
import pytest

from harness_ext import safe_to_merge
from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of
from tests.command_line import harness_ext


class Texts(NamedTuple):
    """Two texts, and whether they mean the same."""

    first: str
    second: str
    is_same: bool


def texts():
    for number in range(12):
        call = f"Call the cook {number}."
        yield Texts(call, f"Ring the cook {number}.", True)
        yield Texts(call, f"Do not call the cook {number}.", False)


TEXTS = list(texts())


def read(rows, **columns):
    return rows_for_measure(measure_named("merge_opposites"), table_of(rows), columns)


PUBLIC = {
    "QQP": ("question1", "question2", "is_duplicate", {"id": 3, "qid1": 5, "qid2": 7}),
    "GLUE": ("question1", "question2", "label", {"idx": 3}),
    "PAWS": ("sentence1", "sentence2", "label", {}),
    "MRPC": ("Sentence1", "Sentence2", "Label", {}),
    "two texts": ("text1", "text2", "same", {}),
    "a cache's": ("a", "b", "same_answer", {"style": "minimal", "category": "negation"}),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_file_is_read_without_an_option(name):
    first, second, same, more = PUBLIC[name]
    rows = []
    for number, pair in enumerate(TEXTS):
        row = {first: pair.first, second: pair.second, same: int(pair.is_same)}
        rows.append(row | more | {"id": number})
    found = read(rows)
    kind = more.get("category", "other")
    for row, pair in zip(found.rows, TEXTS, strict=True):
        assert row["first"] == pair.first
        assert row["second"] == pair.second
        assert row["kind"] == ("same" if pair.is_same else kind)
    said = found.warnings[0]
    columns = f"first is read from the column {first!r}; second is read from the column {second!r}"
    assert columns in said
    assert said.endswith("--column FIELD=COLUMN says otherwise.")


def test_a_word_for_the_same_is_no_kind_where_the_texts_do_not_mean_the_same():
    rows = [
        {"a": "x", "b": "y", "same_answer": True, "category": "near_repeat"},
        {"a": "x", "b": "z", "same_answer": False, "category": "paraphrase"},
        {"a": "x", "b": "w", "same_answer": False, "category": None},
        {"a": "x", "b": "v", "same_answer": False, "category": "Tone"},
    ]
    kinds = [row["kind"] for row in read(rows).rows]
    assert kinds == ["same", "other", "other", "Tone"]
    names = {"a": "one", "b": "two", "same_answer": "ok", "category": "sort"}
    renamed = [{names[name]: cell for name, cell in row.items()} for row in rows]
    named = read(renamed, first="one", second="two", same="ok", kind="sort")
    assert [row["kind"] for row in named.rows] == kinds
    assert not any("is read from" in warning for warning in named.warnings)


def test_a_column_kind_of_its_own_decides_alone():
    rows = [
        {"first": "x", "second": str(n), "kind": kind, "label": 2}
        for n, kind in enumerate(["same", "roles"])
    ]
    found = read(rows)
    assert [row["kind"] for row in found.rows] == ["same", "roles"]
    assert not any("is read from" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        (
            [{"premise": "x", "hypothesis": "y", "label": 2}],
            {},
            r"row 1, column 'label': true or false expected, found '2'",
        ),
        (
            [{"a": "x", "b": "y", "label": None, "z": 1}],
            {},
            r"row 1, column 'label': true or false expected",
        ),
        ([{"a": "x", "b": "y"}], {"same": "ok"}, r"rows: no column 'ok'\. There are: a, b"),
        ([{"a": "x", "b": "y", "c": 1}], {}, r"no column 'kind', which merge_opposites needs"),
    ],
)
def test_what_does_not_say_whether_texts_mean_the_same_is_refused(rows, columns, said):
    with pytest.raises(OwnDataError, match=said):
        read(rows, **columns)


def test_kinds_of_ones_own_are_rows_of_the_table(tmp_path):

    def always(one, other):
        return True

    rows = []
    for pair in TEXTS:
        kind = "polite" if pair.is_same else "denial"
        rows.append({"a": pair.first, "b": pair.second, "same": pair.is_same, "category": kind})
    decision = safe_to_merge(always, pandas.DataFrame(rows))
    assert decision.shares["denial"].merged == 1
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    done = harness_ext("safe-to-merge", "-m", "compositionality/letters", "--pairs", file)
    assert "Look at it: first is read from the column 'a'" in done.stdout
    assert re.search(r"(?m)^ *denial\b", done.stdout), done.stdout
    checked = harness_ext("check", file)
    assert "24 rows fit merge_opposites, 0 do not." in checked.stdout
