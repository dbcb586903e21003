"""Reading the logs of `inspect eval harness_ext/…`: each sample's score has the row of the items in its metadata."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness_ext.framework.items import Items
from harness_ext.language_models.document_measure import items_of
from harness_ext.names import MEASURED_ROW
from harness_ext.results.entry import Entry, Results
from harness_ext.store.signature import Signature
from harness_ext.tasks import TASKS


@dataclass(frozen=True, eq=False)
class InspectEntry(Entry):
    """What a language model got in a task for lm-eval that Inspect ran.

    Attributes:
        rows: The rows of the items, from the log.
    """

    rows: tuple[list[Any], ...]

    @property
    def made_anew(self) -> str:
        """How to make it anew, with items."""
        return f"Make it anew: inspect eval harness_ext/{self.task} --model {self.model}"

    def items(self) -> Items:
        """What the scores were computed from."""
        items: Items = items_of(self.measure, self.rows)
        return items


def log_files(folder: Path) -> list[Path]:
    """Inspect's logs below a folder, the oldest first: their names begin with the time."""
    return sorted(folder.rglob("*.eval"), key=lambda file: file.name)


def read_log(file: Path, tasks: Collection[str] | None = None) -> Results:
    """Read the scores of this project's tasks, or of the named ones, from an `.eval` file of Inspect."""
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        return Results((), (f'{file} is a log of Inspect, which reads it: pip install "inspect-ai>=0.3.285".',))
    try:
        log = read_eval_log(str(file))
        by_task: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for sample in log.samples or ():
            for score in (sample.scores or {}).values():
                about = (score.metadata or {}).get(MEASURED_ROW)
                if about is not None and (tasks is None or about["task"] in tasks):
                    by_task[about["task"]].append(about)
        if log.status != "success":
            unfinished = f"{file}: the run is not complete ({log.status}). Complete it: inspect eval-retry {file}"
            is_ours = by_task or log.eval.task.startswith("harness_ext/")
            return Results((), (unfinished,) if is_ours else ())
        read = list(_entries(file, log, by_task))
    except Exception as error:  # of many kinds: the file may be anything
        return Results((), (f"{file} is no sound log of Inspect: {type(error).__name__}: {error}",))
    entries = tuple(each for each in read if isinstance(each, Entry))
    return Results(entries, tuple(each for each in read if isinstance(each, str)))


def _entries(file: Path, log: Any, by_task: dict[str, list[dict[str, Any]]]) -> Iterator[Entry | str]:
    for name, abouts in by_task.items():
        first, task = abouts[0], TASKS[name]
        rows = tuple([math.nan if value == "nan" else value for value in about["row"]] for about in abouts)
        scores = task.measure.flat_scores(items_of(task.measure, rows))
        main = task.measure.main
        if main not in scores:
            yield f"{file}: {name} has no main score: {main} is not defined on its {len(rows)} documents."
            continue
        split = "test" if len(rows) == first["n_documents"] else f"test[:{len(rows)}]"
        yield InspectEntry(
            task=name,
            subset="default",
            split=split,
            model=log.eval.model,
            revision="no_revision_available",
            dataset_revision=first["dataset"],
            scores=scores,
            main_score=scores[main],
            signature=Signature(
                task=f"{name}-{first['version']}",
                dataset=first["dataset"],
                split=split,
                subset="default",
                measure=first["measure"],
                model=log.eval.model,
                revision="no_revision_available",
                level=first["level"],
                backend=f"inspect (inspect-ai {log.eval.packages.get('inspect_ai')})",
            ),
            digest=None,
            words_digest=None,
            file=file,
            rows=rows,
        )
