"""The ladder of trust: how far a score on a board can be trusted, and why not further."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.recompute import recomputed
from harness_ext.leaderboard.checks.records import Records

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

__all__ = ["Finding", "Records", "Trust", "trust_of"]


class Trust(StrEnum):
    """From the least to the most, and what stands outside of the ladder."""

    SELF_REPORTED = "self-reported"
    """Scores only, or scores that cannot be shown to follow from the items."""
    RECOMPUTED = "recomputed"
    """The scores follow from the submitted items, and those are of the pinned rows."""
    RERUN = "rerun"
    """A maintainer ran the same revision of the model, and got the same scores within the tolerance of its dtype."""
    DECLINED = "declined"
    """The model's maker declines to be ranked here, because the data was trained on. Costs no rank."""


def trust_of(entry: Entry, records: Records) -> tuple[Trust, list[Finding]]:
    """How far an entry can be trusted.

    Args:
        entry: One model in one split and subset of one task.
        records: What the maintainers have signed off, `Records.load(folder)` of the board's folder.

    Returns:
        The rung, and what keeps it from the next one. A finding with `refused` says that something is wrong with the
        entry, not only that something is not known of it.
    """
    findings = recomputed(entry)
    if (entry.model, entry.task) in records.declined:
        return Trust.DECLINED, findings
    if any(finding.refused for finding in findings) or entry.digest is None:
        return Trust.SELF_REPORTED, findings
    rerun = records.rerun_of(entry)
    if rerun is None:
        return Trust.RECOMPUTED, findings
    differences = rerun.disagreements(entry)
    return (Trust.RECOMPUTED if differences else Trust.RERUN), [*findings, *differences]
