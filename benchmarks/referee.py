r"""The referee of a refactor: records what must stay, and compares it to the byte.

    python -m benchmarks.referee record FOLDER
    python -m benchmarks.referee compare FOLDER [--quick] [--allow FILE]

What is recorded are texts, by section and name. `--quick` takes the sections that need a minute
in all, `--slow` also those that need many. `--section NAME` takes one alone (repeatable).

- Quick: `declarations` of measures, columns and tasks; `published` cells; `results`, recomputed
  from the items of docs/example_results, with views; `scores`, what `harness_ext.measure` gives
  for each Mini task; `pages` that docs/pages.py writes; `explained`, the text of every key;
  `commands`.
- Else also: `leaderboard`, as `results`; `plans` of all tasks for encoders, and the documents of
  those for language models, on the data at hand; `minis`, entries of result files with baselines
  and noise of two encoders; `scores at hand`, of full tasks; `longer commands`, which measure or
  build.
- Slow: `verify` and a board, of all of `leaderboard/`.

The data is sought in the folders of HARNESS_EXT_MIRROR, else in ../shared. A text that needs data
which is not there is skipped, and counted. Commands never see that data.

A line of the file that `--allow` names is `SECTION | NAME | LINE`: a name with wildcards, and a
regular expression. A difference of lines that all match is counted apart, and not as moved.

Only the first part of this file knows the inside of the package.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import difflib
import functools
import hashlib
import importlib
import io
import json
import logging
import math
import multiprocessing
import os
import re
import runpy
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NotRequired, get_origin, get_type_hints

import numpy as np

import harness_ext

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "example_results"
BOARD = ROOT / "leaderboard"
ATTRIBUTES = ROOT / "tests" / "public_score_attributes.csv"

# ------------------------------------------------------------------------------------------------
# The inside of the package: after a refactor, only this part is changed.


def all_measures() -> Mapping[str, Any]:
    """Every measure, by name."""
    from harness_ext.tasks import ENCODER_MEASURES, LANGUAGE_MODEL_MEASURES

    return {**ENCODER_MEASURES, **LANGUAGE_MODEL_MEASURES}


def all_tasks() -> Mapping[str, Any]:
    """Every task, by name, in the order of the documentation."""
    from harness_ext.tasks import TASKS

    return TASKS


def encoder_tasks() -> Mapping[str, Any]:
    """Every task for mteb, by name."""
    from harness_ext.tasks import ENCODER_TASKS

    return ENCODER_TASKS


def facts_of_measure(measure: Any) -> dict[str, Any]:
    """What a measure says of itself, without what computes."""
    names = ("name", "version", "main", "unit", "adjusted", "exploratory", "additive")
    names += ("fewest_units", "headline", "published", "package")
    names_of_encoders = ("labels", "symmetric", "examples")
    facts = {name: getattr(measure, name) for name in names}
    facts |= {name: getattr(measure, name, []) for name in names_of_encoders}
    facts["definition"] = measure.definition
    facts["main_is_ours"] = measure.main_is_ours
    facts["items"] = measure.items.__name__
    facts["unit counts"] = measure.unit_counts()
    facts["is of encoders"] = getattr(measure, "plan", None) is not None
    facts["row"] = fields_of_row(getattr(measure, "row", None))
    facts["wording"] = plain(measure.wording()) | {"question": measure.question}
    facts["closer look"] = plain(measure.closer_look())
    facts["line of an own table"] = fields_of_row(getattr(measure, "line", None))
    return facts


def fields_of_declaration(declaration: Any) -> dict[str, Any]:
    """The public fields of what `measure.declarations` has for a key."""
    score, axes = declaration
    names = ("key", "title", "formula", "range", "better", "chance", "ceiling", "source")
    names += ("interval", "smallest_effect", "not_in_interval", "resampled")
    facts = {{"better": "direction"}.get(name, name): getattr(score, name) for name in names}
    facts["value on each axis"] = dict(axes)
    facts["axes"] = {axis.name: dict(axis.values) for axis in score.axes}
    return facts


def columns_of_items(measure: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield table and column, and what the column declares."""
    for table, kind in measure.items.table_types().items():
        for column, (_, dtype, description) in kind.columns().items():
            measured = kind.measured().get(column)
            facts = {"type": dtype.__name__, "description": description}
            facts["range"] = measured.range if measured else None
            yield f"{table}.{column}", facts


def facts_of_task(task: Any) -> dict[str, Any]:
    """What a task declares, under public names."""
    names = ("name", "harness", "description", "subsets", "splits", "category", "quick")
    names += ("in_demo", "telling_keys")
    facts = {name: getattr(task, name) for name in names}
    facts["measure"] = task.measure.definition
    facts["dataset"] = dict(task.dataset)
    facts["languages"] = dict(task.languages)
    facts["configs"] = task.dataset_configs()
    facts["configs of splits"] = {split: task.dataset_configs(split) for split in task.splits}
    facts["wordings"] = {split: plain(words) for split, words in task.wordings.items()}
    return facts


def recomputed(entry: Any) -> Mapping[str, float]:
    """All scores of an entry that follow from its items and those of its baselines, in order."""
    return entry.recomputed()


