"""Reading what `lm-eval run --output_path DIR --log_samples` writes: scores, and samples as their items.

A run writes `DIR/<model>/results_<time>.json` with the scores of all its tasks, and for each a
`samples_<task>_<time>.jsonl` with a line per document, of which `main_score` is the document's row in the items. It
never writes over an earlier run: of the same task, data, model and settings the last one counts.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.catalogue.every_row import LANGUAGE_MODEL_MEASURES, language_model_task
from harness_ext.evaluators.language_models.document_measure import MAIN_SCORE, items_of
from harness_ext.evaluators.scores import COUNT
from harness_ext.results.entry import (
    ROUNDING,
    Entry,
    ResultError,
    Results,
    checked_main_score,
    finite,
    of_type,
    read_json,
)
from harness_ext.store.item_files import ItemsError
from harness_ext.store.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from harness_ext.catalogue.task import Task
    from harness_ext.evaluators.items import Items
    from harness_ext.evaluators.measure import Measure

_RESULTS = re.compile(r".*_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.json")
_AGGREGATION = re.compile(r"value of (?P<key>\S+) \((?P<name>\w+) (?P<version>\d+)\)")
"""As `harness_ext.evaluators.language_models.document_measure.Aggregation` says what it is."""

_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")
"""The model argument that lm-eval calls the model by is the first of these that is there."""


@dataclass(frozen=True, eq=False)
class LanguageModelEntry(Entry):
    """What a language model got in a task for lm-eval.

    Its items are lm-eval's samples, so there is no digest: that they are those of the scores is told by their number
    and by the main score.

    Attributes:
        measure_name: A key of `LANGUAGE_MODEL_MEASURES`; the task may be one that a user made with it.
        samples: The file with the samples; None where there is none.
        n_documents: How many were asked about.
        command: That makes the result anew, with samples.
    """

    measure_name: str
    samples: Path | None
    n_documents: int
    command: str

    @property
    def about(self) -> Task:
        """The task's row of the catalogue, or one for a user's own task."""
        return language_model_task(self.task, self.measure_name)

    @property
    def made_anew(self) -> str:
        """How to make it anew, with items."""
        return f"Make it anew: {self.command}"

    def items(self) -> Items:
        """What the scores were computed from.

        Raises:
            ItemsError: They are not there or damaged; says which file, and how to get them.
        """
        if self.samples is None:
            raise ItemsError(
                f"{self.file} has no items of {self.task}: it was made without --log_samples. {self.made_anew}"
            )
        rows = list(_rows(self.samples))
        if len(rows) != self.n_documents:
            raise ItemsError(f"{self.samples} has {len(rows)} samples, {self.n_documents} expected. {self.made_anew}")
        try:
            items: Items = items_of(self.measure, rows)
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            columns = ", ".join(next(iter(self.measure.items.table_types().values())).columns())
            raise ItemsError(f"{self.samples}: {MAIN_SCORE} is not in every line {columns}: {error}") from error
        found = self.measure.score(items).flat().get(self.measure.main, math.nan)
        if not abs(found - self.main_score) <= ROUNDING:
            raise ItemsError(
                f"{self.samples} gives {self.measure.main} {found:.6g}, {self.file.name} has {self.main_score:.6g}: "
                f"one of them is of another run, or of another version of this package. {self.made_anew}"
            )
        return items


def _rows(samples: Path) -> Iterator[list[Any]]:
    try:
        with samples.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)[MAIN_SCORE]
                if not isinstance(row, list):
                    raise ItemsError(f"{samples}, line {number}: {MAIN_SCORE} is no list.")
                "".join(cell for cell in row if isinstance(cell, str)).encode()  # JSON can have halves of characters
                yield row
    except OSError as error:
        raise ItemsError(f"{samples} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ItemsError(f"{samples} is not UTF-8: {error.reason}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, ItemsError):
            raise
        raise ItemsError(f"{samples}, line {number}: not a sample as lm-eval writes it: {error!r}") from error


def run_command(
    task: str, output_path: str, model: str = "hf", model_args: str = "pretrained=MODEL", *more: str
) -> str:
    """The command line that makes a result with its samples."""
    named = ["--tasks", task, "--model", model, "--model_args", model_args, *more, "--output_path", output_path]
    return shlex.join(["lm-eval", "run", *named, "--log_samples"])


def result_files(folder: Path) -> list[Path]:
    """Lm-eval's result files below a folder, the oldest first."""
    found = [
        (match["time"], Path(home, name))
        for home, _, names in os.walk(folder)  # several times as quick as a glob, where there are thousands of files
        for name in names
        if (match := _RESULTS.fullmatch(name))
    ]
    return [file for _, file in sorted(found)]


