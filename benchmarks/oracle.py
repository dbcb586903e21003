r"""The referee of moves and renames: writes down what must not change, and says what did.

    python -m benchmarks.oracle write FILE.json
    python -m benchmarks.oracle compare FILE.json [--renamed MAP.json]

Figures are the scores of stored results, computed anew from their items; digests of plans, on the data at hand; all
scores of planted models; what measures and tasks declare; the options of commands. A key is `section | name | ...`,
without a path of a module. Both runs need the same `HARNESS_EXT_MIRROR` and `HARNESS_EXT_ALLOW_UNVERIFIED`.

`MAP.json` may have two fields. `renamed` is old name -> new name, for whole words of the old keys and texts, all at
once; a name is a regular expression, and the new one may use its groups: `{"(n_)?auc(_ci_low)?": "\\1area\\2"}`.
`may_move` lists patterns of new keys whose figures may move, come or go: `["task | * | description"]`.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import math
import multiprocessing
import os
import re
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import numpy as np

import harness_ext
from harness_ext.data.sources import SourceError
from harness_ext.tasks import ENCODER_MEASURES, ENCODER_TASKS, LANGUAGE_MODEL_MEASURES, TASKS
from harness_ext.tasks.data import load_rows, splits_of

Found = Iterator[tuple[list[str], Any]]  # parts of a key, and a figure or nested figures

FOLDERS = ("leaderboard", "docs/example_results")
PARTS = 8  # a folder is read in so many

PROTOCOLS = {
    "PolaritySensitivity": ("reference_trained_on_dev", "system_trained_on_dev"),
    "PolaritySensitivityMini": ("mini_limit_100",),
    "TreeReconstruction": ("dev_mean", "dev_words_from_train_linear"),
    "TreeReconstructionMini": ("test_mean", "test_linear"),
}
"""Task -> splits beside those of its dataset."""

TOLERANCE = 1e-9
NOT_AT_HAND = "not at hand"


def results(folder: str, part: int) -> Found:
    """Yield scores, intervals and gains of stored results, from their items."""
    for entry in harness_ext.load_results(folder).entries[part::PARTS]:
        scores = entry.recomputed()
        entry.forget_items()
        yield ["result", folder, entry.model, entry.revision, entry.task, entry.split, entry.subset], scores


def plans(name: str) -> Found:
    """Yield the digest of each column of each plan of a task, also of splits that are not measured by default."""
    task = TASKS[name]
    for subset in task.subsets:
        for split in dict.fromkeys((*splits_of(task, subset), *PROTOCOLS.get(name, ()))):
            place = ["plan", name, split, subset]
            try:
                plan = task.measure.planned([*load_rows(task, split, subset)], split)
            except SourceError:
                yield place, NOT_AT_HAND
            except ValueError as error:  # a split that only others are made of
                yield place, type(error).__name__
            else:
                yield [*place, "rows"], len(plan)
                yield from (([key], _digest(values)) for key, values in _flat(place, _plain(plan)))


def planted(name: str) -> Found:
    """Yield all scores of two encoders: one heeds the order of words and has vectors of spans, the other neither."""
    for subset in TASKS[name].subsets:
        for split in (*TASKS[name].splits, *PROTOCOLS.get(name, ())):
            for encode, spans in ((ordered, ordered_spans), (letters, None)):
                found = harness_ext.measure(encode, name, split=split, subset=subset, encode_spans=spans)
                yield ["planted", encode.__name__, name, split, subset], _numbers(found.entry)


@functools.cache
def _drawn(word: str) -> Any:
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=24)


def ordered(texts: list[str]) -> Any:
    """Encode texts as vectors that are no sum of words and heed their order."""
    return np.array([np.tanh(sum(0.8**n * _drawn(word) for n, word in enumerate(text.split()))) for text in texts])


def ordered_spans(sentences: list[str], spans: list[tuple[int, int]]) -> Any:
    """Encode words inside sentences, which the whole sentence colors."""
    inside = [" ".join(text.split()[slice(*span)]) for text, span in zip(sentences, spans, strict=True)]
    return ordered(inside) + 0.5 * ordered(sentences)


def letters(texts: list[str]) -> Any:
    """Encode texts by how often each letter is in them."""
    return np.sqrt([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


def language_models() -> Found:
    """Yield the digest of the questions of each task for lm-eval, and all scores of a planted language model."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager, get_task_dict

    class Planted(LM):  # type: ignore[misc]
        def loglikelihood(self, requests: Any) -> Any:
            return [(-1 - zlib.crc32("\0".join(request.args).encode()) / 2**32 * 50, False) for request in requests]

        def generate_until(self, requests: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = generate_until

    folder = Path(sys.modules["harness_ext.tasks"].__path__[0], "lm_eval")
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    for name in TASKS.keys() - ENCODER_TASKS.keys():
        try:
            task = get_task_dict([name], manager)
        except SourceError:
            yield ["plan", name], NOT_AT_HAND
            continue
        found = lm_eval.evaluate(Planted(), task, bootstrap_iters=0)
        questions = [sample["arguments"] for sample in found["samples"][name]]
        yield ["plan", name], {"rows": len(questions), "questions": _digest(questions)}
        yield ["planted", "language model", name], _numbers(found["results"][name])


def declarations() -> Found:
    """Yield what measures, columns and tasks declare."""
    import mteb

    yield ["task"], [*TASKS]
    for name, measure in {**ENCODER_MEASURES, **LANGUAGE_MODEL_MEASURES}.items():
        hints = get_type_hints(measure.needs, include_extras=True) if measure.needs else {}
        needed = {field: get_origin(hint) is not NotRequired for field, hint in hints.items()}
        yield ["measure", name], {**_plain(measure), "needs": needed, "keys": [*measure.declarations()]}
        for key, (score, axes) in measure.declarations().items():
            yield ["declaration", name, key], {**_plain(score), "by_axes": axes, "resampled": score.resampled}
        for table, kind in measure.items.table_types().items():
            for column, (_, dtype, description) in kind.columns().items():
                place = ["column", name, table, column]
                yield place, {"is": [dtype.__name__, description], "measured": kind.measured().get(column)}
    for name, task in TASKS.items():
        yield ["task", name], {**_plain(task), "measure": task.measure.definition, "module": None}
    for name in ENCODER_TASKS:
        yield ["mteb", name], mteb.get_task(name).metadata.model_dump(mode="json")


def commands() -> Found:
    """Yield every command with its arguments and options, without their help."""
    import typer

    from harness_ext.cli import app

    def of(command: Any, path: list[str]) -> Found:
        yield path, sorted(one.name for one in command.params)
        for one in command.params:
            facts = ("opts", "secondary_opts", "required", "multiple", "nargs", "default")
            choices = [choice for choice in get_args(one.type_descriptor.annotation) if isinstance(choice, str)]
            yield [*path, one.name], {**{fact: getattr(one, fact) for fact in facts}, "choices": choices}
        for name, below in sorted(getattr(command, "commands", {}).items()):
            yield from of(below, [*path, name])

    return of(typer.main.get_command(app), ["command"])


def _plain(value: Any) -> Any:
    """Make of a value what JSON can hold; functions and what is empty are left out."""
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        said = {str(name): _plain(one) for name, one in value.items() if not callable(one)}
        return {name: one for name, one in said.items() if one is not None and one not in ("", [], {})}
    if isinstance(value, np.ndarray | list | tuple):
        return [*map(_plain, value.tolist() if isinstance(value, np.ndarray) else value)]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _flat(place: list[str], value: Any) -> Iterator[tuple[str, Any]]:
    for name, one in value.items() if isinstance(value, dict) else ():
        yield from _flat([*place, name], one)
    if not isinstance(value, dict):
        yield " | ".join(place), value


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in scores.items() if isinstance(value, int | float) and value == value}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _done(job: tuple[Any, ...]) -> dict[str, Any]:
    return {key: one for place, value in job[0](*job[1:]) for key, one in _flat(place, _plain(value))}