def view_of_entry(entry: Any) -> Any:
    """The view of an entry's units: `facts`, `figures`, `wrong`, `rows`; None where it has none."""
    from harness_ext.results.views import view_of

    return view_of(entry.measure, entry.items())


def published(task: str) -> Any:
    """The published cells of a task."""
    from harness_ext.results.published import published_cells

    return published_cells(task)


def splits_of_task(task: Any, subset: str) -> tuple[str, ...]:
    """The splits of the dataset, also those that are not measured by default."""
    return task.dataset_splits(subset)


def rows_of_task(task: Any, split: str, subset: str) -> list[dict[str, Any]]:
    """The rows of a split, or an error of `not_at_hand`."""
    from harness_ext.tasks.data import load_rows

    return [*load_rows(task, split, subset)]


def not_at_hand() -> type[Exception]:
    """The error of data that is not here."""
    from harness_ext.data.sources import SourceError

    return SourceError


def pairs_of_plan(plan: Any) -> list[tuple[Any, Any]]:
    """The distinct pairs of texts that a plan compares."""
    from harness_ext.measures.core.fill import compared_pairs

    return compared_pairs(plan)


def explanation(key: str) -> str:
    """What `harness-ext explain` prints."""
    from harness_ext.show.explain import explain

    return explain(key)


def language_model_folder() -> Path:
    """The folder of the YAML files for lm-eval."""
    from harness_ext.common.folders import lm_eval_tasks

    return lm_eval_tasks()


def own_data_measures() -> list[str]:
    """The measures that a user's own rows may have."""
    from harness_ext.own_data.fields import MEASURES

    return [*MEASURES]


def command() -> Any:
    """The command `harness-ext` as click knows it."""
    import typer

    from harness_ext.cli import app

    return typer.main.get_command(app)


# ------------------------------------------------------------------------------------------------
# The sections: each function yields names and texts; None stands for what is not at hand.

Texts = Iterator[tuple[str, str | None]]

PROTOCOLS = {
    "PolaritySensitivity": ("reference_trained_on_dev", "system_trained_on_dev"),
    "PolaritySensitivityMini": ("mini_limit_100",),
    "TreeReconstruction": ("dev_mean", "dev_words_from_train_linear"),
    "TreeReconstructionMini": ("test_mean", "test_linear"),
}
"""Task -> splits beside those of its dataset."""

NOUNS = ("dog", "cat", "horse", "bird", "boy", "girl", "nurse", "pilot", "baker", "clerk", "judge")


def own_rows() -> Mapping[str, list[dict[str, Any]]]:
    """A user's own rows for the kinds of measures."""
    triplets = []
    rated_pairs = []
    pair_classes = []
    retrieval = []
    for number, noun in enumerate(NOUNS):
        call = f"Call the {noun}."
        ring = f"Ring up that {noun}."
        feed = f"Feed the {noun} now."
        triplets.append({"anchor": call, "right": ring, "wrong": feed})
        for second, score in ((ring, 5 - number % 3), (feed, number % 4)):
            rated_pairs.append({"sentence1": call, "sentence2": second, "score": score})
        for second, kind in ((ring, "same"), (feed, "another")):
            pair = {"first": call, "second": second, "kind": "verb"}
            pair_classes.append({**pair, "class": kind, "group": noun})
        for text, sense, is_query in (
            (call, "call", True),
            (ring, "call", False),
            (feed, "feed", False),
            (f"Give the {noun} food.", "feed", True),
        ):
            retrieval.append({"is_query": is_query, "text": text, "group": noun, "sense": sense})
    return {
        "triplets": triplets,
        "rated_pairs": rated_pairs,
        "pair_classes": pair_classes,
        "retrieval": retrieval,
    }


LARGEST_TEXT = 300_000
"""Bytes of a file, above which its hash alone is recorded."""

LONGEST_COMMAND = 3600
"""Seconds, after which a command is stopped."""


def declarations_of_measure(name: str) -> Texts:
    """What a measure, its scores and its columns declare."""
    measure = all_measures()[name]
    yield f"measure {name}", listed(facts_of_measure(measure))
    scores = [
        f"{key}\n{listed(fields_of_declaration(declaration), '    ')}"
        for key, declaration in measure.declarations.items()
    ]
    yield f"scores of {name}", "\n".join(scores)
    columns = [f"{place}: {shown(facts)}" for place, facts in columns_of_items(measure)]
    yield f"columns of {name}", "\n".join(columns)


def declarations_of_tasks() -> Texts:
    """What tasks declare, here and to mteb."""
    import mteb

    yield "tasks", "\n".join(all_tasks())
    yield "measures", "\n".join(all_measures())
    for name, task in all_tasks().items():
        yield f"task {name}", listed(facts_of_task(task))
    for name in encoder_tasks():
        metadata = mteb.get_task(name).metadata.model_dump(mode="json")
        yield f"mteb's metadata of {name}", listed(metadata)


def published_of_tasks() -> Texts:
    """The published cells of all tasks."""
    for name in all_tasks():
        cells = [shown(plain(cell)) for cell in published(name)]
        if cells:
            yield name, "\n".join(cells)


