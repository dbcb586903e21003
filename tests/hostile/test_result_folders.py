"""Result folders that are not as mteb left them: right is what the sound results say; none of them may be lost."""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from tests.hostile.judge import harness_ext
from tests.hostile.planted_results import FIRST, SECOND, TASK, file_of, measure, score_in, sound
from tests.results.test_load import BYTES, CONTENTS, damaged

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]


@pytest.fixture
def out(tmp_path):
    return sound(tmp_path)


@pytest.mark.parametrize("kind", [*[*CONTENTS][::6], *[*BYTES][::3]])  # all are read in test_load.py
def test_show_names_a_damaged_result_and_shows_the_other_and_a_run_puts_it_right(kind, out, judge):
    score = score_in(file_of(out))
    damaged(file_of(out), kind)
    judge(lambda: harness_ext("show", out), None, str(file_of(out)), SECOND, folder=out)

    def run():
        measure(out)
        return score_in(file_of(out))

    judge(run, lambda found: found == score, str(file_of(out)), folder=out)


def _items_of(out, model=FIRST):
    return sorted(file_of(out, model).parent.glob("*.items.parquet"))


def _on_each(change):
    def damage(out):
        for file in _items_of(out):
            change(file)

    return damage


def _of_the_other(out):
    for file, other in zip(_items_of(out), _items_of(out, SECOND), strict=True):
        shutil.copy(other, file)


def _changed(out):
    file = max(_items_of(out), key=lambda file: file.stat().st_size)
    table = parquet.read_table(file)
    column = next(name for name in table.column_names if str(table[name].type) == "double")
    values = table[column].to_numpy().copy()
    values[0] = 0.123
    table = table.set_column(table.column_names.index(column), column, [values])
    parquet.write_table(table, file)


def _no_digest(out):
    content = json.loads(file_of(out).read_text())
    del content["scores"]["naturalistic"][0]["items"]
    file_of(out).write_text(json.dumps(content))


ITEMS = {
    "items missing": _on_each(Path.unlink),
    "one table of items missing": lambda out: _items_of(out)[0].unlink(),
    "items cut in half": _on_each(lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])),
    "a folder for items": _on_each(lambda file: (file.unlink(), file.mkdir())),
    "the other model's items": _of_the_other,
    "items of which a number was changed": _changed,
    "no digest of the items": _no_digest,
    "bytes changed within the items": _on_each(
        lambda file: file.write_bytes(file.read_bytes()[:300] + bytes(40) + file.read_bytes()[340:])
    ),
    "damaged new items left beside": _on_each(lambda file: file.with_name(file.name + ".new").write_bytes(b"half")),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_compare(kind, out, judge):
    expected = harness_ext("compare", out, "--format", "json").stdout
    ITEMS[kind](out)
    judge(
        lambda: harness_ext("compare", out, "--format", "json"), lambda said: said == expected, f"{TASK}.", folder=out
    )


NAMES = (
    "a/[/x]",
    "a/[bold]mödel-模型 [link=x]",
    "a/" + "long" * 60,
    "a/with a blank, pipe|colon:percent%",
    "a/*_`markdown`_*",
    'a/"quotes"',
    "-m",
    "a/b/c/d",
    "a/\N{RIGHT-TO-LEFT OVERRIDE}ledom",
)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_show_of_a_model_named(name, out, judge):
    """The whole name, in the table and, as a whole value, in JSON; what cannot be printed is replaced."""
    file_of(out).with_name("model_meta.json").write_text(json.dumps({"name": name, "revision": "1"}))
    name = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    judge(lambda: harness_ext("show", out), lambda said: name in said, name)
    judge(lambda: harness_ext("show", out, "--format", "json"), lambda said: name in texts(json.loads(said)), name)


def texts(content):
    """All texts in a JSON value."""
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else []
    return {content} if isinstance(content, str) else set().union(*map(texts, parts))


def _unverified(out):
    """Mark the file and the signature of every entry, as a run on such data does."""
    content = json.loads(file_of(out).read_text())
    revision = content["dataset_revision"]
    content["dataset_revision"] += "+unverified"
    for entry in itertools.chain(*content["scores"].values()):
        entry["signature"] = entry["signature"].replace(f"@{revision}|", f"@{revision}+unverified|")
    file_of(out).write_text(json.dumps(content))


FOLDERS = {
    "a folder for a result": (lambda out: (file_of(out).unlink(), file_of(out).mkdir()), (f"{TASK}.json", SECOND)),
    "a link to nowhere": (
        lambda out: (file_of(out).unlink(), file_of(out).symlink_to(out / "gone")),
        (f"{TASK}.json", SECOND),
    ),
    "a link from below to above": (lambda out: (out / "results" / "loop").symlink_to(out / "results"), (FIRST, SECOND)),
    "results on verified and on other data": (_unverified, ("+unverified", SECOND)),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_show_of(kind, out, judge):
    change, names = FOLDERS[kind]
    change(out)
    judge(lambda: harness_ext("show", out), lambda said: all(name in said for name in names), *names)


def test_a_run_on_other_data_into_the_same_folder(out, judge):
    """The earlier result is on data that was not the pinned one: both are there in the end."""
    _unverified(out)
    score = score_in(file_of(out))

    def run():
        measure(out, overwrite_strategy="always")
        return score_in(file_of(out)), len([*out.rglob(f"{TASK}.json")])

    judge(run, lambda found: found == (score, 3), f"{TASK}.json", folder=out)


def test_a_file_in_the_place_of_the_folder_of_results(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with contextlib.suppress(OSError):
        measure(tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("where", ["> /dev/full", "| head -1"])
def test_show_to_a_full_device_and_to_a_pipe_that_is_closed(where, out, environment, judge):
    """Neither ends in a traceback."""
    environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    line = ["bash", "-c", f"harness-ext show {out} {where}"]
    judge(lambda: subprocess.run(line, capture_output=True, text=True), bool)


def test_show_of_a_device(judge):
    judge(lambda: harness_ext("show", "/dev/null"), None, "/dev/null", "no such folder")