def figures() -> dict[str, Any]:
    """All figures of this tree."""
    jobs: list[Any] = [(commands,), (declarations,), (language_models,)]
    jobs += [(results, folder, part) for folder in FOLDERS for part in range(PARTS)]
    jobs += [(planted, name) for name, task in ENCODER_TASKS.items() if task.quick]
    jobs += [(plans, name) for name in ENCODER_TASKS]
    with tempfile.TemporaryDirectory() as cache:  # else rows would come from an earlier run
        os.environ |= {"HF_DATASETS_CACHE": cache, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
        for name in ("HARNESS_EXT_VECTORS", "HARNESS_EXT_ITEMS", "HARNESS_EXT_ADDITIVE"):
            os.environ.pop(name, None)
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = [pair for figures in pool.imap_unordered(_done, jobs) for pair in figures.items()]
    return dict(json.loads(json.dumps(sorted(found))))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {_renamed(key, names): _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    if not (isinstance(value, str) and names):
        return value

    def new_name(found: re.Match[str]) -> str:
        matches = ((re.fullmatch(old, found[0]), new) for old, new in names.items())
        return next(match.expand(new) for match, new in matches if match)

    return re.sub(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", new_name, value)


def compare(old: dict[str, Any], new: dict[str, Any], may_move: list[str]) -> bool:
    """Print each figure that moved, came or went, and how many were compared. Returns whether one moved."""
    counts: dict[str, Counter[str]] = {}
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key, "nothing"), new.get(key, "nothing")
        numeric = isinstance(was, int | float) and isinstance(now, int | float)
        is_equal = math.isclose(was, now, rel_tol=0, abs_tol=TOLERANCE) if numeric else was == now
        is_allowed = any(fnmatchcase(key, pattern) for pattern in may_move)
        outcome = "equal" if is_equal else "allowed to move" if is_allowed else "moved"
        counts.setdefault(key.partition(" | ")[0], Counter())[outcome] += 1
        if outcome == "moved":
            print(f"{key}: {str(was)[:160]} -> {str(now)[:160]}")
    counts["in all"] = sum(counts.values(), Counter())
    for section, count in counts.items():
        outcomes = (f"{count[outcome]} {outcome}" for outcome in ("equal", "moved", "allowed to move"))
        print(f"{section}: {count.total()} compared, {', '.join(outcomes)}")
    return counts["in all"]["moved"] > 0


def main() -> None:
    """Write the figures of this tree, or compare them with those of a file; the status is 1 if one moved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--renamed", type=Path, help="renamed names, and figures that may move")
    given, tree = parser.parse_args(), Path(__file__).parents[1]
    assert Path(harness_ext.__file__).parents[1] == tree, f"this Python has another tree than {tree} installed"
    new = figures()
    print(len(new), "figures; not at hand:", *(key for key, value in new.items() if value == NOT_AT_HAND))
    if given.command == "write":
        given.file.write_text(json.dumps(new, indent=0, ensure_ascii=False), encoding="utf-8")
        return
    changes = json.loads(given.renamed.read_text(encoding="utf-8")) if given.renamed else {}
    written = json.loads(given.file.read_text(encoding="utf-8"))
    old = _renamed(written, changes.get("renamed", {}))
    assert len(old) == len(written), "renaming gives two figures one key"
    sys.exit(compare(old, new, changes.get("may_move", [])))


if __name__ == "__main__":
    main()
