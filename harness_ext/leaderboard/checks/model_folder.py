"""Checks of a submitted model's folder: its name, its revision and its metadata."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import ValidationError

from harness_ext.json_files import damage
from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.leaderboard.checks.model_names import experiment_findings, name_findings, revision_findings
from harness_ext.leaderboard.checks.submitted_files import json_object
from harness_ext.results.load import above_own, revision_folder
from harness_ext.store.mteb_files import ModelMetaFile

_WANTED = ("license", "open_weights", "n_parameters", "max_tokens", "embed_dim", "use_instructions")
"""Metadata that a board filters and sorts by."""


def model_findings(folder: Path, on_board: Collection[str]) -> Iterator[Finding]:
    """Check the metadata of a model."""
    file = folder / "model_meta.json"
    of_revision = revision_folder(folder)
    if of_revision != (of_results := above_own(folder)):
        yield from experiment_findings(of_results)
    if not file.is_file() or file.is_symlink():
        yield Finding(file, "", "no such file", "the file that mteb writes", "The model's metadata are missing.")
        return
    meta = json_object(file)
    if isinstance(meta, Finding):
        yield meta
        return
    yield from name_findings(file, meta.get("name"), of_revision.parent, on_board)
    yield from revision_findings(file, meta.get("revision"), of_revision)
    try:
        ModelMetaFile.model_validate(meta)
    except ValidationError as error:
        wrong = {str(fault["loc"][0]): damage(fault, file) for fault in error.errors(include_url=False)}
        for key in sorted(wrong.keys() - {"name", "revision", "reference"}):  # which have checks of their own
            yield Finding(file, key, wrong[key].found, wrong[key].expected, "It is not as mteb writes it.")
    for key in _WANTED:
        if meta.get(key) is None:
            yield Finding(file, key, "null", "a value", "A board cannot filter by it.", refused=False)
    if (page := meta.get("reference")) is not None and not re.fullmatch(r"https?://[^\s<>\"']+", str(page)):
        yield Finding(file, "reference", brief(page), "an address of the web", "This is no page about the model.")
