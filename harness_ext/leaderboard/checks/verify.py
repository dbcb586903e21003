"""Verifies a submission: all checks that a maintainer would make."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
from pydantic import ValidationError
from tqdm.auto import tqdm

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.evaluators.polarity import POLARITY
from harness_ext.json_files import DamagedFileError, damage
from harness_ext.leaderboard.checks.finding import Finding, shown
from harness_ext.leaderboard.checks.model_names import experiment_findings, name_findings, revision_findings
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.replaced import replaced
from harness_ext.leaderboard.checks.submitted_files import MAX_FILES, items_problem, json_object, submitted_files
from harness_ext.leaderboard.checks.trust import Trust, trust_of
from harness_ext.names import model_and_experiment, pinned_revision
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results, read_result, revision_folder
from harness_ext.results.schema import result_schema
from harness_ext.store.item_files import all_item_files
from harness_ext.store.mteb_files import ModelMetaFile
from harness_ext.store.signature import Signature

_SIGNED = {
    "dtype": re.compile(r"[\w.+-]{0,40}", re.ASCII),
    "backend": re.compile(r"[\w .,+()-]{0,100}", re.ASCII),
    "level": re.compile(r"[\w +-]{0,40}", re.ASCII),
    "sentence_transformers": re.compile(r"[\w.+-]{0,40}", re.ASCII),
}
"""Part of a signature that describes the model -> its form."""

_WANTED = ("license", "open_weights", "n_parameters", "max_tokens", "embed_dim", "use_instructions")
"""Metadata that a board filters and sorts by."""


@dataclass(frozen=True)
class VerifiedEntry:
    """One entry of a submission.

    Attributes:
        entry: The entry.
        trust: Its rung on the ladder of trust.
        findings: The findings that keep it from the next rung.
    """

    entry: Entry
    trust: Trust
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Verification:
    """The outcome of the checks.

    Attributes:
        cells: The entries that could be read.
        findings: All findings, with the findings of the entries.
    """

    cells: tuple[VerifiedEntry, ...]
    findings: tuple[Finding, ...]

    @property
    def is_refused(self) -> bool:
        """Whether a board would refuse it."""
        return any(finding.refused for finding in self.findings)


def verify(
    folder: Path, against: Path | None = None, max_files: int = MAX_FILES, *, allow_changes: bool = False
) -> Verification:
    """Check a submission.

    Args:
        folder: A folder with `results/` in it, as `harness-ext submit` and `mteb run --output-folder` make it.
        against: The board. Files that are the same there are not checked again. The maintainers' records are read
            there; without a board, in `folder`.
        max_files: The most files to check.
        allow_changes: Whether the submission may replace results and metadata of the board.

    Raises:
        FileNotFoundError: There is no such folder.
        RecordError: A record of the maintainers is damaged.
    """
    for each in (folder, against):
        if each is not None and not each.is_dir():
            raise FileNotFoundError(f"{each}: no such folder.")
    records = Records.load(against or folder)
    files, findings = submitted_files(folder, against, max_files)
    if not files and not findings:
        nothing = "nothing new" if against else "no results/<model>/<revision>/<Task>.json"
        findings.append(Finding(folder, "", nothing, "results", "There is nothing to check."))
    folders = list(dict.fromkeys(file.parent for file in files))
    on_board = board_entries(against)
    findings += _revision_findings(folder, folders)
    for of_model in folders:
        findings += _model_findings(of_model, {entry.model for entry in on_board})
    unread = {finding.file.parent for finding in findings if finding.refused}
    if against:
        findings += replaced(files, folder, against, allowed=allow_changes)
    cells: list[VerifiedEntry] = []
    of_files: list[Finding] = []
    for file in tqdm(_result_files(files, unread), desc="Verifying", disable=None):
        wrong = list(_file_findings(file, with_items=file.parent not in unread))
        of_files += wrong
        if not any(finding.refused for finding in wrong):
            cells += [_cell(entry, records, is_read=file.parent not in unread) for entry in read_result(file)]
    cells.sort(key=lambda cell: cell.entry.file)
    findings += sorted(of_files, key=lambda finding: finding.file)
    findings += [finding for cell in cells for finding in cell.findings]
    return Verification(tuple(cells), (*findings, *_copies(cells, on_board), *_newcomers(cells, on_board)))


def _result_files(files: Sequence[Path], unread: set[Path]) -> list[Path]:
    """List the submitted results, and results whose items were submitted."""
    named = {file.with_name(f"{file.name.partition('.')[0]}.json") for file in files}
    found = named & set(files) | {file for file in named if file.parent not in unread and file.is_file()}
    by_task = sorted(found, key=lambda file: (file.name, file))  # so that a task's data are read once
    return [file for file in by_task if file.stem in ENCODER_TASKS]


def _cell(entry: Entry, records: Records, *, is_read: bool) -> VerifiedEntry:
    if not is_read:  # a file beside its items is refused
        return VerifiedEntry(entry, Trust.SELF_REPORTED, ())
    trust, findings = trust_of(entry, records)
    return VerifiedEntry(entry, trust, (*_signature_findings(entry), *findings))


def _revision_findings(folder: Path, folders: Sequence[Path]) -> Iterator[Finding]:
    """Find models with several revisions, which would be ranked beside each other."""
    revisions: dict[str, set[str]] = defaultdict(set)
    for path in folders:
        model, revision, *_ = path.relative_to(folder / "results").parts
        revisions[model].add(revision)
    for model, found in revisions.items():
        if len(found) > 1:
            yield Finding(folder / "results" / model, "revision", ", ".join(sorted(found)), "one revision",
                          "A model has several revisions. Submit one.")  # fmt: skip


def _model_findings(folder: Path, on_board: Collection[str]) -> Iterator[Finding]:
    """Check the metadata of a model."""
    file = folder / "model_meta.json"
    of_revision = revision_folder(folder)
    if of_revision != folder:
        yield from experiment_findings(folder)
    if not file.is_file() or file.is_symlink():
        yield Finding(file, "", "no such file", "the file that mteb writes", "The model's metadata are missing.")
        return
    meta = json_object(file)
    if isinstance(meta, Finding):
        yield meta
        return
    yield from name_findings(file, meta.get("name"), of_revision.parent, on_board)
    yield from revision_findings(file, meta.get("revision"), of_revision)
    try:
        ModelMetaFile.model_validate(meta)
    except ValidationError as error:
        wrong = {str(one["loc"][0]): damage(one, file) for one in error.errors(include_url=False)}
        for key in sorted(wrong.keys() - {"name", "revision", "reference"}):  # which have checks of their own
            yield Finding(file, key, wrong[key].found, wrong[key].expected, "It is not as mteb writes it.")
    for key in _WANTED:
        if meta.get(key) is None:
            yield Finding(file, key, "null", "a value", "A board cannot filter by it.", refused=False)
    if (page := meta.get("reference")) is not None and not re.fullmatch(r"https?://[^\s<>\"']+", str(page)):
        yield Finding(file, "reference", shown(page), "an address of the web", "This is no page about the model.")


def _file_findings(file: Path, *, with_items: bool) -> Iterator[Finding]:
    """Check a result file before its scores are recomputed, and its files of items."""
    content = json_object(file)
    if isinstance(content, Finding):
        yield content
        return
    task = ENCODER_TASKS[file.stem]
    for error in jsonschema.Draft202012Validator(result_schema(file.stem)).iter_errors(content):
        yield Finding(file, error.json_path.removeprefix("$."), shown(error.instance), f"{error.validator} "
                      f"{shown(error.validator_value)}", "It is not as the schema of the task says.")  # fmt: skip
        return
    try:
        read_result(file)
    except DamagedFileError as error:
        yield Finding(file, "", "", "", str(error))
        return
    revision = task.dataset["revision"]
    if pinned_revision(content["dataset_revision"]) != revision:  # recomputed() reports unverified rows
        yield Finding(file, "dataset_revision", shown(content["dataset_revision"]), revision,
                      "It was computed on another version of the dataset.")  # fmt: skip
    yield from _split_findings(file, content["scores"])
    yield from _version_findings(file, content)
    if with_items:
        for table, path in all_item_files(file, task.measure.items):
            problem = items_problem(path, task.measure.items.table_types()[table]) if path.is_file() else None
            if problem:
                yield problem


def _split_findings(file: Path, scores: dict[str, list[dict[str, Any]]]) -> Iterator[Finding]:
    """Check that the task has these splits and subsets. A missing split or subset is a note: it costs overall ranks."""
    task = ENCODER_TASKS[file.stem]
    subsets, splits = set(task.subsets), set(task.splits)
    again = f"Without them the model gets no overall rank. Run the whole task: mteb run -m MODEL -t {file.stem}"
    if splits & scores.keys() and (missing := sorted(splits - scores.keys())):
        yield Finding(file, "scores", ", ".join(sorted(scores)), ", ".join(sorted(splits)),
                      f"The splits {', '.join(missing)} are missing. {again}", refused=False)  # fmt: skip
    for split, entries in scores.items():
        if not re.fullmatch(r"\w+", split, re.ASCII):
            yield Finding(file, "scores", shown(split), ", ".join(sorted(splits)), "This is no split.")
        found = {entry["hf_subset"] for entry in entries}
        key = f"scores.{split}" if split.isidentifier() else "scores"
        there, expected = shown(sorted(found)), ", ".join(sorted(subsets))
        if found - subsets:
            yield Finding(file, key, there, expected, "Subsets are unknown.")
        if subsets - found:
            yield Finding(file, key, there, expected, f"Subsets are missing. {again}", refused=False)


def _version_findings(file: Path, content: dict[str, Any]) -> Iterator[Finding]:
    """Check that the versions of mteb agree with each other and with the installed mteb."""
    versions = {content.get("mteb_version")}
    for entry in (entry for found in content["scores"].values() for entry in found):
        versions.add(own := entry.get("mteb_version", content.get("mteb_version")))
        if "signature" in entry and (signed := Signature.parse(entry["signature"]).mteb) != own:
            yield Finding(file, "mteb_version", shown(own), signed, "The signature names another version of mteb.")
    for found in sorted(versions, key=str):
        yield from _version_finding(file, str(found))


def _version_finding(file: Path, found: str) -> Iterator[Finding]:
    here, message = version("mteb"), ""
    if not re.fullmatch(r"\d+(\.\w+)+", found, re.ASCII):
        message = "Nothing says which mteb this was."
    elif found.split(".")[0] != here.split(".")[0]:
        message = "Results of this mteb cannot be compared with results of the mteb that this project is made for."
    if message:
        yield Finding(file, "mteb_version", shown(found), here, message)
    elif found != here:
        yield Finding(file, "mteb_version", found, here, "Another version of mteb verifies. It recomputes the scores.",
                      refused=False)  # fmt: skip


def _signature_findings(entry: Entry) -> Iterator[Finding]:
    """Check that the signature is of this very entry."""
    if entry.signature is None:
        yield Finding(entry.file, "signature", "none", "a signature", "Nothing says what was measured. Run it again: "
                      f"mteb run -m MODEL -t {entry.task} --overwrite-strategy always")  # fmt: skip
        return
    task = ENCODER_TASKS[entry.task]
    expected = {
        "task": entry.task,
        "dataset": f"{task.dataset['path']}@{entry.dataset_revision}",
        "split": entry.split,
        "subset": entry.subset,
        "measure": f"{task.measure.name}-{task.measure.version}",
        "model": model_and_experiment(entry.model)[0],
        "revision": entry.revision,
    }
    for name, value in expected.items():
        if (found := getattr(entry.signature, name)) != value:
            yield Finding(entry.file, f"signature.{name}", shown(found), shown(value),
                          "The signature is of another result.")  # fmt: skip
    for name, form in _SIGNED.items():
        if not form.fullmatch(found := getattr(entry.signature, name)):
            yield Finding(entry.file, f"signature.{name}", shown(found), form.pattern, "Its form is wrong.")


def board_entries(folder: Path | None) -> tuple[Entry, ...]:
    """Read the entries of a board; none without a board, or from an empty one."""
    with suppress(FileNotFoundError):
        return load_results(folder).entries if folder else ()
    return ()


def _copies(cells: Sequence[VerifiedEntry], on_board: Sequence[Entry]) -> Iterator[Finding]:
    """Find items that another model has too, to the last digit."""
    owners = {
        digest: model_and_experiment(entry.model)[0]
        for entry in on_board
        for digest in (entry.digest, entry.words_digest)
        if digest
    }
    for cell in cells:
        model = model_and_experiment(cell.entry.model)[0]
        only_answers = cell.entry.measure is POLARITY  # two good models may well share answers
        for key, digest in (("items", cell.entry.digest), ("words_items", cell.entry.words_digest)):
            if digest and owners.setdefault(digest, model) != model:
                yield Finding(cell.entry.file, key, model, owners[digest], "Another model has the same items, to the "
                              "last digit.", refused=key == "items" and not only_answers)  # fmt: skip


def _newcomers(cells: Sequence[VerifiedEntry], on_board: Sequence[Entry]) -> Iterator[Finding]:
    """Find revisions that would stand beside others of the same model on the board."""
    for entry in {(cell.entry.model, cell.entry.revision): cell.entry for cell in cells}.values():
        if others := sorted({one.revision for one in on_board if one.model == entry.model} - {entry.revision}):
            yield Finding(entry.file.parent, "revision", entry.revision, ", ".join(others), f"{entry.model} is on the "
                          "board at another revision, and would stand there twice.", refused=False)  # fmt: skip
