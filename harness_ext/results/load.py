"""Reading a results folder: one entry per model, task, split and subset. A damaged file is named
and left out.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness_ext.common.errors import ALL_TASKS, UnknownNameError, unknown_name
from harness_ext.common.experiments import name_in_experiment
from harness_ext.common.json_files import DamagedFileError
from harness_ext.common.names import OWN
from harness_ext.common.revisions import UNVERIFIED, pinned_revision
from harness_ext.results.entry import Entry, Results
from harness_ext.results.lm_eval_output import is_output, read_output, result_files
from harness_ext.store.mteb_files import (
    ModelMetaFile,
    ResultFile,
    checked_scores,
    read_result_file,
    task_of_file,
)
from harness_ext.store.signature import Signature
from harness_ext.tasks import ENCODER_TASKS, TASKS, declared_task, task_order
from harness_ext.tasks.task import Task


def load_results(
    folder: str | Path,
    tasks: str | Sequence[str] | None = None,
    models: str | Sequence[str] | None = None,
) -> Results:
    """Read the results of this project's tasks, those of mteb and of lm-eval.

    Args:
        folder: The `--output-folder` of `mteb run`, the `--output_path` of `lm-eval run`, or one
            folder that was named for both.
        tasks: A name of a task, or several; all of this project's if None.
        models: The name of a model, or several; all if None. A part of a name will do that only one
            model has.

    Raises:
        UnknownNameError: There is no such task, or no result of such a model; says what there is.
        FileNotFoundError: There is no such folder, or it has no result of these tasks; says what to
            do.
    """
    if isinstance(tasks, str):
        tasks = [tasks]
    if isinstance(models, str):
        models = [models]
    results = _read_folder(Path(folder), tasks)
    if not results.entries and not results.problems:
        raise _no_result(Path(folder), tasks)
    return _of_models(results, models, folder)


def load_beside(
    folder: Path,
    other: Path,
    tasks: Sequence[str] | None,
    models: Sequence[str] | None,
) -> Results:
    """Read results, and what other models of another folder, such as a board's, have where these
    are measured.

    Args:
        folder: The results.
        other: The other folder.
        tasks: Names of tasks; all if None.
        models: Names of models in either folder; all if None.

    Raises:
        UnknownNameError: As `load_results`.
        FileNotFoundError: As `load_results`.
    """
    if not other.exists():
        raise FileNotFoundError(
            f"{other}: no such folder. The board's results are in the folder leaderboard of this "
            "project's source, which pip does not install: clone the repository, and name "
            "CHECKOUT/leaderboard."
        )
    results = load_results(folder, tasks)
    others = load_results(other, tasks)
    measured_models = {entry.model for entry in results.entries}
    measured_data = {entry.measured_on for entry in results.entries}
    entries = list(results.entries)
    for entry in others.entries:
        if entry.measured_on in measured_data and entry.model not in measured_models:
            entries.append(entry)
    entries.sort(key=order)
    both = Results(tuple(entries), results.problems)
    return _of_models(both, models, f"{folder} and {other}")


def _read_folder(
    folder: Path,
    tasks: Sequence[str] | None,
) -> Results:
    """Read all results of these tasks, if there are any. Takes and raises what
    `load_results` does.
    """
    check_tasks(tasks or ())
    if folder.is_file():
        raise FileNotFoundError(f"{folder} is a file.{_near(folder)}")
    files = _files_named_for_lm_eval(folder)
    if not files:
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder}: no such folder. Name the --output-folder of `mteb run`, or the "
                "--output_path of `lm-eval run`."
            )
        files = all_result_files(folder, tasks)
    problems: list[str] = []
    newest: dict[tuple[object, ...], Entry] = {}
    for file in files:
        results = read_results(file, tasks)
        problems += results.problems
        for entry in results.entries:
            # of lm-eval, the last run counts
            place = entry.file if entry.declared_task.harness == "mteb" else ""
            newest[*entry.measured_on, entry.model, entry.revision, place] = entry
    entries = sorted(newest.values(), key=order)
    return Results(tuple(entries), tuple(problems))


def check_tasks(names: Iterable[str]) -> None:
    """Refuse names of no task.

    Raises:
        UnknownNameError: There is no such task.
    """
    for name in names:
        if name not in TASKS and not name.startswith(OWN):
            raise unknown_name("task", name, TASKS, ALL_TASKS)


def _files_named_for_lm_eval(path: Path) -> list[Path]:
    """List the result files of `--output_path NAME.json`, to which lm-eval adds the time; empty
    where something else is meant.
    """
    if path.suffix != ".json" or path.exists():
        return []
    beginning = f"{path.stem}_"
    files = result_files(path.parent)
    return [file for file in files if file.name.startswith(beginning)]


def _of_models(
    results: Results,
    names: Sequence[str] | None,
    folder: str | Path,
) -> Results:
    """Pick the results of the named models, of all without names.

    Args:
        results: The results; with `[EXPERIMENT]` and `(additive)` a model has another name.
        names: A whole name each, or a part of it in letters of any case that only one model has.
        folder: Of the results, for the message.

    Raises:
        UnknownNameError: No model has such a name, or several have; says which there are. A name
            that no model has may be of a damaged file, and is no error where there is one.
    """
    if not names:
        return results
    models = {entry.model for entry in results.entries}
    chosen: set[str] = set()
    for name in names:
        if results.problems and not _matching(name, models):
            continue
        chosen.add(model_in(results, name, folder))
    entries = tuple(entry for entry in results.entries if entry.model in chosen)
    return Results(entries, results.problems)


def model_in(
    results: Results,
    name: str,
    folder: str | Path,
) -> str:
    """The whole name of a model that has results.

    Args:
        results: The results.
        name: The name, or a part of it in letters of any case that only one model has.
        folder: Of the results, for the message.

    Raises:
        UnknownNameError: No model has such a name, or several have; says which there are.
    """
    models = {entry.model for entry in results.entries}
    matches = _matching(name, models)
    if len(matches) > 1:
        raise UnknownNameError(f"{folder}: {name} may be any of: {', '.join(matches)}.")
    if not matches:
        raise unknown_name(f"model in {folder}", name, sorted(models))
    return matches[0]


def _matching(
    name: str,
    models: Collection[str],
) -> list[str]:
    """The model of this name, or else those with it in theirs, sorted."""
    if name in models:
        return [name]
    if not name.strip():
        return []
    part = name.lower()
    return sorted(model for model in models if part in model.lower())


def _no_result(
    folder: Path,
    tasks: Sequence[str] | None,
) -> FileNotFoundError:
    """The error for a folder without results of these tasks: says where some are, or how to make
    one.
    """
    near = _near(folder)
    if near:
        return FileNotFoundError(f"{folder}: no result in it.{near}")
    wanted = f" of {', '.join(tasks)}" if tasks else ""
    return FileNotFoundError(
        f"{folder}: no result{wanted} in it. Make one with: {_command_for(folder, tasks)}"
    )


def _command_for(
    folder: Path,
    tasks: Sequence[str] | None,
) -> str:
    """The command that makes a result in a folder, of the first of these tasks for encoders, or
    else of the first.
    """
    names = tasks or [*ENCODER_TASKS]
    place = shlex.quote(str(folder))
    for_encoders = [name for name in names if name in ENCODER_TASKS]
    if for_encoders:
        return f"mteb run -m MODEL -t {for_encoders[0]} --output-folder {place}"
    task = names[0]
    if task.startswith(OWN):
        return f"harness-ext measure MEASURE FILE -m MODEL --name {task.removeprefix(OWN)}"
    return (
        f"lm-eval run --tasks {task} --model hf --model_args pretrained=MODEL --output_path "
        f"{place} --log_samples"
    )


def _near(folder: Path) -> str:
    """Name the folders that were meant: one that this is inside, or those that are inside
    this one.
    """
    place = folder.resolve()
    outermost: list[Path] = []
    for path in (place, *place.parents):
        if path.name == "results" and any(mteb_files(path.parent)):
            outermost = [path.parent]
    folders = outermost or _folders_with_results(folder)
    return f" There are results in: {', '.join(map(str, folders))}." if folders else ""


def order(entry: Entry) -> tuple[Any, ...]:
    """Where an entry stands: by the tasks in the order of the documentation, then by subset, split,
    and model.
    """
    return task_order(entry.declared_task), *entry.measured_on, entry.model, entry.revision


def _folders_with_results(folder: Path) -> list[Path]:
    """List the visible folders with results of mteb, up to three levels below."""
    with_results: set[Path] = set()
    for level in ("*", "*/*", "*/*/*"):  # not all, which may be a whole disk
        for file in folder.glob(f"{level}/results/*/*/*.json"):
            with_results.add(file.parents[3])
    visible: list[Path] = []
    for path in sorted(with_results):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") for part in parts):
            visible.append(path)
    return visible


def all_result_files(
    folder: Path,
    tasks: Collection[str] | None = None,
) -> list[Path]:
    """List the result files of mteb and lm-eval below a folder; those of lm-eval's last run last.

    Files that cannot have a result of the named tasks are left out.
    """
    wanted = {*TASKS} if tasks is None else {*tasks}
    files: list[Path] = []
    for file in mteb_files(folder):
        task = task_of_file(file)
        is_wanted = task in ENCODER_TASKS and task in wanted
        if is_own(file) and file.name != "model_meta.json":
            is_wanted = tasks is None or task in tasks
        if is_wanted:
            files.append(file)
    files.sort(key=lambda file: (is_own(file), file))
    known = [TASKS[name] for name in wanted if name in TASKS]
    if any(task.harness == "lm-eval" for task in known):
        files += result_files(folder)
    return files


def read_results(
    file: Path,
    tasks: Collection[str] | None = None,
) -> Results:
    """Read a result file of mteb or lm-eval, or the named tasks in it; what is damaged becomes a
    problem.
    """
    if is_output(file.name):
        return read_output(file, tasks)
    try:
        return Results(tuple(read_result(file)), ())
    except DamagedFileError as error:
        return Results((), (str(error),))


def mteb_files(folder: Path) -> Iterator[Path]:
    """As mteb lays them out: results/model/revision/Task.json, or below experiments/name/; in `own`
    on own data.

    `mteb.MTEB.run` leaves `results` out.
    """
    for within in ("", "experiments/*/", OWN, f"experiments/*/{OWN}"):
        yield from folder.glob(f"results/*/*/{within}*.json")
        yield from folder.glob(f"*__*/*/{within}*.json")


@dataclass(frozen=True)
class ReadResult:
    """A result file of mteb, after it was read.

    Attributes:
        file: The file.
        task: Its task; of own data, by the measure that its signatures name.
        dataset_revision: The revision of the data, for the whole file.
        entries: One for each split and subset.
    """

    file: Path
    task: Task
    dataset_revision: str
    entries: tuple[Entry, ...]


def read_result(file: str | Path) -> list[Entry]:
    """The entries of mteb's result file of one of this project's tasks.

    Raises:
        DamagedFileError: It is damaged; names the file, the key, the value found and the value
            expected.
    """
    return [*read_whole_result(Path(file)).entries]


def read_whole_result(
    file: Path,
    meta: ModelMetaFile | None = None,
) -> ReadResult:
    """Read mteb's result file of one of this project's tasks.

    Args:
        file: The file.
        meta: The metadata of its model, if they were read already.

    Raises:
        DamagedFileError: It is damaged; names the file, the key, the value found and the value
            expected.
    """
    content = read_result_file(file)
    task = _task_of(content, file)
    if meta is None:
        meta = ModelMetaFile.beside(file)
    model, revision = _model_and_revision(file, meta)
    entries: list[Entry] = []
    for split, records in content.scores.items():
        for record in records:
            declared = _declared(task_of_file(file), record.signature, file)
            main_score, scores = checked_scores(record.values, declared.measure, file)
            entry = Entry(
                task=task_of_file(file),
                subset=record.hf_subset,
                split=split,
                model=model,
                revision=revision,
                dataset_revision=_dataset_revision(record.signature, content.dataset_revision),
                scores=scores,
                main_score=main_score,
                signature=record.signature,
                digests=record.digests,
                file=file,
            )
            entries.append(entry)
    return ReadResult(
        file,
        task,
        content.dataset_revision,
        tuple(entries),
    )


def is_own(file: Path) -> bool:
    """Whether a result file of mteb is of a task on a user's own data."""
    return task_of_file(file).startswith(OWN)


