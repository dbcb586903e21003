"""What a submitted result says of itself: model and revision, dataset, splits and subsets,
signature.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from harness_ext.common.experiments import model_and_experiment
from harness_ext.common.json_files import DamagedFileError, read_json, read_model
from harness_ext.common.model_name import LOCAL, ModelName
from harness_ext.common.names import CONTROLS, REFERENCE_MODELS
from harness_ext.common.revisions import pinned_revision
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.mteb_reader import is_registered
from harness_ext.leaderboard.checks.submitted_files import MAX_JSON_BYTES, items_problem, unread
from harness_ext.leaderboard.costs import text_counts
from harness_ext.measures.core.same_vector import SAME_VECTOR
from harness_ext.results.entry import Entry
from harness_ext.results.load import ReadResult, above_own, is_own, revision_folder
from harness_ext.store.item_files import (
    DIGEST,
    DIGESTS,
    ItemsError,
    items_file,
    stored_digests,
)
from harness_ext.store.mteb_files import MOST, ROUNDING, ModelMetaFile
from harness_ext.tasks.overall import LISTS
from harness_ext.tasks.task import Task

_NAME = re.compile(r"[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9 ._+=,()/-]{0,198}(?<![ ./])|[A-Za-z0-9]")
"""No HTML, no formula, no way out of a folder, and no `:`, which folders of Windows cannot have."""

_EXPERIMENT = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9 ._+=,()-]{0,198}(?<![ .])|[A-Za-z0-9_]")

_DEVICES = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])[ ]*(\..*)?", re.IGNORECASE
)
"""Names of devices, with any ending: Windows makes no folder of such a name."""

MOST_ENTRIES = 100
"""The most splits and subsets with scores in a result."""

NOT_RERUN = "It is a local folder; nobody can rerun it."
"""What is said of a model whose weights only its maker has."""

_MOST_LETTERS = 20_000
"""The most letters of all keys with their values, but for numbers: beside the scores, where real
results have 3 000, and in a record of scores, where they have 5 000.
"""

MOST_DEPTH = 50
"""How often lists and objects may be in each other. Real ones are 5 times."""

_MOST_STRAYS = 100
"""The most keys of a record that the measure does not declare, as those of earlier versions."""

_TEXTS_OF_RECORDS = ("hf_subset", "languages", "signature", "mteb_version", *DIGESTS)
"""What stands among scores and is no number."""

_NO_NAME = "no_model_name/available"
"""How mteb calls a model that has no name."""

_MARK = re.compile(r"\b(re-?computed|re-?run|verified|self-reported)\b", re.IGNORECASE)
"""Words of a name that read like a mark of trust."""

_NO_REVISION = {"", "external", "no_revision_available"}
_HASH = re.compile(r"(weights-[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(\+[0-9a-f]{16})?")
"""A commit, or our hash of files or of weights in memory; then that of injected vectors."""

_LOOK_ALIKES = str.maketrans("i10", "llo", "-_. ")
"""Letter -> the letter that people take it for; those between words are overlooked."""

_LOOK_ALIKE_PAIRS = {"rn": "m", "vv": "w", "cl": "d"}
"""Two letters -> the letter that people take them for."""

_DTYPES = frozenset(
    (
        "",
        "bfloat16",
        "binary",
        "compressed",
        "float16",
        "float32",
        "float64",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "int16",
        "int32",
        "int4",
        "int64",
        "int8",
        "ubinary",
        "uint4",
        "uint8",
    )
)
"""The dtypes that signatures name: of weights, of what mteb or sentence-transformers converts
vectors to, or of vectors. Free text would be a model of its own on a board.
"""

_DESCRIBED = (
    "backend",
    "level",
    "additive",
    "noise",
    "recomputed",
    "mteb",
    "sentence_transformers",
)
_DESCRIPTION = re.compile(r"[\w .,=+()\[\]'|-]{0,200}", re.ASCII)
"""The parts of a signature that describe the model, and their form."""


def alike(name: str) -> str:
    """What a name has in common with names that people take for it, and with names of the same
    folder.

    It has no case; I, l and 1 are one, as are O and 0, m and rn, w and vv, d and cl; letters
    between words do not count.
    """
    likeness = _folder(name).casefold().translate(_LOOK_ALIKES)
    for pair, letter in _LOOK_ALIKE_PAIRS.items():
        likeness = likeness.replace(pair, letter)
    return likeness


def _folder(name: str) -> str:
    return name.replace("/", "__").replace(" ", "_")


_RESERVED_MAKER = alike(CONTROLS)
"""The maker of control encoders."""

_RESERVED = tuple(map(alike, REFERENCE_MODELS))
"""How names of control encoders begin."""


def _is_reserved(name: str) -> bool:
    """Whether people take a name for that of a control encoder."""
    maker, _, _ = _folder(name).partition("__")
    return alike(maker) == _RESERVED_MAKER or alike(name).startswith(_RESERVED)


@dataclass(frozen=True)
class SubmittedModel:
    """The metadata of a model, after they were read.

    Attributes:
        folder: The folder of a revision, or of an experiment with it.
        content: All keys; empty if the file cannot be read.
        problem: Why it cannot be read.
    """

    folder: Path
    content: Mapping[str, Any]
    problem: Finding | None = None

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the metadata in a folder; follows no link."""
        file = folder / "model_meta.json"
        if not file.is_file() or file.is_symlink():
            missing = Finding(
                file,
                "",
                "no such file",
                "the file that mteb writes",
                "The model's metadata are missing.",
            )
            return cls(folder, {}, missing)
        try:
            return cls(folder, read_model(file, dict[str, Any]))
        except DamagedFileError as error:
            return cls(folder, {}, Finding(file, error.key, "", "", str(error)))

    @cached_property
    def known(self) -> ModelMetaFile:
        """The sound keys that a board knows."""
        return ModelMetaFile.known(dict(self.content))

    @property
    def file(self) -> Path:
        """The file of the metadata."""
        return self.folder / "model_meta.json"


