"""Reading what `lm-eval run --output_path DIR --log_samples` writes: scores, and samples as their
items.

A run writes `DIR/<model>/results_<time>.json` with the scores of all its tasks, and for each a
`samples_<task>_<time>.jsonl` with a line per document, of which `main_score` is the document's row
in the items. It never overwrites an earlier run. The last run of a task, data, model and settings
counts.
"""

import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from harness_ext.common.json_files import DamagedFileError, JsonModel, Number, checked, read_model
from harness_ext.measures.core.document_measure import MAIN_SCORE, items_of
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import COUNT
from harness_ext.results.entry import Entry, Results
from harness_ext.store.item_files import ItemsError
from harness_ext.store.mteb_files import ROUNDING, checked_scores
from harness_ext.store.signature import Signature
from harness_ext.tasks import LANGUAGE_MODEL_MEASURES, TASKS, language_model_task
from harness_ext.tasks.task import Task

_RESULTS = re.compile(r".*_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.json")
_AGGREGATION = re.compile(r"value of (?P<key>\S+) \((?P<name>\w+) (?P<version>\d+)\)")
"""See `harness_ext.measures.core.document_measure.Aggregation`."""

_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")
"""The model argument that lm-eval calls the model by is the first of these that is there."""

_NO_FILTER = ",none"
"""Follows the name of a score that was computed from all answers as they are."""


class _TaskConfig(JsonModel):
    """The settings of a task."""

    metric_list: list[dict[str, Any]] = Field(min_length=1)
    test_split: str | None = None
    output_type: str | None = None


class _Documents(JsonModel):
    """How many documents a task has, and how many were asked about."""

    original: int
    effective: int


class _Run(JsonModel):
    """The settings of a run."""

    model_args: dict[str, Any] | str | None = None
    model_sha: str | None = None
    model_revision: str | None = None
    model_dtype: str | None = None
    limit: Number | None = None

    @property
    def arguments(self) -> dict[str, str]:
        """Model arguments by name; earlier versions of lm-eval write them as they were on the
        command line.
        """
        if isinstance(self.model_args, str):
            arguments: dict[str, str] = {}
            for part in self.model_args.split(","):
                name, _, value = part.partition("=")
                if name:
                    arguments[name] = value
            return arguments
        return {name: str(value) for name, value in (self.model_args or {}).items()}


class _Output(JsonModel):
    """`results_<time>.json`: a run and its tasks. Damage in one task leaves the others readable."""

    configs: dict[str, Any]
    results: dict[str, Any]
    config: _Run
    model_name: str
    n_samples: dict[str, Any] = Field({}, alias="n-samples")
    n_shot: dict[str, Any] = Field({}, alias="n-shot")
    versions: dict[str, Any] = Field({})
    model_source: str | None = None
    lm_eval_version: str | None = None
    chat_template: Any = None
    system_instruction_sha: str | None = None


@dataclass(frozen=True, eq=False)
class LanguageModelEntry(Entry):
    """What a language model got in a task for lm-eval.

    Its items are lm-eval's samples, so there is no digest: they belong to the scores if there are
    as many and they give the main score.

    Attributes:
        measure_name: A key of `LANGUAGE_MODEL_MEASURES`; a user may have made the task with it.
        samples: The file with the samples; None where there is none.
        n_documents: How many were asked about.
    """

    measure_name: str
    samples: Path | None
    n_documents: int

    @property
    def declared_task(self) -> Task:
        """The declaration of the task, or one made for a user's own task."""
        return language_model_task(self.task, self.measure_name)

    @property
    def how_to_repeat(self) -> str:
        """How to make it anew, with items."""
        return f"Make it anew: run lm-eval on {self.task} with the same settings and --log_samples."

    def has_items(self, key: str) -> bool:
        """Whether there are samples."""
        return self.samples is not None

    @cached_property
    def _items(self) -> Items:
        if self.samples is None:
            raise ItemsError(
                f"{self.file} has no items of {self.task}: it was made without --log_samples. "
                f"{self.how_to_repeat}"
            )
        rows = list(_rows(self.samples))
        if len(rows) != self.n_documents:
            raise ItemsError(
                f"{self.samples} has {len(rows)} samples, {self.n_documents} expected. "
                f"{self.how_to_repeat}"
            )
        try:
            items: Items = items_of(self.measure, rows)
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            (table, *_) = self.measure.items.table_types().values()
            columns = ", ".join(table.columns())
            raise ItemsError(
                f"{self.samples}: {MAIN_SCORE} is not in every line {columns}: {error}"
            ) from error
        main = self.measure.main
        computed = self.measure.score(items).flat().get(main, math.nan)
        if not abs(computed - self.main_score) <= ROUNDING:
            raise ItemsError(
                f"{self.samples} gives {main} {computed:.6g}, {self.file.name} has "
                f"{self.main_score:.6g}: one of them is of another run, or of another version of "
                f"this package. {self.how_to_repeat}"
            )
        return items