def is_output(name: str) -> bool:
    """Whether lm-eval writes files of that name."""
    return _RESULTS.fullmatch(name) is not None or (name.startswith("samples_") and name.endswith(".jsonl"))


def sample_files(file: Path) -> list[Path]:
    """The files of samples that belong to a result file, as far as they are there."""
    return sorted(file.parent.glob(f"samples_*_{_RESULTS.fullmatch(file.name)['time']}.jsonl"))  # type: ignore[index]


def read_output(file: Path, tasks: Collection[str] | None = None) -> Results:
    """What one of lm-eval's result files has of this project's measures, also in tasks that a user made with them.

    Args:
        file: The `results_<time>.json` of a run.
        tasks: Names of tasks; all if None.
    """
    entries, problems = [], []
    try:
        content = read_json(file)
        configs, results = (of_type(content, key, dict, file) for key in ("configs", "results"))
    except ResultError as error:
        return Results((), (str(error),))
    for task, config in configs.items():
        measure = _measure_of(config)
        if measure is not None and (tasks is None or task in tasks):
            try:
                entries.append(_entry(file, content, task, config, results.get(task), *measure))
            except ResultError as error:
                problems.append(str(error))
    return Results(tuple(entries), tuple(problems))


def _measure_of(config: Any) -> tuple[Measure[Any], str] | None:
    """The measure of a task and its version at that time; None if it is none of this project."""
    metrics = config.get("metric_list") if isinstance(config, dict) else None
    first = metrics[0] if isinstance(metrics, list) and metrics else None
    found = _AGGREGATION.fullmatch(str(first.get("aggregation"))) if isinstance(first, dict) else None
    known = LANGUAGE_MODEL_MEASURES.get(found["name"]) if found else None
    return (known, found["version"]) if found and known else None


def _entry(
    file: Path,
    content: dict[str, Any],
    task: str,
    config: dict[str, Any],
    result: Any,
    measure: Measure[Any],
    version: str,
) -> Entry:
    """The entry of one task.

    Raises:
        ResultError: The file is damaged there, or has no main score; names it.
    """
    if not isinstance(result, dict):
        raise ResultError(f"{file} has no scores of {task}.")
    values = {key.removesuffix(",none"): value for key, value in result.items() if key.endswith(",none")}
    main = values.get(MAIN_SCORE)
    run = of_type(content, "config", dict, file)
    n_documents, split = _documents(file, content, task, str(config.get("test_split")), run.get("limit"))
    if isinstance(main, float) and math.isnan(main):
        if run.get("limit") is not None:
            raise ResultError(
                f"{file}: {task} has no main score: {measure.main} is not defined on the {n_documents} documents that "
                "--limit left. Run it without --limit."
            )
        counted = {key: values[key] for key in values if key.startswith("n_") and values[key]}
        raise ResultError(
            f"{file}: {task} has no main score: {measure.main} is not defined on what the model answered"
            f"{''.join(f', {key} {value}' for key, value in counted.items())}."
        )
    arguments = _arguments(run.get("model_args"))
    model, settings = _model(file, content, task, run, arguments)
    revision = run.get("model_sha") or run.get("model_revision") or "no_revision_available"
    samples = file.with_name(f"samples_{task}_{_RESULTS.fullmatch(file.name)['time']}.jsonl")  # type: ignore[index]
    dataset = _dataset(samples)
    signature = dataset and Signature(
        task=f"{task}-{_of_task(content, 'versions', task)}",
        dataset=dataset,
        split=split,
        subset="default",
        measure=f"{measure.name}-{version}",
        model=model,
        revision=str(revision),
        level=str(config.get("output_type")),
        prompt=", ".join(settings),
        dtype=str(run.get("model_dtype") or "").removeprefix("torch."),
        backend=f"{content.get('model_source')} (lm-eval {content.get('lm_eval_version')})",
        mteb="",
        sentence_transformers="",
    )
    return LanguageModelEntry(
        task=task,
        subset="default",
        split=split,
        model=model,
        revision=str(revision),
        dataset_revision=dataset or "",
        scores=dict(_scores(values, measure, file)),
        main_score=checked_main_score(values, measure, file),
        signature=signature or None,
        digest=None,
        words_digest=None,
        file=file,
        measure_name=measure.name,
        samples=samples if samples.is_file() else None,
        n_documents=n_documents,
        command=_command(file, content, task, run, arguments),
    )