def model_findings(
    model: SubmittedModel,
    *,
    is_board: bool = False,
) -> Iterator[Finding]:
    """Check the name and the revision of a model, and the name of an experiment, against the names
    of the folders.

    Args:
        model: The model.
        is_board: Whether its maintainers may have put results of control encoders there.
    """
    file = model.file
    meta = model.content
    folder_of_revision = revision_folder(model.folder)
    folder_of_results = above_own(model.folder)
    experiment = folder_of_results.name
    is_experiment = folder_of_revision != folder_of_results
    if is_experiment and not _EXPERIMENT.fullmatch(experiment):
        yield Finding(
            folder_of_results,
            "experiment",
            experiment,
            "letters, digits, spaces and ._+=,()-",
            "This cannot be an experiment's name.",
        )
    folders = (folder_of_revision.parent, folder_of_revision, folder_of_results)
    for folder in dict.fromkeys(folders):
        if _DEVICES.fullmatch(folder.name):
            yield Finding(
                folder,
                "name",
                folder.name,
                "another name",
                "Windows has a device of this name, and cannot check the board out.",
            )
    yield from _settings_findings(model.folder / "run_settings.jsonl")
    if model.problem is not None:
        yield model.problem
        return
    name = str(meta.get("name"))
    revision = str(meta.get("revision") or "")
    if _is_deeper(dict(meta), MOST_DEPTH):
        yield _too_deep(file, "")
        return
    yield from _experiment_findings(model, is_experiment=is_experiment)
    yield from _bound_findings(model)
    yield from _written_findings(file, "name", meta.get("name"), folder_of_revision.parent)
    if _is_reserved(name) and not is_board:
        yield Finding(
            file,
            "name",
            name,
            "another name",
            "Control encoders have this name. Nobody can submit them.",
        )
    if name == _NO_NAME:
        message = "Nothing says which model this is: mteb calls any model so that has no name."
        yield Finding(file, "name", name, "a model's name", message)
    called = f"{name} {experiment}" if is_experiment else name
    if _MARK.search(called):
        message = "It reads like a mark of trust, which boards give by themselves."
        yield Finding(file, "name", called, "another name", message, refused=False)
    if name.startswith(LOCAL):
        yield Finding(file, "name", name, "a name on the Hub", NOT_RERUN, refused=False)
    if revision in _NO_REVISION:
        yield Finding(
            file,
            "revision",
            revision,
            "a commit",
            "Nothing says which version this is. Name the commit: mteb run --model-revision COMMIT",
        )
        return
    yield from _written_findings(file, "revision", revision, folder_of_revision)
    if _is_registered(name, revision):
        yield Finding(
            file,
            "revision",
            revision,
            "a commit",
            "The revision is named: a registry has it, but it does not determine the weights.",
            refused=False,
        )
    elif not _HASH.fullmatch(revision):
        yield Finding(
            file,
            "revision",
            revision,
            "a commit",
            "The revision is moving: a branch or a tag may be "
            "another version tomorrow. Name the commit: mteb run --model-revision COMMIT",
        )