@functools.cache
def entries(folder: Path) -> Any:
    """The entries of a folder of results."""
    return harness_ext.load_results(folder).entries


def result(folder: Path, part: int, parts: int) -> Texts:
    """Stored results, computed anew from their items; every `parts`-th from `part` on."""
    for entry in entries(folder)[part::parts]:
        lines = [f"{key} = {shown(value)}" for key, value in recomputed(entry).items()]
        again = entry.measure.flat_scores(entry.items())
        lines += [f"order: {' '.join(again)}"]
        counts = entry.measure.unit_counts()
        lines += [f"unit count {name}: of {key}" for name, key in counts.items()]
        lines += view_lines(view_of_entry(entry))
        place = (entry.model, entry.revision[:8], entry.task, entry.subset, entry.split)
        entry.forget_items()
        yield " ".join(place), "\n".join(lines)


def view_lines(view: Any) -> Iterator[str]:
    """The columns of a view: a hash of each, and how it begins."""
    if view is None:
        yield "view: none"
        return
    columns = {f"fact {name}": column for name, column in view.facts.items()}
    columns |= {f"figure {name}": column for name, column in view.figures.items()}
    columns |= {"wrong": view.wrong, "rows": view.rows}
    for name, column in columns.items():
        values = None if column is None else np.asarray(column).tolist()
        yield f"view, {name}: {digest(values)} {shown(values[:3]) if values else ''}"


@functools.cache
def drawn(word: str) -> Any:
    """A vector of a word, drawn by its hash."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=24)


def ordered(texts: list[str]) -> Any:
    """Encode texts as vectors that are no sum of words and heed their order."""
    vectors = []
    for text in texts:
        words = [0.8**place * drawn(word) for place, word in enumerate(text.split())]
        vectors.append(np.tanh(sum(words, np.zeros(24))))
    return np.array(vectors)


def ordered_spans(sentences: list[str], spans: list[tuple[int, int]]) -> Any:
    """Encode words inside sentences, which the whole sentence colors."""
    inside = []
    for sentence, (first, end) in zip(sentences, spans, strict=True):
        inside.append(" ".join(sentence.split()[first:end]))
    return ordered(inside) + 0.5 * ordered(sentences)


def letters(texts: list[str]) -> Any:
    """Encode texts by how often each letter is in them."""
    alphabet = "abcdefghijklmnopqrstuvwxyzäöüßçğış"
    return np.sqrt([[1 + text.count(letter) for letter in alphabet] for text in texts])


def places_of(name: str) -> Iterator[tuple[str, str]]:
    """The splits and subsets of a Mini task."""
    task = encoder_tasks()[name]
    for subset in task.subsets:
        for split in (*task.splits, *PROTOCOLS.get(name, ())):
            yield split, subset


def scores_of_mini(name: str) -> Texts:
    """What `harness_ext.measure` answers, without baselines."""
    for split, subset in places_of(name):
        with environment(HARNESS_EXT_ADDITIVE="0"):
            place = {"split": split, "subset": subset}
            measured = harness_ext.measure(ordered, name, **place, encode_spans=ordered_spans)
        yield f"{name} {subset} {split}", "\n".join(lines_of_measured(measured))


def scores_at_hand(name: str, subset: str) -> Texts:
    """The same of a full task, in its first split."""
    split = encoder_tasks()[name].splits[0]
    place = f"{name} {subset} {split}"
    try:
        rows_of_task(encoder_tasks()[name], split, subset)
    except not_at_hand():
        yield place, None
        return
    with environment(HARNESS_EXT_ADDITIVE="0"):
        measured = harness_ext.measure(ordered, name, split=split, subset=subset)
    yield place, "\n".join(lines_of_measured(measured))


def scores_of_own_rows(measure: str) -> Texts:
    """The same of a user's own rows."""
    with environment(HARNESS_EXT_ADDITIVE="0"):
        measured = harness_ext.measure(letters, own_rows()[measure], measure, name="mine")
    yield f"own rows for {measure}", "\n".join(lines_of_measured(measured))


def lines_of_measured(measured: Any) -> Iterator[str]:
    """What a caller can ask a measured encoder."""
    yield repr(measured)
    yield f"interval: {shown([*measured.interval])}"
    yield f"items: {measured.items.digest()}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, value in measured.scores.flat().items():
            yield f"{key} = {shown(value)}"
        for name in attributes(measured.task.measure.name):
            yield f".{name} = {shown(plain(getattr(measured.scores, name)))}"
        yield measured.scores.to_pandas().to_csv()


@functools.cache
def attributes(measure: str) -> list[str]:
    """The attributes that `measured.scores` has in 1.0, of a measure."""
    with ATTRIBUTES.open(encoding="utf-8", newline="") as file:
        return [row["attribute"] for row in csv.DictReader(file) if row["measure"] == measure]


def mini(name: str, encoder: str) -> Texts:
    """The entry of a result file, in order, with baselines and noise."""
    encode, spans = {"ordered": (ordered, ordered_spans), "letters": (letters, None)}[encoder]
    for split, subset in places_of(name):
        measured = harness_ext.measure(encode, name, split=split, subset=subset, encode_spans=spans)
        lines = [f"{key} = {shown(value)}" for key, value in measured.entry.items()]
        yield f"{encoder} {name} {subset} {split}", "\n".join(lines)


