"""Items through files and back; files that are damaged, foreign or of another result."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness_ext.framework.items import Items
from harness_ext.store.item_files import ItemsError, item_files, keep, read_items, write_items
from tests.framework.test_items import Comparisons, Facts, SomeItems

PLACE = ("test", "default")


@dataclass(frozen=True)
class OneTable(Items):
    comparisons: Comparisons


def comparisons(n=3, word="red"):
    return Comparisons([word] * n, ["C"] * n, np.arange(n) / 10, np.arange(n), np.arange(n) % 2 == 0)


def write(result_file, items_by_place):
    """Write items as `write_result` does; their digests."""
    digests = {place: keep(items) for place, items in items_by_place.items()}
    (items_type,) = {type(items) for items in items_by_place.values()}
    write_items(result_file, items_type, digests)
    return digests


words = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
rows = st.lists(st.tuples(words, words, st.floats(), st.integers(-(2**63), 2**63 - 1), st.booleans()), max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows, min_size=1, max_size=3), st.lists(st.integers(-5, 5), max_size=2))
@example([[]], [])
def test_what_is_written_is_read(tmp_path, rows_by_split, n_train):
    """Any words, NaN of either sign, infinities, tables without rows; several splits in one file."""
    items = {
        (f"split{i}", "default"): SomeItems(
            Comparisons(*(list(cells) for cells in zip(*rows, strict=True))) if rows else comparisons(0),
            Facts(np.array(n_train, dtype=int)),
        )
        for i, rows in enumerate(rows_by_split)
    }
    file = tmp_path / "Task.json"
    digests = write(file, items)
    for place, expected in items.items():
        found = read_items(file, SomeItems, place, digests[place])
        assert found.digest() == expected.digest()
        for name, table in expected.tables().items():
            for column_name, values in table.values().items():
                read = getattr(found, name).values()[column_name]
                assert read.dtype.kind == values.dtype.kind
                np.testing.assert_array_equal(read, values)


def test_files_are_named_after_task_and_table_and_describe_themselves(tmp_path):
    file = tmp_path / "Task.json"
    more = {("dev", "default"): SomeItems(comparisons(2, "a longer word"), Facts([1]))}
    write(file, {PLACE: SomeItems(comparisons(), Facts([1])), **more})
    path = tmp_path / "Task.comparisons.items.parquet"
    assert {*tmp_path.iterdir()} == {path, tmp_path / "Task.facts.items.parquet"}
    table = pyarrow.parquet.read_table(path)
    assert table.schema.names == ["split", "subset", "word", "class", "distance", "place", "right"]
    assert table.schema.field("distance").metadata[b"description"] == b"How far, in [0, 2]."
    assert table.schema.field("split").metadata[b"description"] == b"The dataset's split."
    assert table["split"].to_pylist() == ["test"] * 3 + ["dev"] * 2
    assert item_files(file, OneTable) == {"comparisons": tmp_path / "Task.items.parquet"}


def written(tmp_path):
    file = tmp_path / "Task.json"
    return file, write(file, {PLACE: OneTable(comparisons(2000))})[PLACE], tmp_path / "Task.items.parquet"


def test_missing_items_are_named(tmp_path):
    file, digest, path = written(tmp_path)
    for place, asked in ((PLACE, "0" * 64), (("dev", "default"), digest), (("test", "en"), digest)):
        with pytest.raises(ItemsError, match=rf"{path}: the items of {' '.join(place)} that Task\.json .* are missing"):
            read_items(file, OneTable, place, asked)
    path.unlink()
    with pytest.raises(ItemsError, match=r"Task\.items\.parquet: the items of test default .* are missing"):
        read_items(file, OneTable, PLACE, digest)
    digest = write(file, {PLACE: SomeItems(comparisons(), Facts([1]))})[PLACE]
    (tmp_path / "Task.facts.items.parquet").unlink()
    with pytest.raises(ItemsError, match=r"Task\.facts\.items\.parquet: the items of test default"):
        read_items(file, SomeItems, PLACE, digest)


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.999, None])
def test_a_truncated_or_damaged_file_is_named(tmp_path, share):
    file, digest, path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(200) + whole[300:] if share is None else whole[: int(share * len(whole))])
    with pytest.raises(ItemsError, match=r"Task\.items\.parquet"):
        read_items(file, OneTable, PLACE, digest)


def test_another_programs_parquet_is_no_items(tmp_path):
    file, digest, path = written(tmp_path)
    pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}), path)
    with pytest.raises(ItemsError, match=r"Task\.items\.parquet: .* are missing"):
        read_items(file, OneTable, PLACE, digest)
    places = {b"harness_ext.places": json.dumps([[*PLACE, digest]]).encode()}
    pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}).replace_schema_metadata(places), path)
    with pytest.raises(ItemsError, match=r"Task\.items\.parquet is not a file of items"):
        read_items(file, OneTable, PLACE, digest)


def edited(path, change):
    """Write the file again as somebody would who edits a column."""
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(change(table).replace_schema_metadata(table.schema.metadata), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop_columns(["distance"]), "missing or not one of them: distance"),
        (lambda table: table.rename_columns({"word": "sentence"}), "missing or not one of them: sentence, word"),
        (lambda table: table.set_column(4, "distance", table["word"]), "the column 'distance' holds no float values"),
        (lambda table: table.set_column(2, "word", table["place"]), "the column 'word' holds no str values"),
        (
            lambda table: table.set_column(4, "distance", pyarrow.array(np.arange(2000) / 3)),
            r"the items of test default were changed after Task\.json was computed from them",
        ),
        (
            lambda table: table.set_column(2, "word", pyarrow.nulls(2000, pyarrow.string()).dictionary_encode()),
            "were changed",
        ),
        (lambda table: table.slice(1), "were changed"),
    ],
)
def test_edited_items_are_refused(tmp_path, change, message):
    file, digest, path = written(tmp_path)
    edited(path, change)
    with pytest.raises(ItemsError, match=message) as error:
        read_items(file, OneTable, PLACE, digest)
    assert "Task.items.parquet" in str(error.value)


def test_damaged_items_of_another_split_do_not_stop_a_run(tmp_path, caplog):
    file, digest, path = written(tmp_path)
    path.write_bytes(b"PAR1")
    new = OneTable(comparisons(2))
    with caplog.at_level(logging.WARNING):
        digests = {PLACE: digest, ("dev", "default"): keep(new)}
        write_items(file, OneTable, digests)
    assert "Task.items.parquet is not a file of items" in caplog.text
    assert "of test default are lost" in caplog.text
    assert len(read_items(file, OneTable, ("dev", "default"), digests["dev", "default"])) == 2