def _settings_findings(file: Path) -> Iterator[Finding]:
    """Find the first line that mteb did not write, or that is too long: where results are joined,
    it would print the line, or end.
    """
    if not file.is_file() or unread(file, MAX_JSON_BYTES) is not None:
        return
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            is_object = not line.strip() or isinstance(json.loads(line.decode()), dict)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            message = "mteb writes one JSON object per line."
            yield Finding(file, f"line {number}", line[:40], "a JSON object", message)
            return
        if len(line) > _MOST_LETTERS:
            found = f"{len(line)} bytes"
            message = "mteb writes nothing so long here."
            yield Finding(file, f"line {number}", found, f"at most {_MOST_LETTERS}", message)
            return


def _experiment_findings(model: SubmittedModel, *, is_experiment: bool) -> Iterator[Finding]:
    """Find settings of an experiment that are missing, or in the folder of the model itself: mteb
    tells experiments by their settings alone.
    """
    key = "experiment_kwargs"
    settings = model.content.get(key)
    if is_experiment and not settings:
        message = "Without settings, mteb would take its results for those of the model itself."
        yield Finding(model.file, key, settings, "the settings of the experiment", message)
    elif settings and not is_experiment:
        message = "mteb would take its results for those of an experiment."
        yield Finding(model.file, key, settings, "none, or experiments/<name>", message)


def _bound_findings(model: SubmittedModel) -> Iterator[Finding]:
    """Find figures of a model that no model has: a board shows them as unknown."""
    for key, most in MOST.items():
        value = model.content.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and getattr(model.known, key) is None:
            expected = f"0 to {most:g}"
            message = "No model has so many. A board shows it as unknown."
            yield Finding(model.file, key, value, expected, message, refused=False)


def _is_registered(name: str, revision: str) -> bool:
    """Whether mteb's registry, or ours in it, pins this revision of a model, and it is no hash."""
    if _HASH.fullmatch(revision):
        return False
    return is_registered(ModelName.parse(name).checkpoint, revision)


def _written_findings(
    file: Path,
    key: str,
    value: object,
    folder: Path,
) -> Iterator[Finding]:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        yield Finding(
            file,
            key,
            value,
            "letters, digits, spaces and ._+=,()/-, no blank or dot at the end",
            f"This cannot be a model's {key}.",
        )
    elif _folder(value) != folder.name:
        yield Finding(
            file,
            key,
            value,
            folder.name,
            "The results are in the folder of another model or revision.",
        )


def result_findings(result: ReadResult) -> Iterator[Finding]:
    """Check a result before its scores are recomputed, and its files of items."""
    file = result.file
    pinned = result.task.dataset["revision"]
    # recomputed() reports unverified rows
    if pinned_revision(result.dataset_revision) != pinned and not is_own(file):
        yield Finding(
            file,
            "dataset_revision",
            result.dataset_revision,
            pinned,
            "It was computed on another version of the dataset.",
        )
    yield from _subset_findings(file, result.task, result.entries)
    yield from _stray_findings(file, result.task)
    problems = list(file_findings(result))
    yield from problems or _unnamed_findings(result)


def file_findings(result: ReadResult) -> Iterator[Finding]:
    """Check what takes time or memory in a result and its items, before anything is computed."""
    n_entries = len(result.entries)
    if n_entries > MOST_ENTRIES:
        message = "A task has not so many splits and subsets."
        expected = f"at most {MOST_ENTRIES}"
        yield Finding(result.file, "scores", f"{n_entries} scores", expected, message)
    problem = items_problem(result.file, result.task.measure.items)
    if problem is not None:
        yield problem


