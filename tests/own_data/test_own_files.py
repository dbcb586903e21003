"""Places of a user's own rows: what is no file, options that fit no column, and revisions."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import replace

import pandas
import pytest

from harness_ext.own_data import table
from harness_ext.own_data.fields import MEASURES
from harness_ext.own_data.rows import OwnRows
from harness_ext.own_data.table import OwnDataError, table_of_files
from harness_ext.own_data.task import OwnPlace
from harness_ext.show.report.example_sentences import texts_of
from harness_ext.store.signature import Signature
from tests.command_line import harness_ext
from tests.results.planted_items import entry_at


def read_as_it_grows(path):
    """The content of a file that another program writes at the same time."""
    n_letters = path.write_text("more")
    return str(n_letters).encode()


@pytest.mark.parametrize("name", ["a folder", "a FIFO", "missing.csv", "a file that grows"])
def test_no_file(name, tmp_path, monkeypatch):
    file = tmp_path / "rows.csv"
    if name == "a folder":
        file.mkdir()
    elif name == "a FIFO":
        os.mkfifo(file)
    elif name == "a file that grows":
        file.touch()
        monkeypatch.setattr(table.Path, "read_bytes", read_as_it_grows)
    with pytest.raises(OwnDataError, match=r"rows\.csv"):
        table_of_files([file])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--column", "entailed"), "--column entailed"),
        (("--column", "better=x"), "better"),
        (("--column", "entailed=x"), "'x'"),
        (("--name", "a/b"), "'a/b'"),
    ],
)
def test_an_option_of_measure(options, said, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("sentence,entailed,not_entailed\na,b,c\n")
    done = harness_ext("measure", "idiom_paraphrase", file, "-m", "nobody/nothing", *options)
    assert done.exit_code == 2
    assert type(done.exception) is SystemExit
    assert said in done.output


def test_a_revision_is_of_the_rows_that_the_measure_reads(tmp_path):
    file = tmp_path / "pairs.csv"
    other = tmp_path / "same.tsv"
    columns = {
        "sentence1": list("abc"),
        "sentence2": list("def"),
        "ana": [1, 2, 3],
        "ben": [3, 2, 1],
    }
    rows = pandas.DataFrame(columns)
    rows.to_csv(file, index=False)
    renamed = rows.rename(columns={"ana": "similarity"})
    renamed.to_csv(other, sep="\t", index=False)

    def revision(name="transitive_similarity", path=file, rater="ana", **options):
        place = OwnPlace(name, (str(path),), {"similarity": rater}, **options)
        return place.rows().revision

    plain = OwnPlace("transitive_similarity", (str(other),), {})
    assert plain.rows().revision == revision()
    assert revision(rater="ben") != revision()
    assert revision("role_swap") != revision()
    assert revision(language="deu-Latn") != revision()


def test_a_revision_is_of_the_version_of_the_measure():
    measure = MEASURES["transitive_similarity"]
    newer = copy(measure)
    newer.version = measure.version + 1
    row = {"id": "1", "sentence1": "a", "sentence2": "b", "similarity": 1.0}
    assert OwnRows("rows", newer, [row]).revision != OwnRows("rows", measure, [row]).revision


def test_sentences_of_a_file_that_has_changed_are_not_shown(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("sentence1,sentence2,similarity\na,b,1\n")
    place = OwnPlace("transitive_similarity", (str(file),), {})
    place.write(tmp_path, "own/pairs")
    signature = Signature(
        "own/pairs",
        "d@1",
        "own",
        "default",
        place.rows().measure.definition,
        "a/model",
        "1",
        "sentence",
    )
    entry = replace(
        entry_at("TransitiveSimilarity", "test", (1, 2)),
        task="own/pairs",
        signature=signature,
        dataset_revision=place.rows().revision,
        file=tmp_path / "results" / "model" / "1" / "own__pairs.json",
    )
    assert len(texts_of(entry).by_row) == 1
    file.write_text("sentence1,sentence2,similarity\nc,d,1\n")
    texts = texts_of(entry)
    assert not texts.by_row
    assert texts.why_not == "The file of own/pairs has changed since it was measured."
