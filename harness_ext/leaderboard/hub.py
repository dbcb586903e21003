"""Files of the Hub's leaderboards: `eval.yaml` makes a dataset one, `.eval_results` of a model's
repository fill it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import groupby, product
from operator import attrgetter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import yaml

from harness_ext.common.files import write_file
from harness_ext.common.names import OWN
from harness_ext.common.random_states import random_states_kept
from harness_ext.common.wraps import attribute
from harness_ext.data.builder import builder_class
from harness_ext.data.card import dataset_facts
from harness_ext.data.export import export_datasets
from harness_ext.leaderboard.submission import SubmissionError, of_revision, results_of_mteb
from harness_ext.results.entry import Entry
from harness_ext.results.load import revision_folder
from harness_ext.tasks import ENCODER_TASKS

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry


def export_leaderboards(
    folder: Path,
    org: str,
    names: list[str] | None = None,
) -> Iterator[Path]:
    """Write datasets as repositories that are leaderboards: `ORG/NAME/` with card, Parquet, and
    `eval.yaml`.

    Args:
        folder: Created if missing; existing files of the same names are replaced.
        org: The organization or user of the Hub to whom they will belong.
        names: The datasets to write; all if None.

    Yields:
        The path of each file written. Raises what `export_datasets` does.
    """
    for path in export_datasets(folder / org, names):
        yield path
        if path.name != "README.md":  # the card is the last file of a dataset
            continue
        content = eval_config(path.parent.name)
        if content is not None:
            config = path.with_name("eval.yaml")
            write_file(config, content.to_yaml())
            yield config


def eval_config(dataset: str) -> Any:
    """The content of a dataset's `eval.yaml`, by mteb: each of its tasks, as a whole and by subset
    and split.

    Returns:
        mteb's `HFEvalMeta`; None if this version of mteb makes none.
    """
    from harness_ext.harnesses.mteb.task import task_class

    tasks = [task for task in ENCODER_TASKS.values() if task.dataset["path"] == dataset]
    meta: Any = None
    for task in tasks:
        with random_states_kept():  # mteb seeds everything when it makes a task
            made = task_class(task)()
        create = attribute(made, "mteb.abstasks:AbsTask._create_task_hf_config")
        if create is None:
            return None
        meta = create(meta)
    assert meta is not None, f"{dataset} has no task"
    builder = builder_class(dataset)
    places = {place.id: place for place in meta.tasks}
    for task in tasks:
        for subset, split in product(task.subsets, task.splits):
            place = places[task_id(task.name, subset, split)]
            # mteb's subset and split may be none of the dataset: `default` of one config, a
            # protocol on several
            declared_config = task.dataset.get("name")
            configs = task.dataset_configs(split, subset)
            if declared_config:
                configs = (declared_config,)
            splits = builder.SPLITS_OF.get(configs[0], builder.SPLITS)
            place.config = configs[0] if len(configs) == 1 else None
            place.split = split if split in splits else None
    title = dataset_facts(dataset)["pretty_name"]
    return meta.model_copy(update={"name": dataset, "description": title})


def task_id(
    task: str,
    subset: str,
    split: str,
) -> str:
    """The name of a task's subset and split in `eval.yaml`, as mteb writes it."""
    return f"{task}_{subset}_{split}"


def publish(
    results: Path,
    model: str,
    folder: Path,
    org: str,
    *,
    items: str | None = None,
    revision: str | None = None,
    tasks: Sequence[str] | None = None,
) -> tuple[list[Path], list[str]]:
    """Write a model's main scores for the Hub: `.eval_results/TASK.yaml`, a file per task. Nothing
    is sent anywhere.

    Args:
        results: The `--output-folder` of `mteb run`.
        model: The model's name.
        folder: The folder to write; made if missing.
        org: The organization or user of the Hub to whom the datasets belong, see
            `export_leaderboards`.
        items: The address of a published copy of the folders of models, such as a board's
            `results`: scores link to the items there. Without it they link to the dataset.
        revision: The model's revision; needed if there are several.
        tasks: Only these tasks; all tasks of this project if None.

    Returns:
        The files, and a message for each result left out: of other data or another version of the
        measure than today's, or of a split without a name in `eval.yaml`.

    Raises:
        FileNotFoundError: There is no result.
        UnknownNameError: There is none of this model.
        SubmissionError: No one of several revisions is named, all are of lm-eval, or
            huggingface_hub is before 1.4.
    """
    try:
        from huggingface_hub import eval_result_entries_to_yaml
    except ImportError:
        raise SubmissionError(
            "Scores for the Hub need huggingface_hub 1.4 or newer, which defines their form."
        ) from None

    loaded = results_of_mteb(results, model, tasks)
    entries = of_revision(loaded.entries, results, model, revision)
    fit = []
    problems = [*loaded.problems]
    for entry in entries:
        reason = _unfit(entry)
        if reason:
            problems.append(f"{entry.file}, {entry.data}: {reason}")
        else:
            fit.append(entry)
    files = []
    for file, entries_of_file in groupby(fit, attrgetter("file")):
        path = folder / ".eval_results" / f"{file.stem}.yaml"
        results_of_file = list(_results(list(entries_of_file), org, items))
        content = eval_result_entries_to_yaml(results_of_file)
        write_file(path, yaml.safe_dump(content, sort_keys=False))
        files.append(path)
    return files, problems


def _unfit(entry: Entry) -> str:
    """Say why a leaderboard of the Hub cannot have an entry; empty if it can."""
    task = entry.declared_task
    definition = entry.measure.definition
    if entry.task.startswith(OWN):
        return "It is of own data."
    if entry.dataset_revision != task.dataset["revision"]:
        return f"It is not of {task.dataset['path']}@{task.dataset['revision']}."
    if entry.signature is None or entry.signature.measure != definition:
        return f"It was not measured by {definition}. {entry.how_to_repeat}."
    if entry.split not in task.splits:
        return "Its split is not one of those that mteb runs by default."
    return ""


def _results(
    entries: Sequence[Entry],
    org: str,
    items: str | None,
) -> Iterator[EvalResultEntry]:
    """Convert the entries of a result file, and their mean if none is missing: mteb's score of the
    task as a whole.
    """
    from huggingface_hub import EvalResultEntry
    from mteb.results import TaskResult

    first = entries[0]
    task = first.declared_task
    date = TaskResult.from_disk(first.file).date
    dataset = f"{org}/{task.dataset['path']}"
    source = f"https://huggingface.co/datasets/{dataset}"
    if items:
        folder = first.file.parent
        place = folder.relative_to(revision_folder(folder).parents[1])
        source = f"{items.rstrip('/')}/{quote(place.as_posix())}"
    scores = {}
    notes = {}
    for entry in entries:
        name = task_id(*entry.measured_on)
        scores[name] = entry.main_score
        notes[name] = str(entry.signature)
    n_scores = len(task.subsets) * len(task.splits)
    if len(scores) == n_scores:
        notes[task.name] = f"mean of {', '.join(scores)}"
        if n_scores == 1:
            notes[task.name] = str(first.signature)
        scores[task.name] = mean(scores.values())
    for name, score in scores.items():
        yield EvalResultEntry(
            dataset_id=dataset,
            task_id=name,
            value=round(score * 100, 5),  # as mteb does
            date=f"{date:%Y-%m-%d}" if date else None,
            source_url=source,
            source_name=f"mteb with compositionality-harness {version('compositionality-harness')}",
            notes=notes[name],
            # no dataset_revision: ours is of the papers' repositories, the Hub's would be a commit
            # of the dataset there
        )
