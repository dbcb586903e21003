"""Items through files and back; files that are damaged, foreign or of another result."""

from __future__ import annotations

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness_ext.store.item_files import ItemsError, read_items, write_items
from tests.measures.core.test_items import Comparisons, Facts, SomeItems


def comparisons(n=3, word="red"):
    return Comparisons([word] * n, ["C"] * n, np.arange(n) / 10, np.arange(n), np.arange(n) % 2 == 0)


words = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
rows = st.lists(st.tuples(words, words, st.floats(), st.integers(-(2**63), 2**63 - 1), st.booleans()), max_size=8)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows, st.lists(st.integers(-5, 5), max_size=2))
@example([], [])
def test_what_is_written_is_read(tmp_path, rows, n_train):
    """Any words, NaN of either sign, infinities, tables without rows."""
    of_rows = Comparisons(*(list(cells) for cells in zip(*rows, strict=True))) if rows else comparisons(0)
    expected = SomeItems(of_rows, Facts(np.array(n_train, dtype=int)))
    file = tmp_path / "Task.json"
    found = read_items(file, SomeItems, write_items(file, expected))
    assert found.digest() == expected.digest()
    for name, table in expected.tables().items():
        for column_name, values in table.values().items():
            read = getattr(found, name).values()[column_name]
            assert read.dtype.kind == values.dtype.kind
            np.testing.assert_array_equal(read, values)


def test_files_are_named_after_task_digest_and_table_and_describe_themselves(tmp_path):
    digest = write_items(tmp_path / "Task.json", SomeItems(comparisons(), Facts([1])))
    names = {f"Task.{digest[:16]}.{table}.parquet" for table in ("comparisons", "facts")}
    assert {file.name for file in tmp_path.iterdir()} == names
    table = pyarrow.parquet.read_table(tmp_path / f"Task.{digest[:16]}.comparisons.parquet")
    assert table.schema.names == ["word", "class", "distance", "place", "right"]
    assert table.schema.field("distance").metadata[b"description"] == b"How far, in [0, 2]."


@pytest.fixture
def written(tmp_path):
    """A result file, the digest of its items and the file of a table."""
    file = tmp_path / "Task.json"
    digest = write_items(file, SomeItems(comparisons(2000), Facts([1])))
    (path,) = tmp_path.glob("*.comparisons.parquet")
    return file, digest, path


def test_missing_items_are_named(written):
    with pytest.raises(ItemsError, match=r"Task\.0{16}\.comparisons\.parquet: the items that Task\.json .* missing"):
        read_items(written[0], SomeItems, "0" * 64)


@pytest.mark.parametrize("digest", ["../" * 5 + "x", "0" * 63 + "/"])
def test_what_is_no_digest_is_no_path(written, digest):
    with pytest.raises(ItemsError, match="is no digest of items"):
        read_items(written[0], SomeItems, digest)


@pytest.mark.parametrize("share", [0, 0.3, None])
def test_a_truncated_or_damaged_file_is_named(written, share):
    file, digest, path = written
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(200) + whole[300:] if share is None else whole[: int(share * len(whole))])
    with pytest.raises(ItemsError, match=str(path)):
        read_items(file, SomeItems, digest)
    write_items(file, SomeItems(comparisons(2000), Facts([1])))
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.rename_columns({"word": "sentence"}), "missing or not one of them: sentence, word"),
        (lambda table: table.set_column(2, "distance", table["word"]), "the column 'distance' holds no float values"),
        (lambda table: table.set_column(0, "word", table["place"]), "the column 'word' holds no str values"),
        (
            lambda table: table.set_column(0, "word", pyarrow.nulls(2000, pyarrow.string()).dictionary_encode()),
            "is not a file of items: a cell is empty",
        ),
        (lambda table: table.slice(1), r"these items were changed after Task\.json was computed from them"),
    ],
)
def test_foreign_and_edited_items_are_refused(written, change, message):
    file, digest, path = written
    pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(path)), path)
    with pytest.raises(ItemsError, match=message) as error:
        read_items(file, SomeItems, digest)
    assert str(path.with_name("Task.")) in str(error.value)
