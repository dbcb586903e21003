"""Signatures that are of another result, or are no signatures that a submission may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.names import model_and_experiment
from harness_ext.results.entry import Entry

_FORMS = {
    "dtype": re.compile(r"[\w.+-]{0,40}", re.ASCII),
    "backend": re.compile(r"[\w .,+()-]{0,100}", re.ASCII),
    "level": re.compile(r"[\w +-]{0,40}", re.ASCII),
    "mteb": re.compile(r"[\w.+-]{0,40}", re.ASCII),
    "sentence_transformers": re.compile(r"[\w.+-]{0,40}", re.ASCII),
}
"""Part of a signature that describes the model -> its form."""


def contradictions(entry: Entry) -> Iterator[Finding]:
    """Find the parts of a signature that contradict the result. The measure may have another version than ours."""
    if (signed := entry.signature) is None:
        return
    parts = {
        "task": (signed.task, entry.task),
        "split": (signed.split, entry.split),
        "subset": (signed.subset, entry.subset),
        "model": (signed.model, model_and_experiment(entry.model)[0]),
        "revision": (signed.revision, entry.revision),
        "dataset": (signed.dataset.rpartition("@")[2], entry.dataset_revision),
        "measure": (signed.measure.rpartition("-")[0], entry.measure.name),
    }
    yield from _differences(entry, parts)


def submitted_signature_findings(entry: Entry) -> Iterator[Finding]:
    """Check what only submissions must have: a signature, of today's measure, of the task's dataset, in plain text."""
    if (signed := entry.signature) is None:
        yield Finding(entry.file, "signature", "none", "a signature", "Nothing says what was measured. Run it again: "
                      f"mteb run -m MODEL -t {entry.task} --overwrite-strategy always")  # fmt: skip
        return
    parts = {
        "dataset": (signed.dataset.rpartition("@")[0], entry.about.dataset["path"]),
        "measure": (signed.measure.rpartition("-")[2], str(entry.measure.version)),
    }
    yield from _differences(entry, parts)
    for name, form in _FORMS.items():
        if not form.fullmatch(value := getattr(signed, name)):
            yield Finding(entry.file, f"signature.{name}", brief(value), form.pattern, "Its form is wrong.")


def _differences(entry: Entry, parts: dict[str, tuple[str, str]]) -> Iterator[Finding]:
    """Compare parts: name -> the part of the signature, and the same of the result."""
    for name, (signed, expected) in parts.items():
        if signed != expected:
            yield Finding(entry.file, f"signature.{name}", brief(signed), brief(expected),
                          "The signature is of another result.")  # fmt: skip
