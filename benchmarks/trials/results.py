"""Result folders that are not as mteb left them: right is what the sound results say; none of them may be lost."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
from mteb.models import ModelMeta

from benchmarks.trials.encoders import Planted
from benchmarks.trials.trial import Trial, Verdict, environment, harness_ext, judge, judge_command, unless_lost
from tests.results.test_load import BYTES, CONTENTS, damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREA = "result folders"
TASK = "EpsilonCompositionalityMini"
FIRST, SECOND = "planted/first", "planted/second"


def planted(name: str) -> Planted:
    """A model with random vectors of its own."""
    turned = np.random.default_rng(len(name)).normal(size=(64, 64))
    model = Planted(lambda vectors: vectors @ turned if name == SECOND else vectors)
    model.mteb_model_meta = ModelMeta.create_empty({"name": name, "revision": "1"})
    return model


def measure(folder: Path, model: str = FIRST, **options: Any) -> Any:
    """Run the task as mteb does, into a folder of results."""
    return mteb.evaluate(
        planted(model), mteb.get_task(TASK), cache=mteb.ResultCache(folder), show_progress_bar=False, **options
    )


@functools.cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="trials-"))
    for model in (FIRST, SECOND):
        measure(folder, model)
    return folder


def file_of(folder: Path, model: str = FIRST) -> Path:
    """The result of a model."""
    return folder / "results" / model.replace("/", "__") / "1" / f"{TASK}.json"


def sound(folder: Path) -> Path:
    """A folder with the results of two models, with their items."""
    shutil.copytree(_template(), folder / "out")
    return folder / "out"


def main_score(file: Path) -> float:
    """That of a result file."""
    return float(json.loads(file.read_text(encoding="utf-8"))["scores"]["naturalistic"][0]["main_score"])


def trials() -> Iterator[Trial]:
    """Results, items, metadata, and folders as such."""
    for kind in [*CONTENTS, *BYTES]:
        yield Trial(AREA, f"show of {kind}", functools.partial(_show_damaged, kind))
        yield Trial(AREA, f"a run into a folder with {kind}", functools.partial(_run_over_damaged, kind))
    for kind, damage in ITEMS.items():
        yield Trial(AREA, f"compare with {kind}", functools.partial(_compare, damage))
    for number, meta in enumerate(METAS):
        yield Trial(AREA, f"show with model_meta.json {number}", functools.partial(_show_with_meta, meta))
    for name in NAMES:
        yield Trial(AREA, f"show of a model named {name[:20]!r}", functools.partial(_show_name, name))
    for kind, (change, names) in FOLDERS.items():
        yield Trial(AREA, f"show of {kind}", functools.partial(_show_folder, change, names))
    yield Trial(AREA, "a run on other data into the same folder", _other_data)
    yield Trial(AREA, "a run with the items removed", _without_items)
    yield Trial(AREA, "two formats of one folder", _formats)


def _show_damaged(kind: str, folder: Path) -> Verdict:
    """It is named, the other is shown, and the exit status is not 0."""
    out = sound(folder)
    damaged(file_of(out), kind)
    return unless_lost(
        out, lambda: judge_command(harness_ext("show", out), lambda said: False, str(file_of(out)), SECOND)
    )


def _run_over_damaged(kind: str, folder: Path) -> Verdict:
    """Either the file is named, or it is put right; the other model's stays."""
    out = sound(folder)
    score = main_score(file_of(out))
    damaged(file_of(out), kind)

    def run() -> float:
        measure(out)
        return main_score(file_of(out))

    return unless_lost(out, lambda: judge(run, lambda found: found == score, str(file_of(out))))


def _items_of(out: Path, model: str = FIRST) -> list[Path]:
    return sorted(file_of(out, model).parent.glob("*.items.parquet"))


def _on_each(change: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(out: Path) -> None:
        for file in _items_of(out):
            change(file)

    return damage


def _of_the_other(out: Path) -> None:
    for file, other in zip(_items_of(out), _items_of(out, SECOND), strict=True):
        shutil.copy(other, file)


def _changed(out: Path) -> None:
    import pyarrow.parquet as parquet

    file = max(_items_of(out), key=lambda file: file.stat().st_size)
    table = parquet.read_table(file)
    column = next(name for name in table.column_names if str(table[name].type) == "double")
    values = table[column].to_numpy().copy()
    values[0] = 0.123
    table = table.set_column(table.column_names.index(column), column, [values])
    parquet.write_table(table, file)


def _no_digest(out: Path) -> None:
    content = json.loads(file_of(out).read_text())
    del content["scores"]["naturalistic"][0]["items"]
    file_of(out).write_text(json.dumps(content))


ITEMS: dict[str, Callable[[Path], Any]] = {
    "items missing": _on_each(Path.unlink),
    "one table of items missing": lambda out: _items_of(out)[0].unlink(),
    "empty items": _on_each(lambda file: file.write_bytes(b"")),
    "items cut in half": _on_each(lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])),
    "zeros for items": _on_each(lambda file: file.write_bytes(bytes(5000))),
    "text for items": _on_each(lambda file: file.write_text("row,distance\n1,0.5\n")),
    "a folder for items": _on_each(lambda file: (file.unlink(), file.mkdir())),
    "the other model's items": _of_the_other,
    "items of which a number was changed": _changed,
    "no digest of the items": _no_digest,
    "bytes changed within the items": _on_each(
        lambda file: file.write_bytes(file.read_bytes()[:300] + bytes(40) + file.read_bytes()[340:])
    ),
    "damaged new items left beside": _on_each(lambda file: file.with_name(file.name + ".new").write_bytes(b"half")),
}


