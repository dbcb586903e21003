"""Places of a user's own rows: what is no file, options that fit no column, and revisions."""

from __future__ import annotations

import os

import pandas
import pytest

from harness_ext.own_data import table
from harness_ext.own_data.table import OwnDataError, table_of_files
from harness_ext.own_data.task import OwnPlace
from tests.command_line import harness_ext


@pytest.mark.parametrize("name", ["a folder", "a FIFO", "missing.csv", "a file that grows"])
def test_no_file(name, tmp_path, monkeypatch):
    file = tmp_path / "rows.csv"
    if name == "a folder":
        file.mkdir()
    elif name == "a FIFO":
        os.mkfifo(file)
    elif name == "a file that grows":
        file.touch()
        monkeypatch.setattr(
            table.Path, "read_bytes", lambda path: str(path.write_text("more")).encode()
        )
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
    (tmp_path / "rows.csv").write_text("sentence,entailed,not_entailed\na,b,c\n")
    done = harness_ext(
        "measure", "idiom_paraphrase", tmp_path / "rows.csv", "-m", "nobody/nothing", *options
    )
    assert (done.exit_code, type(done.exception), said in done.output) == (2, SystemExit, True)


def test_a_revision_is_of_the_rows_that_the_measure_reads(tmp_path):
    file, other = tmp_path / "pairs.csv", tmp_path / "same.tsv"
    rows = pandas.DataFrame(
        {"sentence1": list("abc"), "sentence2": list("def"), "ana": [1, 2, 3], "ben": [3, 2, 1]}
    )
    rows.to_csv(file, index=False)
    rows.rename(columns={"ana": "similarity"}).to_csv(other, sep="\t", index=False)
    read = ("transitive_similarity", (str(file),), {"similarity": "ana"})
    revision = OwnPlace(*read).rows().revision
    assert OwnPlace(read[0], (str(other),), {}).rows().revision == revision
    for place in (
        OwnPlace(*read[:2], {"similarity": "ben"}),
        OwnPlace("role_swap", *read[1:]),
        OwnPlace(*read, language="deu-Latn"),
    ):
        assert place.rows().revision != revision
