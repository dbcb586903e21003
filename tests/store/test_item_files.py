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
    numbers = np.arange(n)
    return Comparisons(
        [word] * n,
        ["C"] * n,
        numbers / 10,
        numbers,
        numbers % 2 == 0,
    )


def items_of(n, n_train=1):
    return SomeItems(comparisons(n), Facts([n_train]))


words = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
integers = st.integers(-(2**63), 2**63 - 1)
row = st.tuples(words, words, st.floats(), integers, st.booleans())


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(row, max_size=8),
    st.lists(st.integers(-5, 5), max_size=2),
)
@example([], [])
def test_what_is_written_is_read(tmp_path, rows, n_train):
    """Any words, NaN of either sign, infinities, tables without rows."""
    table = comparisons(0)
    if rows:
        columns = zip(*rows, strict=True)
        table = Comparisons(*map(list, columns))
    expected = SomeItems(table, Facts(np.array(n_train, dtype=int)))
    file = tmp_path / "Task.json"
    digest = write_items(file, expected)
    found = read_items(file, SomeItems, digest)
    assert found.digest() == expected.digest()
    tables = found.tables()
    for name, table in expected.tables().items():
        columns = tables[name].values()
        for column_name, values in table.values().items():
            read = columns[column_name]
            assert read.dtype.kind == values.dtype.kind
            np.testing.assert_array_equal(read, values)


def test_a_file_has_a_row_for_each_set_of_items_and_describes_itself(tmp_path):
    file = tmp_path / "Task.json"
    of_three = write_items(file, items_of(3))
    of_two = write_items(file, items_of(2))
    (path,) = tmp_path.iterdir()
    assert path.name == "Task.items.parquet"
    table = pyarrow.parquet.read_table(path)
    assert table.schema.names[:6] == [
        "items",
        "comparisons.word",
        "comparisons.class",
        "comparisons.distance",
        "comparisons.place",
        "comparisons.right",
    ]
    distance = table.schema.field("comparisons.distance")
    assert distance.metadata[b"description"] == b"How far, in [0, 2]."
    digests = table["items"].to_pylist()
    places = table["comparisons.place"].to_pylist()
    rows = dict(zip(digests, places, strict=True))
    assert rows[of_three] == [0, 1, 2]
    assert rows[of_two] == [0, 1]


@dataclass(frozen=True)
class Pairs(Table):
    score: Floats = column("What people say.")
    distance: Floats = distance("How far an encoder puts them.")


@dataclass(frozen=True)
class PairItems(Items):
    pairs: Pairs


def test_what_the_encoder_determines_is_float32_and_nothing_else(tmp_path):
    file = tmp_path / "Task.json"
    scores = [0.1, 1 / 3]
    pairs = Pairs(scores, distance=[0.1, np.nan])
    rounded = float(np.float32(0.1))
    assert rounded != 0.1
    assert pairs.distance[0] == rounded
    digest = write_items(file, PairItems(pairs))
    read = read_items(file, PairItems, digest).pairs
    np.testing.assert_array_equal(read.distance, pairs.distance)
    assert read.score.tolist() == scores


@pytest.fixture
def written(tmp_path):
    """A result file, the digest of its items, and their file."""
    file = tmp_path / "Task.json"
    digest = write_items(file, items_of(2000))
    (path,) = tmp_path.glob("*.parquet")
    return file, digest, path


def test_missing_items_are_named(written):
    file, _, _ = written
    with pytest.raises(
        ItemsError, match=r"Task\.items\.parquet: the items that Task\.json .* missing"
    ):
        read_items(file, SomeItems, "0" * 64)


def test_a_pointer_of_git_lfs_is_named(written):
    file, digest, path = written
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(
        ItemsError, match=r"items: It is a pointer of git-lfs\. To get the file: git lfs pull\."
    ):
        read_items(file, SomeItems, digest)


def nothing(whole):
    return b""


def first_third(whole):
    return whole[: int(0.3 * len(whole))]


def zeros_inside(whole):
    return whole[:100] + bytes(200) + whole[300:]


@pytest.mark.parametrize("damage", [nothing, first_third, zeros_inside])
def test_a_truncated_or_damaged_file_is_named(written, damage):
    file, digest, path = written
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.raises(ItemsError, match=str(path)):
        read_items(file, SomeItems, digest)
    write_items(file, items_of(2000))
    assert path.read_bytes() == whole


TEXT = pyarrow.string()


def times(n, value, kind=TEXT):
    """A column whose only list has a value n times."""
    return pyarrow.array([[value] * n], pyarrow.list_(kind))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("", None, "missing or not one of them: sentence, word"),
        (
            "distance",
            times(2000, "red"),
            "the column 'distance' holds no float values",
        ),
        (
            "word",
            times(2000, 1, pyarrow.int64()),
            "the column 'word' holds no str values",
        ),
        (
            "word",
            times(2000, None),
            "is not a file of items: a cell is empty",
        ),
        (
            "word",
            times(1999, "red"),
            "is not a file of items: Comparisons: the column",
        ),
        (
            "word",
            times(2000, "blue"),
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
        place = table.schema.names.index(name)
        table = table.set_column(place, name, values)
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(ItemsError, match=message) as error:
        read_items(file, SomeItems, digest)
    assert str(path.with_name("Task.")) in str(error.value)
