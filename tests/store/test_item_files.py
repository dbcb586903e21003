"""Items through files and back; files that are damaged, foreign or of another result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.items import Items, Table, column, distance
from harness_ext.store.item_files import ItemsError, read_items
from tests.items_check import write_items
from tests.measures.core.test_items import Comparisons, Facts, SomeItems


def comparisons(n=3, word="red"):
    return Comparisons(
        [word] * n, ["C"] * n, np.arange(n) / 10, np.arange(n), np.arange(n) % 2 == 0
    )


words = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
rows = st.lists(
    st.tuples(words, words, st.floats(), st.integers(-(2**63), 2**63 - 1), st.booleans()),
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows, st.lists(st.integers(-5, 5), max_size=2))
@example([], [])
def test_what_is_written_is_read(tmp_path, rows, n_train):
    """Any words, NaN of either sign, infinities, tables without rows."""
    of_rows = (
        Comparisons(*(list(cells) for cells in zip(*rows, strict=True))) if rows else comparisons(0)
    )
    expected = SomeItems(of_rows, Facts(np.array(n_train, dtype=int)))
    file = tmp_path / "Task.json"
    found = read_items(file, SomeItems, write_items(file, expected))
    assert found.digest() == expected.digest()
    for name, table in expected.tables().items():
        for column_name, values in table.values().items():
            read = getattr(found, name).values()[column_name]
            assert read.dtype.kind == values.dtype.kind
            np.testing.assert_array_equal(read, values)


def test_a_file_has_a_row_for_each_set_of_items_and_describes_itself(tmp_path):
    file = tmp_path / "Task.json"
    digests = [write_items(file, SomeItems(comparisons(n), Facts([n]))) for n in (3, 2)]
    (path,) = tmp_path.iterdir()
    assert path.name == "Task.items.parquet"
    table = pyarrow.parquet.read_table(path)
    names = [f"comparisons.{name}" for name in ("word", "class", "distance", "place", "right")]
    assert table.schema.names[:6] == ["items", *names]
    assert (
        table.schema.field("comparisons.distance").metadata[b"description"]
        == b"How far, in [0, 2]."
    )
    rows = dict(
        zip(table["items"].to_pylist(), table["comparisons.place"].to_pylist(), strict=True)
    )
    assert [rows[digest] for digest in digests] == [[0, 1, 2], [0, 1]]


@dataclass(frozen=True)
class Pairs(Table):
    score: Floats = column("What people say.")
    distance: Floats = distance("How far an encoder puts them.")


@dataclass(frozen=True)
class PairItems(Items):
    pairs: Pairs


def test_what_the_encoder_determines_is_float32_and_nothing_else(tmp_path):
    pairs = Pairs([0.1, 1 / 3], distance=[0.1, np.nan])
    assert pairs.distance[0] == float(np.float32(0.1)) != 0.1
    digest = write_items(tmp_path / "Task.json", PairItems(pairs))
    read = read_items(tmp_path / "Task.json", PairItems, digest).pairs
    np.testing.assert_array_equal(read.distance, pairs.distance)
    assert read.score.tolist() == [0.1, 1 / 3]


@pytest.fixture
def written(tmp_path):
    """A result file, the digest of its items, and their file."""
    file = tmp_path / "Task.json"
    digest = write_items(file, SomeItems(comparisons(2000), Facts([1])))
    (path,) = tmp_path.glob("*.parquet")
    return file, digest, path


def test_missing_items_are_named(written):
    with pytest.raises(
        ItemsError, match=r"Task\.items\.parquet: the items that Task\.json .* missing"
    ):
        read_items(written[0], SomeItems, "0" * 64)


def test_a_pointer_of_git_lfs_is_named(written):
    file, digest, path = written
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(
        ItemsError, match=r"items: It is a pointer of git-lfs\. To get the file: git lfs pull\."
    ):
        read_items(file, SomeItems, digest)


@pytest.mark.parametrize("share", [0, 0.3, None])
def test_a_truncated_or_damaged_file_is_named(written, share):
    file, digest, path = written
    whole = path.read_bytes()
    path.write_bytes(
        whole[:100] + bytes(200) + whole[300:]
        if share is None
        else whole[: int(share * len(whole))]
    )
    with pytest.raises(ItemsError, match=str(path)):
        read_items(file, SomeItems, digest)
    write_items(file, SomeItems(comparisons(2000), Facts([1])))
    assert path.read_bytes() == whole


def of_one(values, kind):
    """A column with these values as its only list."""
    return pyarrow.array([values], pyarrow.list_(kind))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("", None, "missing or not one of them: sentence, word"),
        (
            "distance",
            of_one(["red"] * 2000, pyarrow.string()),
            "the column 'distance' holds no float values",
        ),
        ("word", of_one([1] * 2000, pyarrow.int64()), "the column 'word' holds no str values"),
        (
            "word",
            of_one([None] * 2000, pyarrow.string()),
            "is not a file of items: a cell is empty",
        ),
        (
            "word",
            of_one(["red"] * 1999, pyarrow.string()),
            "is not a file of items: Comparisons: the column",
        ),
        (
            "word",
            of_one(["blue"] * 2000, pyarrow.string()),
            r"these items were changed after Task\.json was computed",
        ),
    ],
)
def test_foreign_and_edited_items_are_refused(written, column, values, message):
    file, digest, path = written
    table = pyarrow.parquet.read_table(path)
    if values is None:
        table = table.rename_columns({"comparisons.word": "comparisons.sentence"})
    else:
        name = f"comparisons.{column}"
        table = table.set_column(table.schema.names.index(name), name, values)
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(ItemsError, match=message) as error:
        read_items(file, SomeItems, digest)
    assert str(path.with_name("Task.")) in str(error.value)