def plan(name: str, subset: str) -> Texts:
    """Plans of a task, also of splits that are not measured by default."""
    task = encoder_tasks()[name]
    splits = dict.fromkeys((*splits_of_task(task, subset), *PROTOCOLS.get(name, ())))
    for split in splits:
        place = f"{name} {subset} {split}"
        try:
            rows = rows_of_task(task, split, subset)
            planned = task.measure.planned(rows, split)
        except not_at_hand():
            yield place, None
        except ValueError as error:  # a split that only others are made of
            yield place, f"{type(error).__name__}: {error}"
        else:
            yield place, "\n".join(lines_of_plan(planned, len(rows)))


def lines_of_plan(planned: Any, n_rows: int) -> Iterator[str]:
    """How many rows, texts and pairs a plan has, and their hashes."""
    texts = planned.texts()
    pairs = [plain(pair) for pair in pairs_of_plan(planned)]
    yield f"rows of the data: {n_rows}"
    yield f"items: {len(planned)} {planned.digest(measured=False)}"
    yield f"texts: {len(texts)} {digest(texts)}"
    yield f"pairs: {len(pairs)} {digest(pairs)}"
    for table, rows in planned.tables().items():
        yield f"table {table}: {len(rows)}"


def language_model(name: str) -> Texts:
    """The documents of a task for lm-eval, and the scores of a model that answers by hash."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager, get_task_dict

    class ByHash(LM):  # type: ignore[misc]
        def loglikelihood(self, requests: Any, **_: Any) -> Any:
            return [(-50 * fraction("\0".join(request.args)) - 1, False) for request in requests]

        def generate_until(self, requests: Any, **_: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = generate_until

    manager = TaskManager(include_path=str(language_model_folder()), include_defaults=False)
    try:
        task = get_task_dict([name], manager)
    except not_at_hand():
        yield f"lm-eval {name}", None
        return
    found = lm_eval.evaluate(ByHash(), task, bootstrap_iters=0)
    samples = found["samples"][name]
    documents = [sample["doc"] for sample in samples]
    lines = [f"documents: {len(documents)} {digest(documents)}"]
    lines += [f"questions: {digest([plain(sample['arguments']) for sample in samples])}"]
    lines += [f"first document: {json.dumps(documents[0], ensure_ascii=False)}"]
    lines += [f"{key} = {shown(value)}" for key, value in found["results"][name].items()]
    lines += [f"higher is better: {shown(found['higher_is_better'][name])}"]
    yield f"lm-eval {name}", "\n".join(lines)


def fraction(text: str) -> float:
    """A number in [0, 1) by the hash of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def page() -> Texts:
    """The pages that docs/pages.py makes; of a copy, so that nothing is written here."""
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        for path in (ROOT / "docs").iterdir():
            if path.is_file():
                shutil.copy(path, docs)
        for path, text in runpy.run_path(str(ROOT / "docs" / "pages.py"))["pages"](docs):
            yield path.name, text


def explained() -> Texts:
    """The text of every key, and of every task."""
    keys = {key: None for measure in all_measures().values() for key in measure.declarations}
    words = ("terms", "PSS", "tree impurity", "ε", "gain", "chance", "rank share", "people")
    for key in (*keys, *all_tasks(), *words):
        try:
            yield key, explanation(key)
        except Exception as error:
            yield key, f"{type(error).__name__}: {error}"


# ------------------------------------------------------------------------------------------------
# Commands

FORMATS = ("table", "markdown", "latex", "csv", "json")
PROGRAM = "harness-ext"
KNOWN = "sentence-transformers/all-MiniLM-L6-v2"
RANDOM = "mteb/baseline-random-encoder"
SMALL_BOARD = ("all-MiniLM-L6-v2", "all-mpnet-base-v2", "wordllama-256")
SMALL_BOARD_TASKS = ("EpsilonCompositionality", "CaptionSwap", "PolaritySensitivity")


