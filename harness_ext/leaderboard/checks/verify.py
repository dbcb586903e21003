"""Verifies a submission: all checks that a maintainer would make."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from harness_ext.common.json_files import DamagedFileError
from harness_ext.common.processes import of_files
from harness_ext.leaderboard.checks.declared import (
    SubmittedModel,
    alike,
    dtype_findings,
    model_findings,
    result_findings,
    submitted_signature_findings,
)
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.mteb_reader import MTEB, mteb_findings
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.records import Reruns, load_reruns
from harness_ext.leaderboard.checks.rivals import (
    Candidate,
    Fingerprint,
    Order,
    base_name,
    by_submission,
    copies,
    copy_finding,
    may_be_copies,
)
from harness_ext.leaderboard.checks.submitted_files import (
    MAX_JSON_BYTES,
    bytes_of_items,
    submitted_files,
    unread,
)
from harness_ext.leaderboard.checks.trust import (
    CheckedEntry,
    Trust,
    import_statistics,
    trust_of,
)
from harness_ext.leaderboard.checks.work import WORK
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import is_output
from harness_ext.results.load import (
    all_result_files,
    read_results,
    read_whole_result,
    revision_folder,
)
from harness_ext.results.ranking_columns import Column
from harness_ext.store.item_files import ItemsError, items_file
from harness_ext.store.mteb_files import ModelMetaFile
from harness_ext.tasks import ENCODER_TASKS

MOST_ROWS = 8
"""The most revisions, and the most experiments, of a model in a submission."""


@dataclass(frozen=True)
class Verification:
    """The outcome of the checks.

    Attributes:
        cells: The entries that could be read.
        findings: All findings, with the findings of the entries.
        unconfirmed: What reruns did not confirm.
    """

    cells: tuple[CheckedEntry, ...]
    findings: tuple[Finding, ...]
    unconfirmed: tuple[Finding, ...] = ()

    @property
    def reasons(self) -> int:
        """For how many reasons a board would refuse it."""
        return sum(finding.refused for finding in self.findings)

    @property
    def is_refused(self) -> bool:
        """Whether a board would refuse it."""
        return self.reasons > 0

    @property
    def uncompared(self) -> list[CheckedEntry]:
        """The entries whose rows could not be compared with the pinned ones."""
        return [cell for cell in self.cells if cell.trust is Trust.FOLLOWING]

    @property
    def conclusion(self) -> str:
        """The outcome in a sentence or two."""
        conclusion = "Nothing is refused."
        if self.is_refused:
            conclusion = f"Refused, for {self.reasons} reason{'s' * (self.reasons > 1)}."
        elif self.uncompared:
            conclusion = (
                f"The rows of {len(self.uncompared)} results could not be compared with the pinned "
                "ones."
            )
        return f"{conclusion} A rerun did not confirm it." if self.unconfirmed else conclusion

    @property
    def exit_status(self) -> int:
        """0: nothing is wrong. 1: it is refused, or rows could not be compared. 3: a rerun did not
        confirm it.
        """
        if self.is_refused or self.uncompared:
            return 1
        return 3 if self.unconfirmed else 0


def verify(
    folder: Path,
    against: Path | None = None,
    *,
    is_board: bool = False,
    allow_changes: bool = False,
    tasks: Collection[str] | None = None,
) -> Verification:
    """Check a submission.

    Args:
        folder: A folder with `results/` in it, as `harness-ext submit` and `mteb run
            --output-folder` make it.
        against: The board. Files that are the same there are not checked again, and the
            maintainers' records are read there.
        is_board: Whether the folder is a board itself: then its records are the maintainers'. A
            submission's own records count for nothing.
        allow_changes: Whether the submission may replace results and metadata of the board.
        tasks: Only the results of these tasks; all if None. Names, places and sizes of all files
            are checked.

    Raises:
        FileNotFoundError: There is no such folder, or the submission is above or below it.
        DamagedFileError: A record of the maintainers is damaged.
    """
    for path in (folder, against):
        if path is not None and not path.is_dir():
            raise FileNotFoundError(f"{path}: no such folder.")
    if not (folder / "results").exists():
        _check_place(folder)
    board = folder if is_board else against
    reruns = load_reruns(board) if board else {}
    files, findings = submitted_files(folder, against)
    if is_board:
        findings += _strays(folder)
    models = _models(files, findings)
    for model in models.values():
        findings += model_findings(model, is_board=is_board)
    unread = {finding.file for finding in findings if finding.refused}
    submitted_models = [model for model in models.values() if model.file in files]
    findings += _look_alikes(submitted_models, against)
    if against:
        findings += _replaced(files, folder, against, allowed=allow_changes)
        findings += _on_board_already([*models.values()], against)
        findings += _of_many_models(folder, [*models.values()])
    results = _result_files(files, unread)
    if tasks is not None:
        results = [file for file in results if file.stem in tasks]
    if not results and not any(finding.refused for finding in findings):
        nothing = "nothing new" if against else "no results/<model>/<revision>/<Task>.json"
        wanted = ", ".join(tasks or ["results"])
        findings.append(Finding(folder, "", nothing, wanted, "There is nothing to check."))
    if results:
        MTEB.start()  # it is imported while scores are computed
    cells, findings_of_files, candidates = _checked(results, models, reruns)
    findings += findings_of_files
    findings += _copied(candidates, folder, against, order=by_submission(board))
    if not is_board:
        findings += _floods(files)
    findings += dtype_findings(cell.entry for cell in cells)
    findings += _unread_by_mteb(cells, findings)
    for cell in cells:
        findings += cell.findings
    return Verification(tuple(cells), tuple(findings))


def _check_place(folder: Path) -> None:
    """Refuse a folder without `results` whose results are elsewhere, above or below.

    Raises:
        FileNotFoundError: There are; says what to name.
    """
    places = []
    if folder.absolute().name == "results":
        places.append(folder.absolute().parent)
    places += sorted(below.parent for below in folder.glob("*/results") if below.is_dir())
    for place in places:
        if any(place.glob("results/*/*/model_meta.json")):
            raise FileNotFoundError(
                f"{folder}: a submission is the folder that has results/ in it. Name {place}"
            )


def _strays(board: Path) -> Iterator[Finding]:
    """Find mteb's results that are not below `results` of a board."""
    for file in all_result_files(board):
        if is_output(file.name) or file.is_relative_to(board / "results"):
            continue
        place = str(file.relative_to(board))
        yield Finding(file, "", place, "results", "A board has its results there.")


