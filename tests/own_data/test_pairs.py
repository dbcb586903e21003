"""Public files of pairs are read as they are: two texts, whether they mean the same, perhaps a
kind.
"""

import json

import pandas
import pytest

from harness_ext import safe_to_merge
from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of
from tests.command_line import harness_ext

TEXTS = [
    (f"Call the cook {n}.", f"{word} the cook {n}.", word == "Ring")
    for n in range(12)
    for word in ("Ring", "Do not call")
]


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
    rows = [
        {first: one, second: other, same: int(is_same), **more} for one, other, is_same in TEXTS
    ]
    rows = [row | {"id": number} for number, row in enumerate(rows)]
    found = read(rows)
    kind = more.get("category", "other")
    assert [(row["first"], row["second"], row["kind"]) for row in found.rows] == [
        (one, other, "same" if is_same else kind) for one, other, is_same in TEXTS
    ]
    said = found.warnings[0]
    assert (
        f"first is read from the column {first!r}; second is read from the column {second!r}"
        in said
    )
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
    renamed = [
        {"one": row["a"], "two": row["b"], "ok": row["same_answer"], "sort": row["category"]}
        for row in rows
    ]
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
    rows = [
        {"a": one, "b": other, "same": is_same, "category": "polite" if is_same else "denial"}
        for one, other, is_same in TEXTS
    ]
    assert (
        safe_to_merge(lambda one, other: True, pandas.DataFrame(rows)).shares["denial"].merged == 1
    )
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = harness_ext(
        "safe-to-merge", "-m", "compositionality/letters", "--pairs", tmp_path / "pairs.jsonl"
    )
    assert "Look at it: first is read from the column 'a'" in done.stdout
    assert any(line.split()[:1] == ["denial"] for line in done.stdout.splitlines()), done.stdout
    checked = harness_ext("check", tmp_path / "pairs.jsonl")
    assert "24 rows fit merge_opposites, 0 do not." in checked.stdout