def quick_lines() -> Iterator[str]:
    """Commands that take a second or two."""
    for path in command_paths(command(), ()):
        yield " ".join((*path, "--help"))
    yield "--version"
    for form in FORMATS:
        yield f"tasks --format {form}"
        yield f"needs --format {form}"
        yield f"show results --format {form}"
        yield f"show results --details --format {form}"
        yield f"compare results --format {form}"
        yield f"datasets list --format {form}"
    for name in all_tasks():
        if published(name):
            yield f"show --published {name} --format json"
    yield "show --published EpsilonCompositionality"
    yield "show --published TypeTokenIdiomaticity"
    yield "show results --signature"
    yield "show results --controls"
    yield f"show results -t EpsilonCompositionalityMini -m {KNOWN}"
    for key in ("auc_nc_vs_c", "rank_share_head_NC", "gain", "terms", "share_swaps", "pss"):
        yield f"explain {key}"
    yield "explain EpsilonCompositionality"
    yield "explain tree impurity"
    yield "explain rank_share_NC -t EpsilonCompositionalityMini"
    yield "compare results --by class"
    yield "compare results --by class --format json"
    yield "compare results --score gain"
    yield "compare results --pairs"
    yield "compare results --score rank_share_NC --format csv"
    for name in own_data_measures():
        yield f"needs {name}"
    yield "needs triplets --template template.csv"
    columns = "--column anchor=clause --column right=same_duty --column wrong=other_duty"
    yield f"check legal_triplets.csv triplets {columns}"
    yield "check legal_triplets.csv triplets"
    yield "check german_compounds.csv --save read.csv"
    yield "check german_compounds_60.csv"
    yield "check german_compounds_60.csv epsilon"
    yield "check faq_pairs.csv merge_opposites"
    yield "check pairs.csv triplets"
    yield "datasets check --dataset compound_mini"
    yield "datasets export exported --dataset compound_mini --dataset modifier_phrases --org me"
    yield f"submit results -m {KNOWN} -o submission"
    yield f"publish results -m {KNOWN} --org me --to card"
    yield "leaderboard init board --title Mine"
    yield "explain nosuchkey"
    yield "explain auc_nc_vs_x"
    yield "show nowhere"
    yield "show results -t Epsilom"
    yield "compare results --score auc_nc_vs_x"
    yield "compare results --by clas"
    yield "needs epsilom"
    yield "verify results -t Epsilon"


def longer_lines() -> Iterator[str]:
    """Commands that measure, write pages, or verify."""
    yield "report results -o report"
    yield "report results -o report --no-sentences -t EpsilonCompositionalityMini"
    yield "verify results"
    yield "verify small --board"
    yield "leaderboard build small -o site"
    yield "leaderboard build small results -o site --strict"
    yield "report small -o report"
    yield "show small --details --format json"
    yield "show small"
    yield "show small --format json"
    yield "compare small"
    yield "compare small --by class --format csv"
    yield "compare results --with small --format json"
    yield f"submit small -m {KNOWN} -o submission"
    yield f"publish small -m {KNOWN} --org me --to card"
    yield f"safe-to-merge -m {RANDOM}"
    yield f"safe-to-merge -m {RANDOM} --format json --curve curve.csv"
    yield f"safe-to-merge --check rules:same -m {RANDOM} --pairs pairs.csv --at-most .5"
    columns = "--column anchor=clause --column right=same_duty --column wrong=other_duty"
    yield f"measure triplets legal_triplets.csv {columns} -m {RANDOM} --output-folder out"
    yield f"measure affinity german_compounds_60.csv -m {RANDOM} --output-folder out"
    yield "sweep --models models.txt -t NoSuchTask --output-folder out"


def slow_lines() -> Iterator[str]:
    """Commands on the whole board."""
    yield "verify whole --board"
    yield "leaderboard build whole -o site"
    yield "show whole --details --format json"
    yield "compare whole --format json"


