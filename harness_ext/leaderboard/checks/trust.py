"""The ladder of trust: how far a score on a board can be trusted, and which checks are missing.

The scores of an entry are recomputed from its items.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module

from harness_ext.common.names import OWN
from harness_ext.common.revisions import OWN_ROWS, UNVERIFIED, pinned_revision
from harness_ext.leaderboard.checks.declared import contradictions
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.pinned_rows import (
    NOT_COMPARED,
    OTHER_ROWS,
    is_split,
    least_favorable,
    row_findings,
)
from harness_ext.leaderboard.checks.records import Reruns, cell_key
from harness_ext.leaderboard.checks.submitted_files import OF_OWN_DATA
from harness_ext.measures.core.baseline_keys import BASELINES, Baseline, keys_of_the_run
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.same_vector import SAME_VECTOR, most_same_vectors
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.store.item_files import ItemsError

TOLERANCE = 1e-9
"""A score may be this far from the recomputed one, and a distance this far out of its range:
processors differ in the last digits.
"""


def import_statistics() -> None:
    """Import what intervals need: a second, which each copy of a process would take again."""
    import_module("scipy.stats")


def recomputed(entry: Entry) -> list[Finding]:
    """Check an entry's items, and its scores against them. Missing items are a note, not a fault.

    Raises:
        Exception: The samples of lm-eval's result are damaged, or no score can be computed from
            them.
    """
    finding = partial(Finding, entry.file)
    if entry.task.startswith(OWN) or OWN_ROWS in entry.dataset_revision:
        found = f"{entry.task} at {entry.dataset_revision}"
        expected = "a task of this project on its pinned rows"
        return [finding("dataset_revision", found, expected, OF_OWN_DATA)]
    if UNVERIFIED in entry.dataset_revision:
        pinned = pinned_revision(entry.dataset_revision)
        return [
            finding(
                "dataset_revision",
                entry.dataset_revision,
                pinned,
                "The rows came from files other than the pinned files.",
            )
        ]
    if isinstance(entry, LanguageModelEntry):
        return [*_language_model_findings(entry)]
    if entry.digest is None:
        if not is_split(entry):
            return [
                finding(
                    "scores", entry.split, f"a split of {entry.task}", "The task has no such split."
                )
            ]
        missing = "There are scores only: nothing to recompute them from."
        return [finding("items", "none", "a digest of items", missing, refused=False)]
    baselines = [baseline for baseline in BASELINES if baseline.items in entry.digests]
    try:  # rows come first: those of the data are not too many to compute scores from
        findings = _items_findings(entry, entry.items())
        for baseline in baselines:
            findings += _items_findings(entry, entry.baseline_items(baseline), baseline)
        if not _has_other_rows(findings):
            findings = [*_score_findings(entry), *_missing_baselines(entry), *findings]
    except ItemsError as error:
        return [finding("items", "", "", str(error))]
    except Exception as error:  # a stranger's items can fail a measure in any way
        return [
            finding(
                "items",
                f"{type(error).__name__}: {error}",
                "scores",
                "No scores can be computed from them.",
            )
        ]
    return findings


def _has_other_rows(findings: Iterable[Finding]) -> bool:
    """Whether rows of items are not those of the data, or of no split of the task."""
    return any(finding.refused and finding.key in {OTHER_ROWS, "scores"} for finding in findings)


def _missing_baselines(entry: Entry) -> Iterator[Finding]:
    """Note the baselines of which there are no items."""
    for baseline in BASELINES:
        if entry.measure.additive and baseline.items not in entry.digests:
            message = f"There is no {baseline.name}, so nothing says whether it lies above that."
            yield Finding(
                entry.file,
                baseline.items,
                "none",
                "a digest of items",
                message,
                refused=False,
            )


def _items_findings(
    entry: Entry,
    items: Items,
    baseline: Baseline | None = None,
) -> list[Finding]:
    """Check the rows of an entry's items, and then their numbers; of a baseline's, if named."""
    findings = list(row_findings(entry, items, baseline))
    if not any(finding.refused for finding in findings):
        findings += _range_findings(entry, items)
    return findings


def _language_model_findings(entry: LanguageModelEntry) -> Iterator[Finding]:
    """Check lm-eval's scores against its samples, which nothing binds to the scores and to the
    pinned rows.
    """
    if entry.signature is None:
        yield Finding(
            entry.file,
            entry.task,
            "no samples",
            "samples",
            f"Nothing says which data was measured. {entry.how_to_repeat}",
        )
        return
    yield from _score_findings(entry)
    yield Finding(
        entry.file,
        entry.task,
        "",
        "",
        "The scores follow from lm-eval's samples. But nothing binds the "
        "samples to the scores or compares them with the pinned rows.",
        refused=False,
    )


def _score_findings(entry: Entry) -> list[Finding]:
    """Find the scores of an entry that do not follow from its items; of another version, those that
    are still declared.

    Raises:
        ItemsError: The items are missing or damaged.
    """
    main = entry.measure.main
    computed = entry.recomputed()
    stored = {**entry.scores, "main_score": entry.main_score}
    if main in computed:
        computed["main_score"] = computed[main]
    keys = [*{**computed, **stored}]
    if entry.is_of_another_version:
        declared = {*entry.measure.declarations, "main_score"}
        keys = [*(stored.keys() & declared)]
    of_the_run = keys_of_the_run(entry.measure.compared_keys)
    findings = [*_same_vector_findings(entry)]
    for key in keys:
        if key in of_the_run or _is_equal(stored.get(key), computed.get(key)):
            continue
        message = "The score does not follow from the items."
        findings.append(Finding(entry.file, key, stored.get(key), computed.get(key), message))
    return findings


def _same_vector_findings(entry: Entry) -> Iterator[Finding]:
    """Find a count of texts with the same vector that is larger than the items have."""
    if isinstance(entry, LanguageModelEntry):
        return
    key = SAME_VECTOR.key
    value = entry.scores.get(key)
    if value is None:
        return
    most = most_same_vectors(entry.items())
    if value > most:
        message = "So many pairs of texts with the same vector are not in the items."
        yield Finding(entry.file, key, value, f"at most {most}", message)


def _is_equal(
    score: float | None,
    recomputed_score: float | None,
) -> bool:
    """Whether there are both, and they agree."""
    if score is None or recomputed_score is None:
        return False
    return abs(score - recomputed_score) <= TOLERANCE


def _range_findings(entry: Entry, items: Items) -> Iterator[Finding]:
    """Find the columns with numbers out of their range, and name the first row of each."""
    for name, table in items.tables().items():
        for column, declared in table.measured().items():
            values = table.values().get(column)
            if values is None or values.dtype.kind != "f":
                continue
            low, high = declared.range
            outside = (values < low - TOLERANCE) | (values > high + TOLERANCE)
            if outside.any():
                row = int(outside.argmax())
                yield Finding.of_row(
                    entry.file,
                    (name, column, row),
                    float(values[row]),
                    f"{low:g} to {high:g}",
                    f"{int(outside.sum())} values in the items of {entry.split} {entry.subset} are "
                    "impossible.",
                )


class Trust(StrEnum):
    """The rungs, from least to most trusted."""

    SELF_REPORTED = "self-reported"
    """Scores without items, or scores that do not provably follow from their items."""
    FOLLOWING = "scores follow from items"
    """The scores follow from the submitted items, whose rows could not be compared with the pinned
    ones.
    """
    RECOMPUTED = "recomputed"
    """The scores follow from the submitted items, and the items are of the pinned rows."""
    RERUN = "rerun"
    """A maintainer ran the same revision of the model and got the same scores, within the tolerance
    of its dtype.
    """


@dataclass(frozen=True, eq=False)
class CheckedEntry:
    """An entry of a submission or a board.

    Attributes:
        entry: The entry.
        trust: Its rung on the ladder of trust.
        findings: The findings that keep it from the next rung. A finding with `refused` is a fault
            of the entry; any other finding is something that could not be checked.
        shown: The entry with the scores that a board shows, see `least_favorable`.
    """

    entry: Entry
    trust: Trust
    findings: tuple[Finding, ...]
    shown: Entry

    @property
    def mark(self) -> str:
        """The rung in words. No check but a rerun knows whether baselines are those of the
        encoder.
        """
        if self.trust is Trust.RECOMPUTED and self._has_baselines:
            return f"{self.trust}, baselines as submitted"
        return str(self.trust)

    @property
    def _has_baselines(self) -> bool:
        """Whether it has scores of a baseline, or their intervals."""
        main = self.entry.measure.main
        for baseline in BASELINES:
            keys = (baseline.score_key(main), baseline.difference_key(main))
            for score in self.entry.scores:
                if any(key in score for key in keys):
                    return True
        return False


def trust_of(entry: Entry, reruns: Reruns) -> CheckedEntry:
    """Tell how far an entry can be trusted.

    Args:
        entry: One model in one split and subset of one task.
        reruns: By the board's maintainers.

    Raises:
        Exception: The samples of lm-eval's result are damaged, or no score can be computed from
            them.
    """
    findings = recomputed(entry)
    if not isinstance(entry, LanguageModelEntry):  # whose signature was made when it was read
        findings = [*contradictions(entry), *findings]
    is_refused = any(finding.refused for finding in findings)
    if is_refused or entry.digest is None:
        return CheckedEntry(entry, Trust.SELF_REPORTED, tuple(findings), entry)
    rerun = reruns.get((cell_key(entry), entry.digest))
    if rerun is not None:
        differences = rerun.disagreements(entry)
        if not differences:
            return CheckedEntry(entry, Trust.RERUN, tuple(findings), entry)
        findings += differences
    if any(finding.key == NOT_COMPARED for finding in findings):
        return CheckedEntry(entry, Trust.FOLLOWING, tuple(findings), entry)
    shown = least_favorable(entry)
    if shown.main_score != entry.main_score:
        counted = Finding(
            entry.file,
            entry.measure.main,
            entry.main_score,
            shown.main_score,
            "What is left out counts as the least favorable value until a rerun.",
            refused=False,
        )
        findings.append(counted)
    return CheckedEntry(entry, Trust.RECOMPUTED, tuple(findings), shown)
