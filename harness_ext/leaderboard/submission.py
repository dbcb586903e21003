"""Writes a submission: a folder that a board takes as it is, with the text of its pull request."""

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness_ext.common.experiments import model_and_experiment
from harness_ext.common.files import incomplete_folder
from harness_ext.common.json_files import read_json
from harness_ext.common.model_name import LOCAL
from harness_ext.common.names import OWN
from harness_ext.leaderboard.checks.declared import NOT_RERUN
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.submitted_files import NOT_VERIFIED, PULL_REQUEST
from harness_ext.leaderboard.checks.verify import Verification, verify
from harness_ext.leaderboard.verification_tables import cells_table, code, findings_table
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, Baseline
from harness_ext.results.entry import Entry, Results
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.load import load_results
from harness_ext.store.item_files import items_file, remove_unnamed
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.task import Task

_CHECKED = (
    "`harness-ext submit` recomputed every score from the items in this branch, and compared the "
    "rows of the items with the pinned datasets where the table says *recomputed*. To check it "
    "again: `harness-ext verify .`; to run the model too: "
    "`harness-ext verify . --against BOARD --rerun --by NAME`."
)
"""What was checked before the pull request."""

_DECLARATION = (
    "- [ ] I made these results in this way, and changed nothing in them.\n"
    "- [ ] The model was not trained on the datasets of these tasks, or I list the exceptions "
    "below."
)
"""What the submitter says."""


class SubmissionError(ValueError):
    """There is nothing to submit, or a board would refuse it.

    Attributes:
        findings: The reasons to refuse it.
    """

    def __init__(
        self,
        message: str,
        findings: Sequence[Finding] = (),
    ) -> None:
        super().__init__(message)
        self.findings = findings


def submit(
    results: Path,
    model: str,
    output: Path,
    *,
    revision: str | None = None,
    tasks: Sequence[str] | None = None,
) -> Verification:
    """Check the results of a model as a board does, and write them with the text of a pull request.

    Args:
        results: The `--output-folder` of `mteb run`.
        model: The model's name.
        output: The folder to write: `results/`, to be copied into the board's repository, and
            `PULL_REQUEST.md`.
        revision: The model's revision; needed if there are several.
        tasks: Only these tasks; all tasks of this project if None.

    Returns:
        The outcome of the checks.

    Raises:
        FileNotFoundError: The folder is missing, or has no result.
        UnknownNameError: It has no result of this model.
        FileExistsError: The folder to write is not empty.
        SubmissionError: A board would refuse it; has the findings.
    """
    if output.exists() and any(output.iterdir()):
        raise FileExistsError(f"{output} is not empty. Name another folder with -o, or remove it.")
    loaded = results_of_mteb(results, model, tasks)
    entries_of_model: Sequence[Entry] = loaded.entries
    if tasks is None:
        of_this_project = [entry for entry in loaded.entries if not entry.task.startswith(OWN)]
        entries_of_model = of_this_project or loaded.entries
    entries = of_revision(entries_of_model, results, model, revision)
    damage = _damage(loaded, entries)
    if damage:
        raise SubmissionError(damage)
    output.parent.mkdir(parents=True, exist_ok=True)
    with incomplete_folder(output.parent) as folder:
        branch = folder / output.name
        items_types = {entry.file: entry.measure.items for entry in entries}
        for file, items_type in items_types.items():
            copied = branch / file.relative_to(results)
            _copy(file, copied)
            if not items_file(copied).is_symlink():
                remove_unnamed(copied, items_type)
        verification = verify(branch)
        if verification.is_refused:
            refused = [finding for finding in verification.findings if finding.refused]
            moved = [finding.moved(branch, results) for finding in refused]
            raise SubmissionError(f"{model}: a board would refuse this.", moved)
        moved = [finding.moved(branch, output) for finding in verification.findings]
        verification = replace(verification, findings=tuple(moved))
        for file in branch.glob("results/*/*/model_meta.json"):
            _leave_out_folders(file)
        (branch / PULL_REQUEST).write_text(_pull_request(verification, output), encoding="utf-8")
        if output.exists():
            output.rmdir()
        branch.replace(output)
    return verification