def _models(
    files: Sequence[Path],
    findings: Sequence[Finding],
) -> dict[Path, SubmittedModel]:
    """Read the metadata of each folder, unless they are refused already."""
    refused = {finding.file for finding in findings}
    models = {}
    for folder in dict.fromkeys(file.parent for file in files):
        if folder / "model_meta.json" not in refused:
            models[folder] = SubmittedModel.read(folder)
    return models


def _checked(
    files: Sequence[Path],
    models: Mapping[Path, SubmittedModel],
    reruns: Reruns,
) -> tuple[list[CheckedEntry], list[Finding], list[Candidate]]:
    """Check the entries of result files, find what is wrong with files as a whole, both by file,
    and collect what may be a copy.
    """
    READER.start()
    WORK.start()

    def check_one(file: Path) -> _CheckedFile:
        model = models.get(file.parent)
        return _checked_file(file, None if model is None else model.known, reruns)

    cells: list[CheckedEntry] = []
    findings: list[Finding] = []
    candidates: list[Candidate] = []
    sizes = [bytes_of_items(file) for file in files]
    for checked in of_files(check_one, files, sizes, prepare=import_statistics):
        cells += checked.cells
        findings += checked.findings
        candidates += checked.candidates
    cells.sort(key=attrgetter("entry.file"))
    findings.sort(key=attrgetter("file"))
    return cells, findings, candidates


@dataclass(frozen=True)
class _CheckedFile:
    """A result file after the checks.

    Attributes:
        cells: Its entries; none where the file as a whole is refused.
        findings: What is wrong with the file as a whole.
        candidates: What may be a copy.
    """

    cells: list[CheckedEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)