def _rows(samples: Path) -> Iterator[list[Any]]:
    number = 0
    try:
        with samples.open(encoding="utf-8") as lines:
            for line in lines:
                number += 1
                row = json.loads(line)[MAIN_SCORE]
                if not isinstance(row, list):
                    raise TypeError(f"{MAIN_SCORE} is no list")
                # JSON can have halves of characters
                "".join(cell for cell in row if isinstance(cell, str)).encode()
                yield row
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ItemsError(
            f"{samples}, line {number}: not a sample as lm-eval writes it: {error!r}"
        ) from error


def result_files(folder: Path) -> list[Path]:
    """List lm-eval's result files below a folder, the oldest first."""
    files: list[Path] = []
    # several times as quick as a glob, where there are thousands of files
    for home, _, names in os.walk(folder):
        files += [Path(home, name) for name in names if _RESULTS.fullmatch(name)]
    return sorted(files, key=lambda file: (_time(file), file))


def is_output(name: str) -> bool:
    """Whether lm-eval writes files of that name."""
    is_samples = name.startswith("samples_") and name.endswith(".jsonl")
    return is_samples or _RESULTS.fullmatch(name) is not None


def sample_files(
    file: Path,
    task: str = "*",
) -> list[Path]:
    """List the files of samples that belong to a result file, as far as they are there."""
    return sorted(file.parent.glob(f"samples_{task}_{_time(file)}.jsonl"))


def _time(file: Path) -> str:
    """When a result file was written."""
    return _RESULTS.sub(r"\g<time>", file.name)


def read_output(
    file: Path,
    tasks: Collection[str] | None = None,
) -> Results:
    """Read the scores of this project's measures from a result file of lm-eval, users' own tasks
    included.

    Args:
        file: The file. What is damaged in it becomes a problem.
        tasks: Only these tasks; all if None.
    """
    try:
        output = read_model(file, _Output)
    except DamagedFileError as error:
        return Results((), (str(error),))
    entries: list[Entry] = []
    problems: list[str] = []
    for task, settings in output.configs.items():
        if tasks is not None and task not in tasks:
            continue
        try:
            config = _TaskConfig.model_validate(settings)
        except ValidationError:  # not a task of this project
            continue
        metric = config.metric_list[0]
        if metric.get("metric") == "bypass" and task in TASKS:
            problems.append(
                f"{file}: {task} has no scores: it was run with --predict_only. Run it without."
            )
        definition = _definition(metric)
        if definition is None:
            continue
        try:
            entries.append(
                _entry(
                    file,
                    output,
                    task,
                    config,
                    definition,
                )
            )
        except DamagedFileError as error:
            problems.append(str(error))
    return Results(tuple(entries), tuple(problems))


class _Definition(NamedTuple):
    """A measure, and the version of it that a run used."""

    measure: Measure[Any]
    version: str


def _definition(metric: Mapping[str, Any]) -> _Definition | None:
    """The measure that a metric of lm-eval is; None if it is not of this project."""
    aggregation = _AGGREGATION.fullmatch(str(metric.get("aggregation")))
    if aggregation is None or aggregation["name"] not in LANGUAGE_MODEL_MEASURES:
        return None
    return _Definition(LANGUAGE_MODEL_MEASURES[aggregation["name"]], aggregation["version"])


