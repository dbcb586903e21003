"""Results in the schema of Every Eval Ever 0.3.0: a JSON file per result file, and a JSONL file of
its samples.

The schema is the EvalEval Coalition's; a copy of it stands in tests/leaderboard/every_eval_ever/.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.metadata import version
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.files import write_file
from harness_ext.common.model_name import ENDPOINT
from harness_ext.common.names import OWN
from harness_ext.leaderboard.submission import SubmissionError, of_revision
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results
from harness_ext.results.unit_views import view_of
from harness_ext.statistics.bootstrap import N_RESAMPLES

SCHEMA_VERSION = "0.3.0"
"""The version of both schemas."""

_LIBRARY = "compositionality-harness"
_LEVEL = 0.95
"""The confidence level of all intervals in result files."""

_METHOD = (
    "bootstrap over independent units: expanded percentiles of Poisson resamples; near the ends "
    "of the range the intervals of Wilson, Newcombe, or Bonett and Price"
)
"""How the intervals are computed; docs/compare.md has the details."""

_BINARY = {0.0, 1.0}


class Published(NamedTuple):
    """What was written.

    Attributes:
        files: The files, each result's before its samples.
        problems: A message for each result that is left out.
    """

    files: list[Path]
    problems: list[str]


def publish(
    results: Path,
    folder: Path,
    *,
    model: str | None = None,
    revision: str | None = None,
    organization: str = "unknown",
    tasks: Sequence[str] | None = None,
    now: float | None = None,
) -> Published:
    """Write results as `data/compositionality-harness/DEVELOPER/MODEL/UUID.json`, the layout of the
    datastore. Nothing is sent anywhere.

    Args:
        results: The `--output-folder` of `mteb run`.
        folder: The folder to write; made if missing. The same result has the same UUID each time.
        model: Only this model; all models if None.
        revision: Its revision; needed if there are several.
        organization: Who publishes the results.
        tasks: Only these tasks; all tasks of this project if None.
        now: The time of the export in seconds since 1970; by default the current one.

    Raises:
        FileNotFoundError: There is no result.
        UnknownNameError: There is none of this model or task.
        SubmissionError: No one of several revisions is named, or all results are of lm-eval, for
            which the schema's own package has a converter.
        ItemsError: Items are damaged.
    """
    loaded = load_results(results, tasks, model)
    entries = [entry for entry in loaded.entries if entry.declared_task.harness == "mteb"]
    if loaded.entries and not entries:
        raise SubmissionError(
            f"{results}: all results are of lm-eval. Every Eval Ever has a converter of its own "
            "for them."
        )
    if model is not None:
        entries = of_revision(entries, results, model, revision)
    problems = [*loaded.problems]
    published: list[Entry] = []
    for entry in entries:
        if entry.task.startswith(OWN):
            problems.append(f"{entry.file}: It is of own data.")
        else:
            published.append(entry)
    files: list[Path] = []
    exported = time.time() if now is None else now
    by_file = attrgetter("file")
    for file, entries_of_file in groupby(sorted(published, key=by_file), by_file):
        log = _Log(file, list(entries_of_file), organization, exported)
        files += log.write(folder)
    return Published(files, problems)


class _Log:
    """A result file in the schema.

    Attributes:
        entries: Those of the file, one per split and subset.
        model: Their model.
        id: The identifier of the evaluation.
        place: The path of the JSON file below `data`'s parent.
    """

    def __init__(
        self,
        file: Path,
        entries: Sequence[Entry],
        organization: str,
        exported: float,
    ) -> None:
        from mteb.results import TaskResult

        self.entries = entries
        self.model = entries[0].model
        self.organization = organization
        self.exported = exported
        self.date = _known(TaskResult.from_disk(file).date)
        first = entries[0]
        identity = "/".join([first.task, self.model, first.revision, str(self.date)])
        digest = hashlib.sha256(identity.encode()).digest()
        self.uuid = str(uuid.UUID(bytes=digest[:16], version=4))
        moment = self.date or datetime.fromtimestamp(exported)
        self.id = f"{first.task}/{self.model}/{first.revision}/{moment.timestamp():.0f}"
        developer, _, name = self.model.rpartition("/")
        folder = Path("data", _LIBRARY, _path_part(developer or "unknown"), _path_part(name))
        self.place = folder / f"{self.uuid}.json"

    def write(self, folder: Path) -> list[Path]:
        """Write the file, and that of its samples if there are any."""
        log = self.content()
        path = folder / self.place
        written = [path]
        samples = [*self.samples()]
        if samples:
            text = "".join(f"{_json(sample)}\n" for sample in samples)
            place = self.place.with_name(f"{self.uuid}_samples.jsonl")
            write_file(folder / place, text)
            written.append(folder / place)
            log["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": place.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(text.encode()).hexdigest(),
                "total_rows": len(samples),
            }
        write_file(path, f"{_json(log, indent=2)}\n")
        return written

    def content(self) -> dict[str, Any]:
        """The file, without the reference to the samples."""
        log: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self.id,
            "retrieved_timestamp": f"{self.exported:.0f}",
            "source_metadata": {
                "source_name": _LIBRARY,
                "source_type": "evaluation_run",
                "source_organization_name": self.organization,
                "evaluator_relationship": "other",
            },
            "eval_library": self._library(),
            "model_info": self._model_info(),
            "evaluation_results": [*self._results()],
        }
        if self.date:
            log["evaluation_timestamp"] = f"{self.date.timestamp():.0f}"
        return log

    def _library(self) -> dict[str, Any]:
        signature = self.entries[0].signature
        details: dict[str, str] = {}
        if signature is not None:
            details["mteb"] = signature.mteb
            details["sentence_transformers"] = signature.sentence_transformers
            details["backend"] = signature.backend
        return {
            "name": _LIBRARY,
            "version": version(_LIBRARY),
            "additional_details": {name: value for name, value in details.items() if value},
        }

    def _model_info(self) -> dict[str, Any]:
        first = self.entries[0]
        developer, _, name = self.model.rpartition("/")
        is_managed = self.model.startswith(ENDPOINT)
        details = {
            "deployment_type": "unknown" if is_managed else "self_deployed",
            "model_availability": "unknown",
            "revision": first.revision,
        }
        if first.signature is not None:
            details["dtype"] = first.signature.dtype
            details["prompt"] = first.signature.prompt
        return {
            "name": name,
            "id": self.model,
            "developer": developer or "unknown",
            "additional_details": details,
        }

    def _results(self) -> Iterator[dict[str, Any]]:
        """The main score of each entry, then all other scores with an interval."""
        for entry in self.entries:
            main = entry.measure.main
            yield _result(entry, main)
            for key in entry.scores:
                if key != main and entry.interval(key) and key in entry.measure.declarations:
                    yield _result(entry, key)

    def samples(self) -> Iterator[dict[str, Any]]:
        """The units of each entry, such as compounds, as far as it has items."""
        for entry in self.entries:
            if entry.digest is not None:
                yield from self._samples_of(entry)
                entry.forget_items()

    def _samples_of(self, entry: Entry) -> Iterator[dict[str, Any]]:
        view = view_of(entry.measure, entry.items())
        if view is None:
            return
        names = next(iter(view.facts.values()))
        main_figure, values = next(iter(view.figures.items()))
        is_binary = {*values[~np.isnan(values)].tolist()} <= _BINARY
        for place, name in enumerate(names.tolist()):
            score = float(values[place])
            if math.isnan(score):
                continue
            raw = {fact: _plain(column[place]) for fact, column in view.facts.items()}
            output: dict[str, float] = {}
            for figure, column in view.figures.items():
                if not math.isnan(column[place]):
                    output[figure] = float(column[place])
            text = _json(raw)
            answer = _json(output)
            content = {"raw": text, "reference": []}
            yield {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": self.id,
                "model_id": self.model,
                "evaluation_name": _evaluation_name(entry),
                "evaluation_result_id": _result_id(entry, entry.measure.main),
                "sample_id": str(name),
                "sample_hash": hashlib.sha256(_json(content).encode()).hexdigest(),
                "interaction_type": "single_turn",
                "input": content,
                "output": {"raw": [answer]},
                "answer_attribution": [
                    {
                        "turn_idx": 0,
                        "source": "output.raw",
                        "extracted_value": str(score),
                        "extraction_method": main_figure,
                        "is_terminal": True,
                    }
                ],
                "evaluation": {"score": score, "is_correct": is_binary and score == 1},
                "metadata": {
                    "unit": entry.measure.unit,
                    "score": main_figure,
                    "is_correct": "score is 1" if is_binary else "not defined, always false",
                },
            }


def _result(
    entry: Entry,
    key: str,
) -> dict[str, Any]:
    """A score of an entry."""
    declaration, _ = entry.measure.declarations[key]
    is_main = key == entry.measure.main
    score = entry.main_score if is_main else entry.scores[key]
    low, high = declaration.range
    details: dict[str, str] = {
        "formula": declaration.formula,
        "source": declaration.source,
        "better": declaration.better,
    }
    if declaration.chance is not None:
        details["chance"] = str(declaration.chance)
    score_details: dict[str, Any] = {"score": float(score)}
    if entry.signature is not None:
        score_details["details"] = {"signature": str(entry.signature)}
    uncertainty = _uncertainty(entry, key)
    if uncertainty:
        score_details["uncertainty"] = uncertainty
    return {
        "evaluation_result_id": _result_id(entry, key),
        "evaluation_name": _evaluation_name(entry),
        "source_data": _source_data(entry),
        "metric_config": {
            "evaluation_description": entry.measure.question,
            "metric_id": f"{_LIBRARY}.{entry.measure.name}.{key}",
            "metric_name": declaration.title,
            "metric_kind": key,
            "lower_is_better": declaration.better == "lower",
            "score_type": "continuous",
            "min_score": _bound(low),
            "max_score": _bound(high),
            "additional_details": details,
        },
        "score_details": score_details,
    }


def _uncertainty(
    entry: Entry,
    key: str,
) -> dict[str, Any]:
    """The interval of a score with its level and method; empty if it has none."""
    interval = entry.interval(key)
    if interval is None:
        return {}
    low, high = interval
    uncertainty: dict[str, Any] = {
        "confidence_interval": {
            "lower": float(low),
            "upper": float(high),
            "confidence_level": _LEVEL,
            "method": _METHOD,
        },
        "num_bootstrap_samples": N_RESAMPLES,
    }
    n_units = entry.scores.get(f"n_{key}")
    if n_units is not None:
        uncertainty["num_samples"] = int(n_units)
    return uncertainty


def _source_data(entry: Entry) -> dict[str, Any]:
    """The dataset of an entry, with the page that describes it if there is one."""
    task = entry.declared_task
    details = {
        "revision": entry.dataset_revision,
        "subset": entry.subset,
        "split": entry.split,
    }
    data: dict[str, Any] = {
        "dataset_name": task.dataset["path"],
        "source_type": "other",
        "additional_details": details,
    }
    reference = task.metadata.get("reference")
    if reference:
        data |= {"source_type": "url", "url": [str(reference)]}
    return data


def _evaluation_name(entry: Entry) -> str:
    return f"{_LIBRARY}.{entry.task}.{entry.subset}.{entry.split}"


def _result_id(
    entry: Entry,
    key: str,
) -> str:
    return f"{entry.task}.{entry.subset}.{entry.split}.{key}"


def _bound(number: float) -> float | str:
    """An end of a range, which JSON has no number for if it is infinite."""
    if math.isfinite(number):
        return number
    return "Infinity" if number > 0 else "-Infinity"


def _plain(value: Any) -> Any:
    """A value of an array as JSON has it: None for NaN."""
    plain = value.item()
    return None if isinstance(plain, float) and math.isnan(plain) else plain


def _known(date: datetime | None) -> datetime | None:
    """A date, None for one that no clock has: its seconds cannot be written."""
    if date is None:
        return None
    try:
        date.timestamp()
    except (OverflowError, ValueError, OSError):
        return None
    return date


def _path_part(name: str) -> str:
    """A name as a folder's: letters, digits, points and dashes."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "unknown"


def _json(
    content: Any,
    indent: int | None = None,
) -> str:
    separators = (",", ":") if indent is None else None
    return json.dumps(
        content,
        allow_nan=False,
        ensure_ascii=False,
        indent=indent,
        separators=separators,
        sort_keys=indent is None,
    )