def _checked_file(
    file: Path,
    meta: ModelMetaFile | None,
    reruns: Reruns,
) -> _CheckedFile:
    """Check a result file and its entries; `meta` are those of its model, if they could be read."""
    checked = _CheckedFile()
    try:
        result = read_whole_result(file, meta)
    except DamagedFileError as error:
        checked.findings.append(Finding(file, error.key, "", "", str(error)))
        return checked
    checked.findings.extend(result_findings(result))
    if any(finding.refused for finding in checked.findings):
        return checked
    for entry in result.entries:
        cell = _checked_entry(entry, reruns)
        checked.cells.append(cell)
        checked.candidates.extend(_candidates(cell))
        entry.forget_items()
        cell.shown.forget_items()
    return checked


def _checked_entry(entry: Entry, reruns: Reruns) -> CheckedEntry:
    """Check an entry as that of a submission."""
    checked = trust_of(entry, reruns)
    findings = (*submitted_signature_findings(entry), *checked.findings)
    return replace(checked, findings=findings)


def _candidates(cell: CheckedEntry) -> list[Candidate]:
    """What may be a copy of an entry, or copied: itself if its scores follow from its items."""
    if cell.trust is Trust.SELF_REPORTED:
        return []
    fingerprint = Fingerprint.of(cell.entry.items())
    return [Candidate(cell.entry, fingerprint, cell.trust is Trust.RERUN)]


def _copied(
    submitted: Sequence[Candidate],
    folder: Path,
    board: Path | None,
    *,
    order: Order,
) -> Iterator[Finding]:
    """Find submitted items that are those of another model, here or on the board; `order` says what
    came first.
    """
    columns: dict[Column, list[Candidate]] = {}
    for candidate in submitted:
        columns.setdefault(Column.of(candidate.entry), []).append(candidate)
    for column, candidates in columns.items():
        candidates.sort(key=lambda candidate: order(candidate.entry))
        earlier: list[Candidate] = []
        if board is not None:
            earlier = _on_board(column, candidates, folder, board)
            earlier.sort(key=lambda candidate: order(candidate.entry))
        entries = [candidate.entry for candidate in candidates]
        for copy, original in copies([*earlier, *candidates]):
            if copy.entry in entries:
                yield copy_finding(copy.entry, original.entry.model)


def _on_board(
    column: Column,
    submitted: Sequence[Candidate],
    folder: Path,
    board: Path,
) -> list[Candidate]:
    """Read the results of a board in a column whose main score is near that of a submitted one."""
    candidates = []
    replaced = {candidate.entry.file.relative_to(folder) for candidate in submitted}
    for file in all_result_files(board, [column.task]):
        if file.relative_to(board) in replaced or unread(file, MAX_JSON_BYTES):
            continue
        for entry in read_results(file).entries:
            if Column.of(entry) == column and entry.digest and _is_near(entry, submitted):
                try:
                    fingerprint = Fingerprint.of(entry.items())
                except ItemsError:
                    continue  # it is not ranked either
                candidates.append(Candidate(entry, fingerprint, is_rerun=False))
                entry.forget_items()
    return candidates


def _is_near(entry: Entry, submitted: Sequence[Candidate]) -> bool:
    """Whether an entry may have the items of a submitted one."""
    return any(may_be_copies(candidate.entry, entry) for candidate in submitted)


def _result_files(
    files: Sequence[Path],
    unread: set[Path],
) -> list[Path]:
    """List the results of which a file was submitted, or the model's metadata; not those that must
    not be read.
    """
    named = set()
    for file in files:
        named.add(file.with_name(f"{file.name.partition('.')[0]}.json"))
        if file.name == "model_meta.json":
            named |= {*file.parent.glob("*.json")}
    results = []
    for file in named:
        beside = {file, items_file(file), file.with_name("model_meta.json"), file.parent}
        if file.stem in ENCODER_TASKS and unread.isdisjoint(beside) and file.is_file():
            results.append(file)
    return sorted(results, key=_by_task)


def _by_task(file: Path) -> tuple[str, Path]:
    """An order in which a task's data are read once."""
    return file.name, file