def _unnamed_findings(result: ReadResult) -> Iterator[Finding]:
    """Find items that are there twice, and more than a result can name: nobody would read them. A
    few that it does not name are a note.
    """
    path = items_file(result.file)
    try:
        digests = stored_digests(result.file)
    except ItemsError as error:
        yield Finding(path, "", "", "", str(error))
        return
    n_distinct = len({*digests})
    if n_distinct < len(digests):
        found = f"{len(digests)} rows with {n_distinct} digests"
        yield Finding(path, DIGEST, found, "one row for a digest", "It has the same items twice.")
    named: set[str] = set()
    for entry in result.entries:
        named |= {*entry.digests.values()}
    unnamed = [digest for digest in digests if digest not in named]
    if unnamed:
        most = 2 * len(DIGESTS) * len(result.entries)  # those of a result before may be left
        message = f"{result.file.name} does not name them. harness-ext submit leaves them out."
        found = f"{len(unnamed)} of {len(digests)} rows, the first of them {unnamed[0]!r}"
        expected = "items that the result names"
        yield Finding(path, DIGEST, found, expected, message, refused=len(digests) > most)


def _stray_findings(file: Path, task: Task) -> Iterator[Finding]:
    """Find what has no place in a result, such as an advertisement of a megabyte: texts among the
    scores, many keys that nothing declares, long texts beside the scores.
    """
    content = read_json(file)
    beside = {key: value for key, value in content.items() if key != "scores"}
    yield from _long_findings(file, beside)
    for split, records in content["scores"].items():
        if not records:
            yield Finding(file, "scores", split, "a split with scores", "It has no scores.")
            break
    known = {"main_score", *_TEXTS_OF_RECORDS, *task.measure.declarations}
    for records in content["scores"].values():
        for record in records:
            yield from _long_findings(file, record)
            strays = record.keys() - known
            if len(strays) > _MOST_STRAYS:
                found = f"{len(strays)} keys that {task.measure.name} does not declare"
                message = "It has not so many scores."
                yield Finding(file, "scores", found, f"at most {_MOST_STRAYS}", message)
            texts = [key for key in strays if not isinstance(record[key], int | float | None)]
            for key in sorted(texts)[:1]:
                yield Finding(file, key, record[key], "a number", "Only scores stand here.")


