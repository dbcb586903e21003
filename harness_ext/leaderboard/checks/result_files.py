"""Checks of a submitted result file before its scores are recomputed: keys, dataset, splits, versions, items."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from harness_ext.json_files import DamagedFileError, JsonModel, checked
from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.leaderboard.checks.submitted_files import items_problems, json_object
from harness_ext.names import WITHOUT_VECTOR, pinned_revision
from harness_ext.results.load import is_own, read_result, task_of_result
from harness_ext.store.signature import Signature
from harness_ext.tasks.task import Task

_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Record(JsonModel, extra="allow"):
    """What mteb and this project write of one subset; the scores are further keys. A default says that it may lack."""

    hf_subset: str
    languages: list[str]
    mteb_version: str = ""
    signature: str = ""
    items: _Digest = ""
    words_items: _Digest = ""


class _File(JsonModel, extra="forbid"):
    """What mteb writes, and nothing else."""

    task_name: str
    dataset_revision: str
    mteb_version: str = ""
    evaluation_time: float | None = None
    kg_co2_emissions: float | None = None
    date: float | None = None
    evaluation_phases: list[Any] | None = None
    scores: dict[str, list[_Record]]


def file_findings(file: Path, *, with_items: bool) -> Iterator[Finding]:
    """Check a result file before its scores are recomputed, and its files of items."""
    content = json_object(file)
    if isinstance(content, Finding):
        yield content
        return
    try:
        task = task_of_result(file)
    except DamagedFileError as error:
        yield Finding(file, "", "", "", str(error))
        return
    try:
        submitted = checked(content, _File, file)
    except DamagedFileError as error:
        yield Finding(file, error.key, error.found, error.expected, "It is not as mteb writes it.")
        return
    if wrong := next(_score_findings(file, task, submitted), None):
        yield wrong
        return
    try:
        read_result(file)
    except DamagedFileError as error:
        yield Finding(file, "", "", "", str(error))
        return
    revision = task.dataset["revision"]
    here = pinned_revision(content["dataset_revision"])  # recomputed() reports unverified rows
    if here != revision and not is_own(file):
        yield Finding(file, "dataset_revision", brief(content["dataset_revision"]), revision,
                      "It was computed on another version of the dataset.")  # fmt: skip
    yield from _split_findings(file, task, content["scores"])
    yield from _version_findings(file, content)
    if with_items:
        yield from items_problems(file, task.measure.items)


def _score_findings(file: Path, task: Task, submitted: _File) -> Iterator[Finding]:
    """Check that the scores are those of the task, and in their ranges."""
    ranges = {key: score.range for key, (score, _) in task.measure.declarations().items()}
    main = task.measure.main
    ranges |= {"main_score": ranges[main], WITHOUT_VECTOR: (0, math.inf)}
    for split, records in submitted.scores.items():
        for scores in (record.__pydantic_extra__ or {} for record in records):
            for key in {"main_score", main} - scores.keys():
                yield Finding(file, f"scores.{split}.{key}", "nothing", "a number", "The score is missing.")
            for key, value in scores.items():
                place = f"scores.{split}.{key}"
                if key not in ranges:
                    yield Finding(file, place, brief(value), "nothing", "The task has no such score.")
                    continue
                low, high = ranges[key]
                if not (isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high):
                    yield Finding(file, place, brief(value), f"{low:g} to {high:g}", "The score is out of its range.")


def _split_findings(file: Path, task: Task, scores: dict[str, list[dict[str, Any]]]) -> Iterator[Finding]:
    """Check that the task has these splits and subsets. A missing split or subset is a note: it costs overall ranks."""
    subsets, splits = set(task.subsets), set(task.splits)
    again = f"Without them the model gets no overall rank. Run the whole task: mteb run -m MODEL -t {file.stem}"
    if splits & scores.keys() and (missing := sorted(splits - scores.keys())):
        yield Finding(file, "scores", ", ".join(sorted(scores)), ", ".join(sorted(splits)),
                      f"The splits {', '.join(missing)} are missing. {again}", refused=False)  # fmt: skip
    for split, entries in scores.items():
        if not re.fullmatch(r"\w+", split, re.ASCII):
            yield Finding(file, "scores", brief(split), ", ".join(sorted(splits)), "This is no split.")
        submitted = {entry["hf_subset"] for entry in entries}
        key = f"scores.{split}" if split.isidentifier() else "scores"
        there, expected = brief(sorted(submitted)), ", ".join(sorted(subsets))
        if submitted - subsets:
            yield Finding(file, key, there, expected, "Subsets are unknown.")
        if subsets - submitted:
            yield Finding(file, key, there, expected, f"Subsets are missing. {again}", refused=False)


def _version_findings(file: Path, content: dict[str, Any]) -> Iterator[Finding]:
    """Check that the versions of mteb agree with each other and with the installed mteb.

    Of subsets run under several versions, mteb writes the range: `2.26.0-2.26.24`.
    """
    of_file = content.get("mteb_version")
    versions = set()
    for entry in itertools.chain.from_iterable(content["scores"].values()):
        versions.add(of_entry := entry.get("mteb_version", of_file))
        if "signature" in entry and (signed := Signature.parse(entry["signature"]).mteb) != of_entry:
            yield Finding(file, "mteb_version", brief(of_entry), signed, "The signature names another version of mteb.")
    if not {*str(of_file).split("-")} <= versions:
        versions.add(of_file)
    installed = version("mteb")
    for submitted in sorted(map(str, versions)):
        if not re.fullmatch(r"\d+(\.\w+)+", submitted, re.ASCII):
            yield Finding(file, "mteb_version", brief(submitted), installed, "Nothing says which mteb this was.")
        elif submitted.split(".")[0] != installed.split(".")[0]:
            yield Finding(file, "mteb_version", submitted, installed, "Results of this mteb cannot be compared with "
                          "results of the mteb that this project is made for.")  # fmt: skip
        elif submitted != installed:
            yield Finding(file, "mteb_version", submitted, installed, "Another version of mteb verifies. It recomputes "
                          "the scores.", refused=False)  # fmt: skip