def _compare(damage: Callable[[Path], Any], folder: Path) -> Verdict:
    out = sound(folder)
    expected = harness_ext("compare", out, "--format", "json").stdout
    damage(out)
    return unless_lost(
        out,
        lambda: judge_command(
            harness_ext("compare", out, "--format", "json"), lambda said: said == expected, f"{TASK}."
        ),
    )


METAS = (b"", b"{", b"[]", b'{"name": null}', b'{"name": 3}', b"\xff\xfe", None)


def _show_with_meta(meta: bytes | None, folder: Path) -> Verdict:
    out = sound(folder)
    file = file_of(out).with_name("model_meta.json")
    file.unlink() if meta is None else file.write_bytes(meta)
    return judge_command(harness_ext("show", out), lambda said: FIRST in said and SECOND in said, FIRST)


NAMES = (
    "a/[/x]",
    "a/[bold]model",
    "a/model [link=x]",
    "a/mödel-模型",
    "a/" + "long" * 60,
    "a/with a blank",
    "a/pipe|colon:percent%",
    "a/*_`markdown`_*",
    'a/"quotes",commas',
    "-m",
    "a/b/c/d",
    "a/\N{RIGHT-TO-LEFT OVERRIDE}ledom",
)


def _show_name(name: str, folder: Path) -> Verdict:
    """The whole name, in the table and, as a whole value, in JSON; what cannot be printed is replaced."""
    out = sound(folder)
    file_of(out).with_name("model_meta.json").write_text(json.dumps({"name": name, "revision": "1"}))
    name = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    table = judge_command(harness_ext("show", out), lambda said: name in said, name)
    if table.outcome != "right":
        return table
    shown = harness_ext("show", out, "--format", "json")
    return judge_command(shown, lambda said: name in _texts(json.loads(said)), name)


def _texts(content: Any) -> set[str]:
    """All texts in a JSON value."""
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else []
    return {content} if isinstance(content, str) else set().union(*map(_texts, parts))


def _revisions(out: Path) -> None:
    shutil.copytree(file_of(out).parent, file_of(out).parent.with_name("2"))


def _unverified(out: Path) -> None:
    content = json.loads(file_of(out).read_text())
    content["dataset_revision"] += "+unverified"
    file_of(out).write_text(json.dumps(content))


FOLDERS: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "a folder that is not there": (shutil.rmtree, ("out", "no such folder")),
    "a file": (lambda out: (shutil.rmtree(out), out.write_text("")), ("out", "no such folder")),
    "an empty folder": (lambda out: (shutil.rmtree(out), out.mkdir()), ("out", "mteb run -m MODEL")),
    "an empty folder of results": (lambda out: shutil.rmtree(out / "results" / "planted__first"), (SECOND,)),
    "results of other tasks only": (
        lambda out: [file.rename(file.with_name("STS12.json")) for file in out.glob(f"results/*/*/{TASK}.json")],
        ("out", "mteb run -m MODEL"),
    ),
    "a folder for a result": (lambda out: (file_of(out).unlink(), file_of(out).mkdir()), (f"{TASK}.json", SECOND)),
    "a link to nowhere": (
        lambda out: (file_of(out).unlink(), file_of(out).symlink_to(out / "gone")),
        (f"{TASK}.json", SECOND),
    ),
    "a link to itself": (
        lambda out: (file_of(out).unlink(), file_of(out).symlink_to(file_of(out))),
        (f"{TASK}.json", SECOND),
    ),
    "a link from below to above": (lambda out: (out / "results" / "loop").symlink_to(out / "results"), (FIRST, SECOND)),
    "a lock left behind": (lambda out: file_of(out).with_name(f".{TASK}.json.lock").touch(), (FIRST, SECOND)),
    "notes among the results": (lambda out: (out / "results" / "notes.json").write_text("mine"), (FIRST, SECOND)),
    "two revisions of a model": (_revisions, (f"{FIRST} @1", f"{FIRST} @2")),
    "results on verified and on other data": (_unverified, ("+unverified", SECOND)),
}


def _show_folder(change: Callable[[Path], Any], names: tuple[str, ...], folder: Path) -> Verdict:
    out = sound(folder)
    change(out)
    return judge_command(harness_ext("show", out), lambda said: all(name in said for name in names), *names)


def _other_data(folder: Path) -> Verdict:
    """The earlier result is on data that was not the pinned one: both are there in the end."""
    out = sound(folder)
    _unverified(out)
    score = main_score(file_of(out))

    def run() -> tuple[float, int]:
        measure(out, overwrite_strategy="always")
        return main_score(file_of(out)), len([*out.rglob(f"{TASK}.json")])

    return unless_lost(out, lambda: judge(run, lambda found: found == (score, 3), f"{TASK}.json"))


def _without_items(folder: Path) -> Verdict:
    """What kept no items is measured anew where that is asked for, and compared then."""
    out = sound(folder)
    with environment(HARNESS_EXT_ITEMS="0"):
        measure(out, overwrite_strategy="always")
    done = harness_ext("compare", out)
    return unless_lost(out, lambda: judge_command(done, lambda said: False, f"{TASK}.json", "--overwrite-strategy"))


def _formats(folder: Path) -> Verdict:
    """Every format of a folder with a damaged file names it, and is one that can be read."""
    out = sound(folder)
    damaged(file_of(out), "half a file")
    for form in ("csv", "markdown", "json"):
        verdict = judge_command(harness_ext("show", out, "--format", form), lambda said: False, f"{TASK}.json", SECOND)
        if verdict.outcome != "clear":
            return verdict
    json.loads(harness_ext("show", out, "--format", "json").stdout)
    return verdict