def _damage(loaded: Results, entries: Sequence[Entry]) -> str:
    """Name a damaged file in the folders of these entries, or any where there are none; empty if
    there is none.
    """
    folders = {str(entry.file.parent) for entry in entries}
    for problem in loaded.problems:
        if not entries or any(folder in problem for folder in folders):
            return problem
    return ""


def results_of_mteb(
    results: Path,
    model: str,
    tasks: Sequence[str] | None,
) -> Results:
    """Load the results of a model without those of lm-eval, which no board can verify.

    Raises:
        FileNotFoundError: There is no result.
        UnknownNameError: There is none of this model.
        SubmissionError: All results, or some of the named tasks, are of lm-eval.
    """
    loaded = load_results(results, tasks, [model])
    results_of_mteb: list[Entry] = []
    results_of_lm_eval: list[Entry] = []
    for entry in loaded.entries:
        if isinstance(entry, LanguageModelEntry):
            results_of_lm_eval.append(entry)
        else:
            results_of_mteb.append(entry)
    if results_of_lm_eval and (tasks or not results_of_mteb):
        raise SubmissionError(f"{results_of_lm_eval[0].file}: {NOT_VERIFIED}")
    return Results(tuple(results_of_mteb), loaded.problems)


def of_revision(
    entries: Sequence[Entry],
    results: Path,
    model: str,
    revision: str | None,
) -> list[Entry]:
    """Pick the entries of the named revision, or of the only one.

    Raises:
        SubmissionError: There are several revisions, and none is named.
        FileNotFoundError: The named revision is missing; lists the others.
    """
    revisions = sorted({entry.revision for entry in entries})
    if revision is None and len(revisions) > 1:
        raise SubmissionError(
            f"{results} has {len(revisions)} revisions of {model}: {', '.join(revisions)}. Name "
            "one with --revision."
        )
    if revision is not None and revision not in revisions:
        raise FileNotFoundError(
            f"{results}: no result of {model} at the revision {revision}. Its revisions are "
            f"{', '.join(revisions)}."
        )
    return [entry for entry in entries if revision in {None, entry.revision}]


def _copy(file: Path, to: Path) -> None:
    """Copy a result with its items and the metadata of its model. Links stay links, which are
    refused later.
    """
    to.parent.mkdir(parents=True, exist_ok=True)
    for path in (file, file.with_name("model_meta.json"), items_file(file)):
        if path == file or path.is_file():
            shutil.copy(path, to.with_name(path.name), follow_symlinks=False)


def _leave_out_folders(model_meta: Path) -> None:
    """Keep the name alone of each folder of this machine that a local model's metadata have."""
    content = read_json(model_meta)
    arguments = content.get("loader_kwargs") or {}
    has_changed = False
    for fields, key in ((content, "adapted_from"), (arguments, "folder")):
        folder = Path(str(fields.get(key) or ""))
        if folder.is_absolute():
            fields[key] = folder.name
            has_changed = True
    if has_changed:
        text = json.dumps(content, indent=4)
        model_meta.write_text(text, encoding="utf-8")


def _settings(entries: Sequence[Entry]) -> str:
    """Say what differs from a run with all defaults; empty if nothing does."""
    settings: dict[str, list[str]] = {"options of encode": [], "prompts": [], "experiments": []}
    for entry in entries:
        if entry.signature:
            settings["options of encode"].append(entry.signature.options)
            settings["prompts"].append(entry.signature.prompt)
        _, experiment = model_and_experiment(entry.model)
        settings["experiments"].append(experiment)
    said = []
    for name, values in settings.items():
        texts = [code(value) for value in values if value]
        if texts:
            said.append(f"{name}: {', '.join(dict.fromkeys(texts))}")
    return "; ".join(said)


def commands(entries: Sequence[Entry], model: str) -> list[str]:
    """List the runs of mteb that make these results of a model, and no others.

    A run's variables, languages and splits hold for all of its tasks, so tasks that differ in these
    have runs of their own.
    """
    entries_of_task: dict[str, list[Entry]] = {}
    for entry in entries:
        entries_of_task.setdefault(entry.task, []).append(entry)
    tasks_of_run: dict[_Run, list[str]] = {}
    for task, of_task in entries_of_task.items():
        tasks_of_run.setdefault(_run(of_task), []).append(task)
    name = f'-m "{model}" --model-revision {entries[0].revision}'
    return [
        f"{run.variables}mteb run {name} -t {' '.join(tasks)}{run.options}"
        for run, tasks in tasks_of_run.items()
    ]