def command_paths(group: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of every command, and of every group of commands."""
    yield path
    for name, below in getattr(group, "commands", {}).items():
        yield from command_paths(below, (*path, name))


def prepare(folder: Path) -> None:
    """Put into a folder what the commands read."""
    shutil.copytree(EXAMPLES, folder / "results")
    for path in (ROOT / "docs" / "own_data").glob("*.csv"):
        shutil.copy(path, folder)
    for home in sorted(BOARD.glob("results/*/*")):
        if home.parent.name.partition("__")[2] in SMALL_BOARD:
            place = folder / "small" / home.relative_to(BOARD)
            place.mkdir(parents=True)
            shutil.copy(home / "model_meta.json", place)
            for task in SMALL_BOARD_TASKS:
                for path in home.glob(f"{task}.*"):
                    shutil.copy(path, place)
    (folder / "whole").symlink_to(BOARD)
    (folder / "models.txt").write_text(RANDOM)
    (folder / "rules.py").write_text("def same(a, b):\n    return len(a) == len(b)\n")
    lines = ["first,second,kind"]
    for number in range(12):
        lines.append(f"Door {number} is open.,Door {number} is not closed.,same")
        lines.append(f"Door {number} is open.,Door {number} is shut.,opposite")
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n")


def run_command(line: str) -> Texts:
    """What a command prints and writes, in a folder of its own, and its exit status."""
    home = Path(tempfile.gettempdir(), hashlib.sha256(line.encode()).hexdigest()[:8])
    home.mkdir()
    try:
        prepare(home)
        before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
        status, stdout, stderr = in_a_child(shlex.split(line), home)
        parts = [f"$ {PROGRAM} {line}", f"exit status {status}", "--- stdout", stdout]
        parts += ["--- stderr", without_bars(stderr)]
        for path in sorted(home.rglob("*")):
            if path.is_file() and before.get(path) != path.read_bytes():
                parts += [f"--- file {path.relative_to(home)}", content(path)]
        yield line, normalized("\n".join(parts), home)
    finally:
        shutil.rmtree(home)


LIBRARIES = ("mteb", "sentence_transformers", "scipy.stats", "sklearn", "altair", "itables")
"""What commands import, and what takes seconds."""


@functools.cache
def import_libraries() -> None:
    """Import once what each command would import anew."""
    command()
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def in_a_child(arguments: list[str], home: Path) -> tuple[int, str, str]:
    """Run the command in a copy of this process, which has imported what it needs."""
    import_libraries()
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        child = os.fork()
        if not child:
            os._exit(child_of(arguments, home, stdout.fileno(), stderr.fileno()))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stdout.seek(0)
        stderr.seek(0)
        return status, stdout.read(), stderr.read()


def child_of(arguments: list[str], home: Path, stdout: int, stderr: int) -> int:
    """What the copy of the process does. Returns its exit status."""
    from harness_ext.__main__ import main as program

    status = 1
    try:
        signal.alarm(LONGEST_COMMAND)
        os.chdir(home)
        for name in ("HARNESS_EXT_MIRROR", "HARNESS_EXT_ALLOW_UNVERIFIED"):
            os.environ.pop(name, None)
        os.environ["HARNESS_EXT_CACHE"] = str(home / ".cache")
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        sys.stdin = io.StringIO()
        sys.stdout = os.fdopen(1, "w")
        sys.stderr = os.fdopen(2, "w")
        sys.argv = [PROGRAM, *arguments]
        sys.path.insert(0, str(home))
        logging.root.handlers.clear()
        try:
            code: Any = program()
        except SystemExit as error:
            code = error.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
        status = code if isinstance(code, int) else int(code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return status


def without_bars(stderr: str) -> str:
    """What a command says of errors, without bars of progress, which have the time."""
    lines = re.split("[\r\n]+", stderr.replace("\x1b[A", ""))
    return "\n".join(line for line in lines if line.strip() and "%|" not in line)


def content(path: Path) -> str:
    """The text of a file that a command wrote, or its hash."""
    data = path.read_bytes()
    if path.suffix == ".xlsx":  # which has the time
        return "a workbook"
    if len(data) <= LARGEST_TEXT:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode()
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"


def normalized(text: str, home: Path) -> str:
    """A text without paths of this machine and without times."""
    for path, name in ((home, "HOME"), (ROOT, "TREE"), (Path(sys.prefix), "PYTHON")):
        text = text.replace(str(path), name)
    seconds = '"(?:evaluation_time|date|start|end|seconds_per_1000_[a-z]+)": '
    text = re.sub(rf'({seconds})"?[\d.e+-]+"?', r"\1TIME", text)
    text = re.sub(r"(?m)^( *seconds per 1000 [a-z]+) .*$", r"\1 TIME", text)
    return re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)?", "TIME", text)


# ------------------------------------------------------------------------------------------------
# Texts of values


def plain(value: Any) -> Any:
    """Make of a value what a text can show: no arrays, no objects, no functions."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return f"function {value.__name__}" if callable(value) else value


def shown(value: Any) -> str:
    """A value in a line; floats with all their digits."""
    return repr(plain(value))


def listed(facts: Mapping[str, Any], indent: str = "") -> str:
    """Facts, a line each."""
    return "\n".join(f"{indent}{name} = {shown(value)}" for name, value in facts.items())


def digest(value: Any) -> str:
    """The sha256 of a value."""
    return hashlib.sha256(repr(plain(value)).encode()).hexdigest()


def fields_of_row(row: Any) -> dict[str, str]:
    """The fields of a row's type, and whether each is needed."""
    hints = get_type_hints(row, include_extras=True) if row else {}
    needed = {name: get_origin(hint) is not NotRequired for name, hint in hints.items()}
    return {name: "needed" if is_needed else "may lack" for name, is_needed in needed.items()}


@contextlib.contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set variables for a while."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


# ------------------------------------------------------------------------------------------------
# Recording and comparing

QUICK = "quick"
WHOLE = "whole"
SLOW = "slow"


@dataclass(frozen=True)
class Job:
    """A part of a section.

    Attributes:
        section: Its name.
        pace: Whether it belongs to the quick, the whole or the slow run.
        function: Yields names and texts.
        arguments: Of the function.
    """

    section: str
    pace: str
    function: Callable[..., Texts]
    arguments: tuple[Any, ...] = ()


def jobs() -> Iterator[Job]:
    """All parts of all sections; the longest first, so that both processes end together."""
    parts = 24
    for line in slow_lines():
        yield Job("slow commands", SLOW, run_command, (line,))
    minis = [name for name, task in encoder_tasks().items() if task.quick]
    for line in longer_lines():
        yield Job("longer commands", WHOLE, run_command, (line,))
    for name in minis:
        yield Job("minis", WHOLE, mini, (name, "ordered"))
        yield Job("minis", WHOLE, mini, (name, "letters"))
    for name, task in encoder_tasks().items():
        for subset in () if task.quick else task.subsets:
            yield Job("scores at hand", WHOLE, scores_at_hand, (name, subset))
    for part in range(parts):
        yield Job("leaderboard", WHOLE, result, (BOARD, part, parts))
    for name, task in encoder_tasks().items():
        for subset in task.subsets:
            yield Job("plans", WHOLE, plan, (name, subset))
    for name in all_tasks().keys() - encoder_tasks().keys():
        yield Job("plans", WHOLE, language_model, (name,))
    yield Job("pages", QUICK, page)
    yield Job("explained", QUICK, explained)
    for name in minis:
        yield Job("scores", QUICK, scores_of_mini, (name,))
    for name in own_rows():
        yield Job("scores", QUICK, scores_of_own_rows, (name,))
    for part in range(4):
        yield Job("results", QUICK, result, (EXAMPLES, part, 4))
    yield Job("published", QUICK, published_of_tasks)
    yield Job("declarations", QUICK, declarations_of_tasks)
    for name in all_measures():
        yield Job("declarations", QUICK, declarations_of_measure, (name,))
    for line in quick_lines():
        yield Job("commands", QUICK, run_command, (line,))


@dataclass(frozen=True)
class Done:
    """The texts of a job, the error that ended it, and its seconds."""

    job: Job
    texts: dict[str, str | None]
    error: str
    seconds: float


def do(job: Job) -> Done:
    """Do a part of a section."""
    start = time.monotonic()
    texts: dict[str, str | None] = {}
    error = ""
    try:
        with silence():
            for name, text in job.function(*job.arguments):
                texts[name] = text
    except Exception:
        error = traceback.format_exc()
    return Done(job, texts, error, time.monotonic() - start)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Let what libraries log go nowhere; a command has files of its own."""
    stderr = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


Sections = dict[str, dict[str, str | None]]


def texts_of_this_tree(chosen: list[Job], processes: int) -> tuple[Sections, list[str]]:
    """The texts by section and name, and the errors of jobs that ended early."""
    sections: Sections = {}
    errors = []
    seconds: dict[str, float] = {}
    longest: list[tuple[float, str]] = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        set_environment(Path(folder))
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            for number, done in enumerate(pool.imap_unordered(do, chosen), start=1):
                section = done.job.section
                sections.setdefault(section, {}).update(done.texts)
                seconds[section] = seconds.get(section, 0) + done.seconds
                place = " ".join([section, *map(str, done.job.arguments)])
                longest.append((done.seconds, place))
                if done.error:
                    errors.append(f"{place}\n{done.error}")
                if number % 20 == 0 or number == len(chosen):
                    passed = time.monotonic() - start
                    print(f"{number} of {len(chosen)} parts, {passed:.0f} s", file=sys.stderr)
    for section, spent in seconds.items():
        print(f"{section}: {spent:.0f} s of a core", file=sys.stderr)
    for spent, place in sorted(longest)[-5:]:
        print(f"  {spent:.0f} s: {place}", file=sys.stderr)
    return {name: dict(sorted(texts.items())) for name, texts in sorted(sections.items())}, errors


def set_environment(folder: Path) -> None:
    """Set what libraries read when they are imported, for the processes that are started next."""
    shared = ROOT.parent / "shared"
    here = [str(place) for place in (shared / "mirror", shared / "reconstructed") if place.is_dir()]
    for name in [name for name in os.environ if name.startswith("HARNESS_EXT_")]:
        if name != "HARNESS_EXT_MIRROR":
            del os.environ[name]
    os.environ.setdefault("HARNESS_EXT_MIRROR", os.pathsep.join(here))
    os.environ["HARNESS_EXT_ALLOW_UNVERIFIED"] = "1"
    os.environ["HARNESS_EXT_CACHE"] = str(folder / "sources")
    os.environ["HF_DATASETS_CACHE"] = str(folder / "datasets")
    os.environ["HF_HOME"] = str(folder / "huggingface")
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["TQDM_DISABLE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # sums in one order
    os.environ["COLUMNS"] = "100"
    os.environ["NO_COLOR"] = "1"
    os.environ["LC_ALL"] = "C.UTF-8"
    for name in ("TERM", "FORCE_COLOR", "TERMINAL_WIDTH"):
        os.environ.pop(name, None)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None


def file_of(folder: Path, section: str) -> Path:
    """The file of a section."""
    return folder / f"{section.replace(' ', '_')}.json"


def write(folder: Path, sections: Sections) -> None:
    """Write the texts, a file per section."""
    folder.mkdir(parents=True, exist_ok=True)
    for section, texts in sections.items():
        text = json.dumps(texts, ensure_ascii=False, indent=0)
        file_of(folder, section).write_text(text, encoding="utf-8")


def read(folder: Path, section: str) -> dict[str, str | None]:
    """Read the texts of a section."""
    return json.loads(file_of(folder, section).read_text(encoding="utf-8"))


@dataclass
class Outcome:
    """What the comparison of a section found."""

    texts: int = 0
    lines: int = 0
    moved: list[str] = field(default_factory=list)
    rounding: int = 0
    allowed: int = 0
    not_at_hand: int = 0

    def summary(self) -> str:
        """A line."""
        parts = [f"{self.texts} texts with {self.lines} lines compared"]
        parts.append(f"{len(self.moved)} moved" if self.moved else "none moved")
        if self.rounding:
            parts.append(f"{self.rounding} of these by less than 1e-9")
        if self.allowed:
            parts.append(f"{self.allowed} moved as allowed")
        if self.not_at_hand:
            parts.append(f"{self.not_at_hand} not at hand")
        return ", ".join(parts)


@dataclass(frozen=True)
class Allowed:
    """A line of the file with what may move."""

    section: str
    name: str
    line: re.Pattern[str]

    def covers(self, section: str, name: str, line: str) -> bool:
        """Whether a moved line is one that may."""
        is_there = fnmatchcase(section, self.section) and fnmatchcase(name, self.name)
        return is_there and self.line.fullmatch(line) is not None


def read_allowed(file: Path | None) -> list[Allowed]:
    """Read what may move."""
    lines = file.read_text(encoding="utf-8").splitlines() if file else []
    allowed = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            section, name, pattern = line.split(" | ", 2)
            allowed.append(Allowed(section, name, re.compile(pattern)))
    return allowed


def compare_section(
    section: str,
    old: Mapping[str, str | None],
    new: Mapping[str, str | None],
    allowed: list[Allowed],
) -> Outcome:
    """Compare the texts of a section."""
    outcome = Outcome()
    for name in dict.fromkeys((*old, *new)):
        before = old.get(name, "nothing")
        after = new.get(name, "nothing")
        if before is None or after is None:
            outcome.not_at_hand += 1
            continue
        outcome.texts += 1
        outcome.lines += before.count("\n") + 1
        if before == after:
            continue
        old_lines = before.split("\n")
        new_lines = after.split("\n")
        difference = [*difflib.unified_diff(old_lines, new_lines, lineterm="", n=0)]
        changed = [line for line in difference[2:] if not line.startswith("@@")]
        if all(any(one.covers(section, name, line[1:]) for one in allowed) for line in changed):
            outcome.allowed += 1
            continue
        outcome.rounding += differ_by_rounding(before, after)
        more = f"\n  … {len(changed) - 20} lines more" if len(changed) > 20 else ""
        lines = "\n".join(f"  {line[:300]}" for line in changed[:20])
        outcome.moved.append(f"{section}: {name}\n{lines}{more}")
    return outcome


NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+e-?\d+")


def differ_by_rounding(before: str, after: str) -> bool:
    """Whether two texts are the same but for the last digits of numbers."""
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
    return all(math.isclose(float(old), float(new), abs_tol=1e-9) for old, new in pairs)


MOST_SHOWN = 20
"""Differences of a section that are printed."""


def compare(folder: Path, new: Sections, allowed: list[Allowed]) -> bool:
    """Print what moved, and how much was compared. Returns whether anything moved."""
    outcomes = {}
    for section, texts in new.items():
        if not file_of(folder, section).is_file():
            print(f"{section}: not recorded in {folder}")
            continue
        outcome = compare_section(section, read(folder, section), texts, allowed)
        outcomes[section] = outcome
        for moved in outcome.moved[:MOST_SHOWN]:
            print(moved)
        if len(outcome.moved) > MOST_SHOWN:
            print(f"{section}: {len(outcome.moved) - MOST_SHOWN} texts more moved")
    for section, outcome in outcomes.items():
        print(f"{section}: {outcome.summary()}")
    return any(outcome.moved for outcome in outcomes.values())


def arguments() -> argparse.Namespace:
    """The command line."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("folder", type=Path, help="of the texts")
    parser.add_argument("--quick", action="store_true", help="only the quick sections")
    parser.add_argument("--slow", action="store_true", help="the slow sections too")
    parser.add_argument("--section", action="append", help="this section alone (repeatable)")
    parser.add_argument("--allow", type=Path, help="file with what may move")
    parser.add_argument("--new", type=Path, help="also write the texts of this tree, to look at")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def chosen_jobs(given: argparse.Namespace) -> list[Job]:
    """The jobs that the command line asks for."""
    paces = {QUICK} if given.quick else {QUICK, WHOLE, SLOW} if given.slow else {QUICK, WHOLE}
    every = [*jobs()]
    if not given.section:
        return [job for job in every if job.pace in paces]
    known = {job.section for job in every}
    if unknown := {*given.section} - known:
        sys.exit(f"no section {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return [job for job in every if job.section in given.section]


def main() -> None:
    """Record or compare. The status is 1 if anything moved or failed."""
    given = arguments()
    installed = Path(harness_ext.__file__).parents[1]
    if installed != ROOT:
        sys.exit(f"this Python has {installed} installed, not {ROOT}")
    chosen = chosen_jobs(given)
    recorded = [file_of(given.folder, job.section) for job in chosen]
    if given.command == "record" and any(file.is_file() for file in recorded):
        sys.exit(f"{given.folder} has a record of such sections; remove it first")
    sections, errors = texts_of_this_tree(chosen, given.processes)
    for error in errors:
        print(f"FAILED: {error}")
    if given.new:
        write(given.new, sections)
    if given.command == "record":
        write(given.folder, sections)
        for section, texts in sections.items():
            here = [text for text in texts.values() if text is not None]
            lines = sum(text.count("\n") + 1 for text in here)
            missing = len(texts) - len(here)
            print(f"{section}: {len(here)} texts with {lines} lines, {missing} not at hand")
        sys.exit(bool(errors))
    has_moved = compare(given.folder, sections, read_allowed(given.allow))
    print(f"failed: {len(errors)} parts" if errors else "failed: no part")
    sys.exit(has_moved or bool(errors))


if __name__ == "__main__":
    main()
