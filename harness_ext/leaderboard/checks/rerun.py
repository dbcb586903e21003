"""Reruns of submitted models through mteb, which a maintainer signs."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import mteb
from mteb.cache import ResultCache

from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.records import Rerun
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results


@dataclass(frozen=True)
class Rerunning:
    """The outcome of running a submitted cell again.

    Attributes:
        entry: The submitted entry.
        record: The record of the rerun; None if it failed.
        findings: The scores that differ, or the reason why it failed. Empty if all scores agree.
    """

    entry: Entry
    record: Rerun | None
    findings: tuple[Finding, ...]


def rerun(entries: Iterable[Entry], by: str) -> Iterator[Rerunning]:
    """Run the models of these entries again on their tasks, each model loaded once.

    mteb loads the model that it knows by that name and revision. Nothing in the submission, neither metadata nor a path
    in them, says how to load it.

    Args:
        entries: The submitted entries. An entry without items cannot be signed: nothing identifies its data.
        by: The maintainer's name.
    """
    by_model: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        by_model[entry.model, entry.revision].append(entry)
    for (name, revision), of_model in by_model.items():
        with TemporaryDirectory(prefix="rerun-") as folder:
            problems: dict[tuple[str, str], str] = {}
            if name.startswith("local/"):
                problem = "Its weights are in a folder that only its maker has."
            else:
                problem = ""
                try:
                    for place, error in _measure(name, revision, of_model, Path(folder)):
                        problems[place] = _could_not(error)
                except (Exception, SystemExit) as error:  # models of strangers fail in many ways; the others go on
                    problem = _could_not(error)
            for entry in of_model:
                yield _outcome(entry, problems.get((entry.task, entry.split), problem), Path(folder), by)


def _could_not(error: BaseException) -> str:
    return f"It could not be run: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def _measure(
    name: str, revision: str, entries: list[Entry], folder: Path
) -> Iterator[tuple[tuple[str, str], SourceError]]:
    """Measure the submitted splits and subsets. Yields each task and split whose data is missing, with the reason."""
    model = mteb.get_model(name, revision=revision)
    subsets: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in entries:
        subsets[entry.task, entry.split].append(entry.subset)
    for (task, split), found in subsets.items():
        there = None if found == ["default"] else found
        try:
            wanted = mteb.get_task(task, eval_splits=[split], hf_subsets=there)
            mteb.evaluate(model, wanted, cache=ResultCache(folder), show_progress_bar=True)
        except SourceError as error:
            yield (task, split), error


def _outcome(entry: Entry, problem: str, folder: Path, by: str) -> Rerunning:
    def failed(found: str, expected: str, message: str) -> Rerunning:
        return Rerunning(entry, None, (Finding(entry.file, "rerun", found, expected, message, refused=False),))

    if problem:
        return failed("", "", problem)
    cell = (entry.model, entry.revision, entry.task, entry.split, entry.subset)
    anew = {
        (one.model, one.revision, one.task, one.split, one.subset): one
        for one in (load_results(folder).entries if (folder / "results").is_dir() else ())
    }
    if cell not in anew or entry.digest is None:
        return failed(", ".join(f"{model} {revision}" for model, revision, *_ in anew), f"{entry.model} "
                      f"{entry.revision}", "mteb ran another model, or the submission has no items.")  # fmt: skip
    own = anew[cell]
    if own.dataset_revision != entry.dataset_revision:
        return failed(own.dataset_revision, entry.dataset_revision, "The data here is another: a rerun proves nothing.")
    record = Rerun(
        *cell,
        items=entry.digest,
        dtype=own.signature.dtype if own.signature else "unknown",
        scores=own.scores,
        by=by,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        versions={name: version(name) for name in ("compositionality-harness", "mteb", "torch", "transformers")},
    )
    return Rerunning(entry, record, tuple(record.disagreements(entry)))
