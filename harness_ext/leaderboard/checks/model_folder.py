"""Checks of a submitted model's folder: its name and its revision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness_ext.json_files import DamagedFileError, read_model
from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.results.load import above_own, revision_folder

_NAME = re.compile(r"[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9 ._+=,:()/-]{0,198}(?<![ ./])|[A-Za-z0-9]")
"""No HTML, no formula, and no way out of a folder."""

_EXPERIMENT = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9 ._+=,:()-]{0,198}(?<![ .])|[A-Za-z0-9_]")

_NO_REVISION = {None, "", "external", "no_revision_available"}
_MOVING = {"main", "master", "head", "latest"}


def model_findings(folder: Path) -> Iterator[Finding]:
    """Check the name and the revision of a model, and the name of an experiment."""
    file = folder / "model_meta.json"
    of_revision = revision_folder(folder)
    if of_revision != (of_results := above_own(folder)):
        yield from experiment_findings(of_results)
    if not file.is_file() or file.is_symlink():
        yield Finding(file, "", "no such file", "the file that mteb writes", "The model's metadata are missing.")
        return
    try:
        meta = read_model(file, dict[str, Any])
    except DamagedFileError as error:
        yield Finding(file, error.key, "", "", str(error))
        return
    yield from _written_findings(file, "name", meta.get("name"), of_revision.parent)
    yield from revision_findings(file, meta.get("revision"), of_revision)


def revision_findings(file: Path, revision: object, folder: Path) -> Iterator[Finding]:
    """Check the revision in a model's metadata, which is the name of its folder."""
    yield from _written_findings(file, "revision", revision, folder)
    if revision in _NO_REVISION:
        yield Finding(file, "revision", brief(revision), "a revision", "Nothing says which version this is.")
    elif str(revision).lower() in _MOVING:
        yield Finding(file, "revision", brief(revision), "a commit", "A branch is another version tomorrow. Name the "
                      "commit: mteb run --model-revision COMMIT")  # fmt: skip


def experiment_findings(folder: Path) -> Iterator[Finding]:
    """Check the name of an experiment, which is the name of its folder."""
    if not _EXPERIMENT.fullmatch(folder.name):
        yield Finding(folder, "experiment", brief(folder.name), "letters, digits, spaces and ._+=,:()-",
                      "This cannot be an experiment's name.")  # fmt: skip


def _written_findings(file: Path, key: str, value: object, folder: Path) -> Iterator[Finding]:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        yield Finding(file, key, brief(value), "letters, digits, spaces and ._+=,:()/-, no blank or dot at the end",
                      f"This cannot be a model's {key}.")  # fmt: skip
    elif value.replace("/", "__").replace(" ", "_") != folder.name:
        yield Finding(file, key, value, folder.name, "The results are in the folder of another model or revision.")