def _look_alikes(
    models: Sequence[SubmittedModel],
    against: Path | None,
) -> Iterator[Finding]:
    """Find submitted models whose names people take for that of another model, here or on the
    board.
    """
    submitted = {model.file: str(model.known.name) for model in models}
    names = {*submitted.values()}
    if against:
        for file in against.glob("results/*/*/model_meta.json"):
            names.add(str(ModelMetaFile.beside(file).name))
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(alike(name), []).append(name)
    for file, name in submitted.items():
        for other in groups[alike(name)]:
            if name != other:
                yield Finding(
                    file,
                    "name",
                    name,
                    other,
                    "Its name looks like that of another: is it the same?",
                    refused=False,
                )


def _on_board_already(models: Sequence[SubmittedModel], board: Path) -> Iterator[Finding]:
    """Find models to which a submission adds results, once each: anyone can submit some in a
    rival's name.
    """
    names = set()
    for file in board.glob("results/*/*/model_meta.json"):
        names.add(base_name(str(ModelMetaFile.beside(file).name)))
    for name, model in _by_name(models).items():
        if name in names:
            message = "The board has results of this model already. Who made these?"
            yield Finding(model.file, "name", name, "its makers", message, refused=False)


def _of_many_models(folder: Path, models: Sequence[SubmittedModel]) -> Iterator[Finding]:
    """Find a submission of more models than one makes in one go: each is a row on the board."""
    n_models = len(_by_name(models))
    if n_models > MOST_ROWS:
        message = "Each would be a row on the board. Are they different models?"
        found = f"{n_models} models"
        yield Finding(folder, "models", found, f"at most {MOST_ROWS}", message, refused=False)


def _by_name(models: Sequence[SubmittedModel]) -> dict[str, SubmittedModel]:
    """Name without options -> the first model of that name."""
    by_name: dict[str, SubmittedModel] = {}
    for model in models:
        if model.known.name is not None:
            by_name.setdefault(base_name(model.known.name), model)
    return by_name


def _unread_by_mteb(
    cells: Sequence[CheckedEntry],
    findings: Sequence[Finding],
) -> Iterator[Finding]:
    """Ask mteb to read the files that passed all other checks."""
    refused = {finding.file for finding in findings if finding.refused}
    for cell in cells:
        refused |= {finding.file for finding in cell.findings if finding.refused}
    folders: dict[Path, dict[Path, None]] = {}
    for cell in cells:
        file = cell.entry.file
        meta = file.with_name("model_meta.json")
        if refused.isdisjoint((file, meta, file.parent)):
            folders.setdefault(file.parent, {meta: None})[file] = None
    for files in folders.values():
        yield from mteb_findings([*files])


def _floods(files: Sequence[Path]) -> Iterator[Finding]:
    """Find models with too many revisions or experiments: each is a row on a board. Those that the
    board had before count for a note alone.
    """
    folders: dict[tuple[str, Path], dict[Path, None]] = {}
    for file in files:
        folder = file.parent
        revision = revision_folder(folder)
        if revision == folder:
            folders.setdefault(("revisions", folder.parent), {})[folder] = None
        else:
            folders.setdefault(("experiments", revision.parent), {})[folder] = None
    for (what, model), submitted in folders.items():
        everything = model.glob("*/" if what == "revisions" else "*/experiments/*/")
        n_folders = len([*everything])
        if n_folders > MOST_ROWS:
            yield Finding(
                model,
                what,
                f"{n_folders} {what}",
                f"at most {MOST_ROWS}",
                f"Each would be a row on the board. Submit the {what} that people compare.",
                refused=len(submitted) > MOST_ROWS,
            )


def _replaced(
    files: Sequence[Path],
    folder: Path,
    board: Path,
    *,
    allowed: bool,
) -> Iterator[Finding]:
    """Find the submitted files that differ from a file of the board; `allowed` makes the findings
    notes.
    """
    for file in files:
        if (board / file.relative_to(folder)).exists():
            yield Finding(
                file,
                "",
                "other content",
                "as it is on the board",
                "It replaces a file of the board. If you want that, verify with --allow-changes.",
                refused=not allowed,
            )