def _entry(
    file: Path,
    output: _Output,
    task: str,
    config: _TaskConfig,
    definition: _Definition,
) -> LanguageModelEntry:
    """The entry of one task.

    Raises:
        DamagedFileError: The file is damaged there, or has no main score; names it.
    """
    result = checked({task: output.results.get(task)}, dict[str, dict[str, Any]], file)[task]
    documents = checked({task: output.n_samples.get(task)}, dict[str, _Documents], file)[task]
    measure = definition.measure
    run = output.config
    values = _defined_values(
        file,
        task,
        result,
        measure,
        run.limit,
        documents.effective,
    )
    main_score, scores = checked_scores(values, measure, file)
    for key, value in scores.items():
        score, _ = measure.declarations[key]
        if score.range == COUNT:
            # lm-eval writes a count as a float where there are several processes
            scores[key] = int(value)
    split = str(config.test_split)
    n = documents.effective
    if n != documents.original:
        split += f"[{n} chosen]" if run.limit is None else f"[:{n}]"
    prompts = _prompt_settings(output, task)
    model = _model(output, prompts)
    revision = run.model_sha or run.model_revision or "no_revision_available"
    # a pipe waits forever
    candidates = sample_files(file, escape(task))
    samples = next((path for path in candidates if path.is_file()), None)
    dataset = _dataset(samples)
    signature = Signature(
        task=f"{task}-{output.versions.get(task)}",
        dataset=dataset or "",
        split=split,
        subset="default",
        measure=f"{measure.name}-{definition.version}",
        model=model,
        revision=revision,
        level=str(config.output_type),
        prompt=", ".join(prompts),
        dtype=(run.model_dtype or "").removeprefix("torch."),
        backend=f"{output.model_source} (lm-eval {output.lm_eval_version})",
    )
    return LanguageModelEntry(
        task=task,
        subset="default",
        split=split,
        model=model,
        revision=revision,
        dataset_revision=dataset or "",
        scores=scores,
        main_score=main_score,
        signature=signature if dataset else None,
        digests={},
        file=file,
        measure_name=measure.name,
        samples=samples,
        n_documents=documents.effective,
    )


def _defined_values(
    file: Path,
    task: str,
    result: Mapping[str, Any],
    measure: Measure[Any],
    limit: float | None,
    n_documents: int,
) -> dict[str, Any]:
    """The scores that lm-eval wrote for a task, without those that are not defined (NaN).

    Raises:
        DamagedFileError: The main score is not defined; says on what.
    """
    values: dict[str, Any] = {}
    is_undefined: set[str] = set()
    for name, value in result.items():
        if not name.endswith(_NO_FILTER):
            continue
        key = name.removesuffix(_NO_FILTER)
        if isinstance(value, float) and math.isnan(value):
            is_undefined.add(key)
        else:
            values[key] = value
    if MAIN_SCORE in is_undefined:
        counts = [f", {key} {n}" for key, n in values.items() if key.startswith("n_") and n]
        where = f"what the model answered{''.join(counts)}."
        if limit is not None:
            where = f"the {n_documents} documents that --limit left. Run it without --limit."
        no_score = f"{file}: {task} has no main score: {measure.main} is not defined on {where}"
        raise DamagedFileError(no_score, MAIN_SCORE)
    return values


def _model(
    output: _Output,
    prompts: Sequence[str],
) -> str:
    """The model's name with all settings that differ from lm-eval's defaults, those that change
    prompts last.
    """
    arguments = output.config.arguments
    naming = [name for name in _NAMING if name in arguments][:1]
    settings: list[str] = []
    for name, value in arguments.items():
        if name not in {*naming, "revision"}:
            settings.append(f"{name}={value}")
    settings += prompts
    return f"{output.model_name} [{', '.join(settings)}]" if settings else output.model_name


def _prompt_settings(
    output: _Output,
    task: str,
) -> list[str]:
    """The settings that change prompts."""
    settings: list[str] = []
    n_shot = output.n_shot.get(task)
    if n_shot:
        settings.append(f"num_fewshot={n_shot}")
    if output.chat_template:
        settings.append("chat template")
    if output.system_instruction_sha:
        settings.append(f"system instruction {output.system_instruction_sha[:8]}")
    return settings


def _dataset(samples: Path | None) -> str | None:
    """What the documents were made of, by the first sample; None where there is no sound one."""
    if samples is None:
        return None
    try:
        with samples.open(encoding="utf-8") as lines:
            dataset = json.loads(next(lines))["doc"]["dataset"]
    except (OSError, ValueError, KeyError, TypeError, StopIteration, RecursionError):
        return None
    return dataset if isinstance(dataset, str) else None
