"""Verifies a submission: all checks that a maintainer would make."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from tqdm.auto import tqdm

from harness_ext.common.json_files import DamagedFileError
from harness_ext.leaderboard.checks.declared import (
    SubmittedModel,
    alike,
    model_findings,
    result_findings,
    submitted_signature_findings,
)
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.records import Reruns, load_reruns
from harness_ext.leaderboard.checks.submitted_files import submitted_files
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust, trust_of
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import is_output
from harness_ext.results.load import all_result_files, read_whole_result
from harness_ext.store.item_files import items_file
from harness_ext.store.mteb_files import ModelMetaFile
from harness_ext.tasks import ENCODER_TASKS


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
        FileNotFoundError: There is no such folder.
        DamagedFileError: A record of the maintainers is damaged.
    """
    for path in (folder, against):
        if path is not None and not path.is_dir():
            raise FileNotFoundError(f"{path}: no such folder.")
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
    results = _result_files(files, unread)
    if tasks is not None:
        results = [file for file in results if file.stem in tasks]
    if not results and not any(finding.refused for finding in findings):
        nothing = "nothing new" if against else "no results/<model>/<revision>/<Task>.json"
        wanted = ", ".join(tasks or ["results"])
        findings.append(Finding(folder, "", nothing, wanted, "There is nothing to check."))
    cells, findings_of_files = _checked(results, models, reruns)
    findings += findings_of_files
    for cell in cells:
        findings += cell.findings
    return Verification(tuple(cells), tuple(findings))


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
) -> tuple[list[CheckedEntry], list[Finding]]:
    """Check the entries of result files, and find what is wrong with files as a whole; both by
    file.
    """
    cells: list[CheckedEntry] = []
    findings: list[Finding] = []
    bar = tqdm(files, unit="file", disable=None)
    for file in bar:
        bar.set_description(file.stem)
        model = models.get(file.parent)
        meta = None if model is None else model.known
        try:
            result = read_whole_result(file, meta)
        except DamagedFileError as error:
            findings.append(Finding(file, error.key, "", "", str(error)))
            continue
        findings_of_file = list(result_findings(result))
        findings += findings_of_file
        if not any(finding.refused for finding in findings_of_file):
            cells += [_checked_entry(entry, reruns) for entry in result.entries]
    cells.sort(key=attrgetter("entry.file"))
    findings.sort(key=attrgetter("file"))
    return cells, findings


def _checked_entry(entry: Entry, reruns: Reruns) -> CheckedEntry:
    """Check an entry, and let go of its items."""
    checked = trust_of(entry, reruns)
    findings = (*submitted_signature_findings(entry), *checked.findings)
    entry.forget_items()
    checked.shown.forget_items()
    return replace(checked, findings=findings)


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
    for file, name in submitted.items():
        for other in sorted(names):
            if alike(name) == alike(other) and name != other:
                yield Finding(
                    file,
                    "name",
                    name,
                    other,
                    "Its name looks like that of another: is it the same?",
                    refused=False,
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
