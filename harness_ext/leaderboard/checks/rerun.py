"""Reruns of submitted models through mteb, which a maintainer signs."""

import datetime
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mteb
from mteb.cache import ResultCache

from harness_ext.common.experiments import model_and_experiment
from harness_ext.common.foreign_code import no_exit
from harness_ext.common.model_name import LOCAL, ModelName
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.records import Rerun, cell_key
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results

_PACKAGES = ("compositionality-harness", "mteb", "torch", "transformers")
"""The packages whose versions a record has."""

Rerunning = tuple[Rerun | None, list[Finding]]
"""The record of a rerun, None if it failed; the scores that differ or the reason why it failed,
empty if all agree.
"""


def rerun(
    entries: Iterable[Entry],
    by: str,
) -> Iterator[Rerunning]:
    """Run the models of these entries again on their tasks, each model loaded once.

    mteb loads the model that it knows by that name and revision. Nothing in the submission, neither
    metadata nor a path in them, says how to load it.

    Args:
        entries: The submitted entries. An entry without items cannot be signed: nothing identifies
            its data.
        by: The maintainer's name.
    """
    load = lru_cache(maxsize=1)(mteb.get_model)
    for entry in sorted(entries, key=attrgetter("model", "revision")):
        if entry.model.startswith(LOCAL):
            yield _failed(entry, "", "", "Its weights are in a folder that only its maker has.")
            continue
        place = _place_here(entry.model)
        if place is not None:
            message = (
                "Its name is that of a folder or file here, whose code and weights would be run. "
                "Rerun it in another folder."
            )
            yield _failed(entry, str(place.absolute()), "a name on the Hub", message)
            continue
        try:
            with no_exit(entry.model):
                anew = _measured_again(load(entry.model, revision=entry.revision), entry)
        except Exception as error:  # models of strangers fail in many ways; the others go on
            reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            yield _failed(entry, "", "", f"It could not be run: {reason}")
        else:
            yield _compared(entry, anew, by)


def _place_here(model: str) -> Path | None:
    """The folder or file that libraries would take for a model of this name; None if there is
    none.
    """
    name, _ = model_and_experiment(model)
    named = ModelName.parse(name)
    for place in (name, named.checkpoint, named.options.get("injected")):
        if place is not None and os.path.lexists(place):
            return Path(place)
    return None


def _measured_again(model: Any, entry: Entry) -> Entry:
    splits = [entry.split]
    subsets = None if entry.subset == "default" else [entry.subset]
    task = task_named(entry.task, eval_splits=splits, hf_subsets=subsets)
    with TemporaryDirectory(prefix="rerun-") as folder:
        cache = ResultCache(folder)
        mteb.evaluate(model, task, cache=cache, show_progress_bar=True)
        (anew,) = load_results(folder).entries
    return anew


def _compared(
    entry: Entry,
    anew: Entry,
    by: str,
) -> Rerunning:
    """Compare a submitted entry with what a rerun gave, and make the record."""
    is_same_model = anew.model == entry.model and anew.revision == entry.revision
    if not is_same_model or entry.digest is None:
        return _failed(
            entry,
            f"{anew.model} {anew.revision}",
            f"{entry.model} {entry.revision}",
            "mteb ran another model, or the submission has no items.",
        )
    if anew.dataset_revision != entry.dataset_revision:
        message = "The data here is another: a rerun proves nothing."
        return _failed(entry, anew.dataset_revision, entry.dataset_revision, message)
    now = datetime.datetime.now(datetime.UTC)
    record = Rerun(
        *cell_key(entry),
        items=entry.digest,
        dtype=anew.signature.dtype if anew.signature else "unknown",
        scores=anew.scores,
        by=by,
        date=now.date().isoformat(),
        versions={package: version(package) for package in _PACKAGES},
    )
    return record, record.disagreements(entry)


def _failed(
    entry: Entry,
    value: str,
    expected: str,
    message: str,
) -> Rerunning:
    finding = Finding(entry.file, "rerun", value, expected, message, refused=False)
    return None, [finding]