def _scores(values: Mapping[str, Any], measure: Measure[Any], file: Path) -> Iterator[tuple[str, float]]:
    """The scores that are declared and defined; lm-eval writes a count as a float where there are several processes."""
    for key, (score, _) in measure.declarations().items():
        value = values.get(key, math.nan)
        if not (isinstance(value, float) and math.isnan(value)):
            yield key, int(finite(value, key, file)) if score.range == COUNT else finite(value, key, file)


def _documents(file: Path, content: dict[str, Any], task: str, split: str, limit: Any) -> tuple[int, str]:
    """How many documents were asked about, and the split with what was taken of it."""
    counted = of_type(content, "n-samples", dict, file)
    numbers = of_type(counted, task, dict, file)
    n, of = (int(of_type(numbers, key, int, file)) for key in ("effective", "original"))
    if n == of:
        return n, split
    return n, f"{split}[:{n}]" if limit is not None else f"{split}[{n} chosen]"


def _arguments(given: Any) -> dict[str, str]:
    """Model arguments by name; earlier versions of lm-eval write them as they stood on the command line."""
    if isinstance(given, str):
        parts = (part.partition("=") for part in given.split(","))
        return {name: value for name, _, value in parts if name}
    return {str(name): str(value) for name, value in given.items()} if isinstance(given, dict) else {}


def _model(
    file: Path, content: dict[str, Any], task: str, run: dict[str, Any], arguments: Mapping[str, str]
) -> tuple[str, list[str]]:
    """The model's name, with all that was set otherwise than lm-eval does by itself; and of that, what is asked."""
    name: str = of_type(content, "model_name", str, file)
    naming = next((one for one in _NAMING if one in arguments), None)
    asked = [f"num_fewshot={n_shot}"] if (n_shot := _of_task(content, "n-shot", task)) else []
    if content.get("chat_template"):
        asked.append("chat template")
    if instruction := content.get("system_instruction_sha"):
        asked.append(f"system instruction {str(instruction)[:8]}")
    if generation := run.get("gen_kwargs"):
        asked.append(f"gen_kwargs={generation}")
    changes = [f"{key}={value}" for key, value in arguments.items() if key not in {naming, "revision"}]
    settings = [*changes, *asked]
    return f"{name} [{', '.join(settings)}]" if settings else name, asked


def _of_task(content: dict[str, Any], key: str, task: str) -> Any:
    by_task = content.get(key)
    return by_task.get(task) if isinstance(by_task, dict) else None


def _dataset(samples: Path) -> str | None:
    """What the documents were made of, by the first sample; None where there is no sound one."""
    if not samples.is_file():  # to open a pipe would wait forever
        return None
    try:
        with samples.open(encoding="utf-8") as lines:
            dataset = json.loads(next(lines))["doc"]["dataset"]
    except (OSError, ValueError, KeyError, TypeError, StopIteration, RecursionError):
        return None
    return dataset if isinstance(dataset, str) else None


def _command(file: Path, content: dict[str, Any], task: str, run: dict[str, Any], arguments: Mapping[str, str]) -> str:
    """The command line that makes a result anew, with its samples."""
    in_own_folder = file.parent.name == content.get("model_name_sanitized")
    more = []
    if (limit := run.get("limit")) is not None:
        more += ["--limit", f"{limit:g}" if isinstance(limit, float) else str(limit)]
    if n_shot := _of_task(content, "n-shot", task):
        more += ["--num_fewshot", str(n_shot)]
    if content.get("chat_template"):
        more.append("--apply_chat_template")
    if instruction := content.get("system_instruction"):
        more += ["--system_instruction", str(instruction)]
    given = ",".join(f"{name}={value}" for name, value in arguments.items())
    output = str(file.parent.parent if in_own_folder else file.parent)
    return run_command(task, output, str(content.get("model_source")), given, *more)
