"""Results and items belong together whatever happens: killed programs, two runs at once, other
data, damaged files.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from mteb.models.model_implementations import MODEL_REGISTRY
from mteb.results import TaskResult
from pydantic import ValidationError

from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import score
from harness_ext.statistics.statistic import mean
from harness_ext.store.item_files import DIGEST, keep, read_items
from harness_ext.store.mteb_files import ModelMetaFile
from harness_ext.store.result_files import write_result
from harness_ext.store.signature import Signature
from tests.measures.core.test_items import Comparisons, Facts, SomeItems


class Some(Measure[SomeItems]):
    name = "some"
    question = "What is the mean?"
    items = SomeItems
    unit = "word"
    main = "mean"

    @score(
        title="the mean",
        formula="the mean of the values",
        range=(-1, 1),
        better="higher",
    )
    def mean(self, items):
        table = items.comparisons
        return mean(table.word, table.distance)


SOME = Some()


def measured(seed, split="test", revision="1"):
    """A result, and its items, which `write_result` finds as long as they live."""
    n = 3000
    values = np.random.default_rng(seed).normal(size=n)
    numbers = np.arange(n)
    table = Comparisons(
        [f"word {number % 7}" for number in numbers],
        ["C"] * n,
        values,
        numbers,
        numbers < 9,
    )
    items = SomeItems(table, Facts([n]))
    mean = float(values.mean())
    entry = {
        "hf_subset": "default",
        "languages": ["eng-Latn"],
        DIGEST: keep(items),
        "mean": mean,
        "main_score": mean,
    }
    result = TaskResult(
        scores={split: [entry]},
        dataset_revision=revision,
        task_name="SomeTask",
        mteb_version="2.26.0",
        evaluation_time=1.0,
    )
    return result, items


def write(folder, seed, **kwargs):
    result, _items = measured(seed, **kwargs)
    write_result(result, folder / "SomeTask.json", SOME)


def assert_together(folder, splits=("test",), name="SomeTask.json"):
    """The result is there, whole, and so are the items that it was computed from. Returns the means
    by split.
    """
    content = json.loads((folder / name).read_text())
    found = {}
    for split, (entry,) in content["scores"].items():
        items = read_items(folder / "SomeTask.json", SomeItems, entry[DIGEST])
        mean = items.comparisons.distance.mean()
        assert mean == pytest.approx(entry["mean"], rel=0, abs=1e-9)
        found[split] = entry["mean"]
    assert found.keys() == set(splits)
    return found


def items_there(folder):
    """How many items there are beside a result."""
    return len(pyarrow.parquet.read_table(folder / "SomeTask.items.parquet"))


def test_a_split_that_is_measured_later_joins_the_others(tmp_path):
    write(tmp_path, 0)
    before = assert_together(tmp_path)
    write(tmp_path, 1, split="dev")
    joined = assert_together(tmp_path, ["test", "dev"])
    assert joined["test"] == before["test"]
    write(tmp_path, 2)
    anew = assert_together(tmp_path, ["test", "dev"])
    assert anew["test"] != before["test"]
    assert items_there(tmp_path) == 2  # no superseded ones


def test_a_result_without_items_is_written_too(tmp_path):
    result, _ = measured(0)
    del result.scores["test"][0][DIGEST]
    write_result(result, tmp_path / "SomeTask.json", SOME)
    assert not [*tmp_path.glob("*.parquet*")]


EARLIER = Signature("SomeTask", "some@1", "test", "default", "some-0", "m", "1", "sentence")
UNUSABLE = {
    "other data": (
        r'(revision": "1)',
        r"\1+unverified",
        "was computed on other data (1+unverified) than the current",
    ),
    "an earlier definition": (
        '("hf_subset")',
        rf'"signature": "{EARLIER}", \1',
        "is of some-0; today's definition is",
    ),
    "half a file": ("(?s).{9}$", "", "cannot be read"),
    "another main score than the score it is": (
        '"main_score": ',
        '"main_score": 0.5, "another": ',
        "main_score is 0.5",
    ),
}


@pytest.mark.parametrize(("old", "new", "said"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_result_of_something_else_or_damaged_is_renamed_and_keeps_its_items(
    tmp_path, caplog, old, new, said
):
    file = tmp_path / "SomeTask.json"
    write(tmp_path, 0)
    text = re.sub(old, new, file.read_text())
    file.write_text(text)
    for seed in (1, 2):
        write(tmp_path, seed, split="dev")
    assert_together(tmp_path, ["dev"])
    assert items_there(tmp_path) == 2
    aside = tmp_path / "SomeTask.json.set-aside-1"
    assert aside.read_text() == text
    assert f"It is {aside} now, and its scores are not used." in caplog.text
    assert str(file) in caplog.text
    assert said in caplog.text


class Killed(BaseException):
    """What stands for the end of the program."""


def write_up_to(folder, seed, monkeypatch, step, **kwargs):
    """Write, but stop before the given change of a file's name, of which all that is lasting is
    made.
    """
    steps = itertools.count()

    def stop(function):
        def rename(*arguments):
            if next(steps) == step:
                raise Killed
            return function(*arguments)

        return rename

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stop(Path.replace))
        patch.setattr(Path, "unlink", stop(Path.unlink))
        try:
            write(folder, seed, **kwargs)
        except Killed:
            return
    raise AssertionError(f"a write has no step {step}")


STEPS = range(3)
"""Those of a write: new items, the result, no superseded items."""


@pytest.mark.parametrize(("first", "second"), [*itertools.product(STEPS, STEPS)])
def test_two_programs_killed_one_after_the_other(tmp_path, monkeypatch, first, second):
    """At each pair of steps."""
    write(tmp_path, 0)
    write_up_to(tmp_path, 1, monkeypatch, first)
    assert_together(tmp_path)
    write_up_to(tmp_path, 2, monkeypatch, second)
    assert_together(tmp_path)
    write(tmp_path, 3, split="dev")
    assert_together(tmp_path, ["test", "dev"])
    assert items_there(tmp_path) == 2


@pytest.mark.parametrize("step", STEPS)
def test_killed_while_a_result_is_set_aside(tmp_path, monkeypatch, step):
    write(tmp_path, 0, revision="1+unverified")
    write_up_to(tmp_path, 1, monkeypatch, step, revision="1")
    files = [*tmp_path.glob("SomeTask.json*")]
    assert files
    for file in files:
        assert_together(tmp_path, name=file.name)


def write_split(folder, split, barrier, n_times):
    barrier.wait(60)
    for seed in range(n_times):
        write(Path(folder), seed, split=split)


@pytest.mark.slow
def test_two_runs_at_once_into_one_folder(tmp_path):
    """Each measures a split that the other does not; both are there in the end, with their
    items.
    """
    processes = multiprocessing.get_context("fork")
    barrier = processes.Barrier(2)
    runs = []
    for split in ("test", "dev"):
        arguments = (str(tmp_path), split, barrier, 5)
        process = processes.Process(target=write_split, args=arguments)
        process.start()
        runs.append(process)
    for process in runs:
        process.join(120)
        assert process.exitcode == 0
    means = assert_together(tmp_path, ["test", "dev"])
    _, items = measured(4)
    expected = items.comparisons.distance.mean()
    assert means == {"test": expected, "dev": expected}


def test_what_was_only_read_when_a_run_began_yields_to_what_was_measured_since(tmp_path):
    """Mteb puts the entries it has loaded into the result that it writes; another run may have made
    them anew.
    """
    path = tmp_path / "SomeTask.json"
    old, old_items = measured(1)
    write_result(old, path, SOME)
    loaded = TaskResult.from_disk(path)
    del old, old_items  # as in a run that begins later
    anew, anew_items = measured(2)
    write_result(anew, path, SOME)
    other, other_items = measured(3, split="dev")
    both = {**loaded.scores, **other.scores}
    write_result(loaded.model_copy(update={"scores": both}), path, SOME)
    found = TaskResult.from_disk(path).scores
    (entry,) = found["test"]
    assert entry[DIGEST] == anew_items.digest()
    (other_entry,) = found["dev"]
    assert other_entry[DIGEST] == other_items.digest()
    read_items(path, SomeItems, anew_items.digest())


def test_the_metadata_of_every_model_that_mteb_knows_are_sound():
    for meta in MODEL_REGISTRY.values():
        written = json.dumps(meta.to_dict(), default=str)
        ModelMetaFile.model_validate(json.loads(written))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n_parameters", -1),
        ("n_parameters", [1]),
    ],
)
def test_a_damaged_key_is_not_known(key, value):
    content = {"name": "a/b", "unheard": [1], key: value}
    with pytest.raises(ValidationError, match=key):
        ModelMetaFile.model_validate(content)
    known = ModelMetaFile.known(content)
    assert known.name == "a/b"
    assert getattr(known, key) is None
    assert ModelMetaFile.known([content]) == ModelMetaFile()