def _long_findings(file: Path, content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find the first key that is too deep, or with which a part of a file becomes too long."""
    size = 0
    for key, value in content.items():
        if _is_deeper(value, MOST_DEPTH):
            yield _too_deep(file, key[:80])
            return
        size += len(key)
        if not isinstance(value, int | float):
            size += len(json.dumps(value))
        if size > _MOST_LETTERS:
            message = "mteb writes nothing so long here."
            yield Finding(file, key[:80], f"{size} letters", f"at most {_MOST_LETTERS}", message)
            return


def _too_deep(file: Path, key: str) -> Finding:
    found = f"more than {MOST_DEPTH} levels"
    message = "Lists and objects are in each other so often that some programs cannot read them."
    return Finding(file, key, found, f"at most {MOST_DEPTH}", message)


def _is_deeper(value: object, most: int) -> bool:
    """Whether lists and objects are in each other more often than so many times; goes down by
    levels, as a function that calls itself would end where its reader does.
    """
    level: list[object] = [value]
    for _ in range(most + 1):
        below: list[object] = []
        for part in level:
            if isinstance(part, dict):
                below.extend(part.values())
            elif isinstance(part, list):
                below.extend(part)
        level = below
        if not level:
            return False
    return any(isinstance(part, dict | list) for part in level)


def _subset_findings(
    file: Path,
    task: Task,
    entries: Sequence[Entry],
) -> Iterator[Finding]:
    """Check that the task has these subsets. A missing column of the longest list of overall places
    is a note.
    """
    places = {(entry.split, entry.subset) for entry in entries}
    if not places:
        yield Finding(file, "scores", "none", "at least one score", "There is nothing in it.")
    unknown = {subset for _, subset in places} - {*task.subsets}
    if unknown:
        expected = ", ".join(task.subsets)
        yield Finding(file, "scores", sorted(unknown), expected, "Subsets are unknown.")
    names = []
    splits = []
    for column in LISTS["all"]:
        alternatives = {(split, column.subset) for split in column.splits}
        if column.task == task.name and alternatives.isdisjoint(places):
            names.append(f"{column.splits[0]} {column.subset}")
            splits.append(column.splits[0])
    if names:
        options = " ".join(dict.fromkeys(splits))
        yield Finding(
            file,
            "scores",
            "",
            "",
            f"It has no scores of {', '.join(names)}. Without them the model is not on the list "
            f"of all columns. Measure them: mteb run -m MODEL -t {task.name} "
            f"--eval-splits {options}",
            refused=False,
        )


def contradictions(entry: Entry) -> Iterator[Finding]:
    """Find parts of a signature that contradict the result, by any version of the measure, and
    impossible scores.
    """
    signed = entry.signature
    if signed is not None:
        model, _ = model_and_experiment(entry.model)
        _, _, dataset_revision = signed.dataset.rpartition("@")
        measure, _, _ = signed.measure.rpartition("-")
        parts = {
            "task": (signed.task, entry.task),
            "split": (signed.split, entry.split),
            "subset": (signed.subset, entry.subset),
            "model": (signed.model, model),
            "revision": (signed.revision, entry.revision),
            "dataset": (dataset_revision, entry.dataset_revision),
            "measure": (measure, entry.measure.name),
        }
        yield from _differences(entry, parts)
    n_texts = text_counts(entry.task).get((entry.split, entry.subset))
    n_same_vector = entry.scores.get(SAME_VECTOR.key, 0)
    if n_texts is not None and n_same_vector > math.comb(n_texts, 2):
        message = "So many pairs of texts are not in the data."
        expected = f"at most {math.comb(n_texts, 2)}"
        yield Finding(entry.file, SAME_VECTOR.key, n_same_vector, expected, message)
    if entry.measure.main not in entry.scores:
        yield Finding(
            entry.file,
            entry.measure.main,
            "none",
            "today's main score",
            f"It is not among the scores. {entry.how_to_repeat}.",
        )
    for key, (score, _) in entry.measure.declarations.items():
        low, high = score.range
        value = entry.scores.get(key)
        if value is not None and not low - ROUNDING <= value <= high + ROUNDING:
            expected = f"{low:g} to {high:g}"
            yield Finding(entry.file, key, value, expected, "The score is impossible.")


def submitted_signature_findings(entry: Entry) -> Iterator[Finding]:
    """Check what only submissions must have: a signature, of the task's dataset, in plain text."""
    signed = entry.signature
    if signed is None:
        yield Finding(
            entry.file,
            "signature",
            "none",
            "a signature",
            "Nothing says what was measured. Run it again: "
            f"mteb run -m MODEL -t {entry.task} --overwrite-strategy always",
        )
        return
    dataset, _, _ = signed.dataset.rpartition("@")
    yield from _differences(entry, {"dataset": (dataset, entry.declared_task.dataset["path"])})
    if entry.is_of_another_version:
        message = (
            "It was measured by another version of the measure: scores that are still declared are "
            "checked."
        )
        earlier = [f"{entry.measure.name}-{version}" for version in range(1, entry.measure.version)]
        yield Finding(
            entry.file,
            "signature.measure",
            signed.measure,
            entry.measure.definition,
            message,
            refused=signed.measure not in earlier,
        )
    if signed.dtype not in _DTYPES:
        expected = ", ".join(sorted(_DTYPES - {""}))
        message = "No signature names such a dtype."
        yield Finding(entry.file, "signature.dtype", signed.dtype, expected, message)
    for name in _DESCRIBED:
        value = getattr(signed, name)
        if not _DESCRIPTION.fullmatch(value):
            expected = _DESCRIPTION.pattern
            yield Finding(entry.file, f"signature.{name}", value, expected, "Its form is wrong.")


def dtype_findings(entries: Iterable[Entry]) -> Iterator[Finding]:
    """Find the entries whose dtype differs from that of the first entry in the same folder: each
    dtype would be a model of its own on a board.
    """
    dtypes: dict[Path, str] = {}
    for entry in entries:
        if entry.signature is None:
            continue
        dtype = entry.signature.dtype
        first = dtypes.setdefault(entry.file.parent, dtype)
        if dtype != first:
            yield Finding(
                entry.file,
                "signature.dtype",
                dtype,
                first,
                "Other results of this revision and experiment have another dtype. Run all tasks "
                "with one dtype, or each dtype as an experiment of its own.",
            )


def _differences(
    entry: Entry,
    parts: dict[str, tuple[str, str]],
) -> Iterator[Finding]:
    """Compare parts: name -> the part of the signature, and the same of the result."""
    for name, (signed, expected) in parts.items():
        if signed != expected:
            yield Finding(
                entry.file,
                f"signature.{name}",
                signed,
                expected,
                "The signature is of another result.",
            )