def _task_of(content: ResultFile, file: Path) -> Task:
    """The task of a result file; for own data its signatures say which measure.

    Raises:
        DamagedFileError: They name none, or several.
    """
    if not is_own(file):
        return ENCODER_TASKS[file.stem]
    signatures: list[Signature | None] = []
    for records in content.scores.values():
        signatures += [record.signature for record in records]
    name = task_of_file(file)
    tasks = [_declared(name, signature, file) for signature in signatures or [None]]
    if any(task is not tasks[0] for task in tasks):
        raise DamagedFileError(f"{file}: its signatures name several measures.", "signature")
    return tasks[0]


def _declared(
    task: str,
    signature: Signature | None,
    file: Path,
) -> Task:
    try:
        return declared_task(task, signature.measure_name if signature else "")
    except KeyError as error:
        raise DamagedFileError(
            f"{file}: its signature names no measure ({error.args[0]}).", "signature"
        ) from None


def _dataset_revision(
    signature: Signature | None,
    revision_of_file: str,
) -> str:
    """The revision of the entry's own data: the signed revision, unless the file has another or all
    files are pinned.

    mteb keeps one revision per file, which says `+unverified` if any source file of the task was
    another one.
    """
    if signature is None or UNVERIFIED not in revision_of_file:
        return revision_of_file
    signed = signature.dataset.rpartition("@")[2]
    is_same = pinned_revision(signed) == pinned_revision(revision_of_file)
    return signed if is_same else revision_of_file


def _model_and_revision(
    file: Path,
    meta: ModelMetaFile,
) -> tuple[str, str]:
    """The model's name from its metadata if they have one, else from the folders; and the
    revision.
    """
    folder = above_own(file.parent)
    folder_of_revision = revision_folder(folder)
    name = meta.name
    if name is None:
        name = folder_of_revision.parent.name.replace("__", "/")
    experiment = "" if folder_of_revision == folder else folder.name
    return name_in_experiment(name, experiment), folder_of_revision.name


def above_own(folder: Path) -> Path:
    """The folder of the other results of a model, of which a folder `own` has those on own data."""
    return folder.parent if folder.name == OWN.rstrip("/") else folder


def revision_folder(folder: Path) -> Path:
    """Find the folder of a model's revision: the folder of results itself, or above
    `experiments/NAME` or `own`.
    """
    folder = above_own(folder)
    return folder.parents[1] if folder.parent.name == "experiments" else folder
