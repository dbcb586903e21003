"""The ladder of trust: how far a score on a board can be trusted, and which checks are missing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness_ext.leaderboard.checks.declared import contradictions
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.recompute import recomputed
from harness_ext.leaderboard.checks.records import Records
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry


class Trust(StrEnum):
    """The rungs, from least to most trusted."""

    SELF_REPORTED = "self-reported"
    """Scores without items, or scores that do not provably follow from their items."""
    RECOMPUTED = "recomputed"
    """The scores follow from the submitted items, and the items are of the pinned rows."""
    RERUN = "rerun"
    """A maintainer ran the same revision of the model and got the same scores, within the tolerance of its dtype."""


@dataclass(frozen=True, eq=False)
class CheckedEntry:
    """An entry of a submission or a board.

    Attributes:
        entry: The entry.
        trust: Its rung on the ladder of trust.
        findings: The findings that keep it from the next rung. A finding with `refused` is a fault of the entry; any
            other finding is something that could not be checked.
    """

    entry: Entry
    trust: Trust
    findings: tuple[Finding, ...]


def trust_of(entry: Entry, records: Records) -> CheckedEntry:
    """Tell how far an entry can be trusted.

    Args:
        entry: One model in one split and subset of one task.
        records: The maintainers' records: `Records.load(folder)` of the board's folder.

    Raises:
        Exception: The samples of lm-eval's result are damaged, or no score can be computed from them.
    """
    findings = recomputed(entry)
    if not isinstance(entry, LanguageModelEntry):  # whose signature was made when it was read
        findings = [*contradictions(entry), *findings]
    if any(finding.refused for finding in findings) or entry.digest is None:
        return CheckedEntry(entry, Trust.SELF_REPORTED, tuple(findings))
    if (rerun := records.rerun_of(entry)) is None:
        return CheckedEntry(entry, Trust.RECOMPUTED, tuple(findings))
    differences = rerun.disagreements(entry)
    return CheckedEntry(entry, Trust.RECOMPUTED if differences else Trust.RERUN, (*findings, *differences))