class _Run(NamedTuple):
    """What differs from a run with all defaults: variables before the command, options behind."""

    variables: str
    options: str


def _run(entries: Sequence[Entry]) -> _Run:
    """Say how these entries of a task were made."""
    task = ENCODER_TASKS[entries[0].task]
    splits = dict.fromkeys(entry.split for entry in entries)
    subsets = dict.fromkeys(entry.subset for entry in entries)
    options = ""
    wanted_splits = tuple(splits)
    if splits.keys() != {*task.splits}:
        options += f" --eval-splits {' '.join(splits)}"
    else:
        wanted_splits = task.splits
    others = [subset for subset in _subsets_with(task, wanted_splits) if subset not in subsets]
    if others:
        codes = _codes(task, subsets)
        options += f" -l {' '.join(codes)}"
        if not codes.keys().isdisjoint(_codes(task, others)):  # mteb's command chooses no subsets
            options += f"  # of its subsets only {', '.join(subsets)}"
    return _Run(_variables(entries, task), options)


def _codes(task: Task, subsets: Iterable[str]) -> dict[str, None]:
    """The codes of the languages of subsets as `mteb run -l` takes them: `eng` of `eng-Latn`."""
    codes: dict[str, None] = {}
    for subset in subsets:
        for language in task.languages[subset]:
            code, _, _ = language.partition("-")
            codes[code] = None
    return codes


def _subsets_with(task: Task, splits: Iterable[str]) -> list[str]:
    """The subsets of a task that a run of these splits measures."""
    wanted = {*splits}
    having = [
        subset for subset in task.subsets if not wanted.isdisjoint(task.dataset_splits(subset))
    ]
    return having or [*task.subsets]


def _variables(entries: Sequence[Entry], task: Task) -> str:
    """The variables of the environment that leave out what these entries lack, each with a blank
    behind it.
    """
    variables = ""
    if task.measure.additive:
        if not _has_baseline(entries, ADDITIVE):
            variables += "HARNESS_EXT_ADDITIVE=0 "
        elif not _has_baseline(entries, NOISE):
            variables += "HARNESS_EXT_NOISE=0 "
    if not any(entry.digests for entry in entries):
        variables += "HARNESS_EXT_ITEMS=0 "
    return variables


def _has_baseline(entries: Sequence[Entry], baseline: Baseline) -> bool:
    """Whether any entry has the main score of a baseline."""
    return any(baseline.score_key(entry.measure.main) in entry.scores for entry in entries)


def _pull_request(verification: Verification, folder: Path) -> str:
    """Write the text of a pull request for results in a folder."""
    entries = [cell.entry for cell in verification.cells]
    first = entries[0]
    signature = first.signature
    assert signature is not None  # a submission without one is refused
    dtype = code(signature.dtype or "unknown dtype")
    backend = code(signature.backend)
    library = code(signature.sentence_transformers)
    made = "Made with:\n"
    if signature.model.startswith(LOCAL):
        made = f"{NOT_RERUN} Made with, in the place of its folder:\n"
    for command in commands(entries, signature.model):
        made += f"\n    {command}"
    parts = [
        f"# Results of {first.model}",
        f"Revision {code(first.revision)}, {dtype}, {backend}; mteb {code(signature.mteb)}, "
        f"sentence-transformers {library}.",
        cells_table(verification.cells).markdown(),
        made,
    ]
    settings = _settings(entries)
    if settings:
        parts.append(f"With these settings: {settings}.")
    parts.append(_CHECKED)
    notes = {(finding.key, finding.message): finding for finding in verification.findings}
    table = findings_table(notes.values(), folder)
    if table.rows:
        parts.append(f"Notes:\n\n{table.markdown()}")
    parts.append(_DECLARATION)
    return "\n\n".join(parts) + "\n"
