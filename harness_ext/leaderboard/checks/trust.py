"""The ladder of trust: how far a score on a board can be trusted, and which checks are missing."""

from __future__ import annotations

from enum import StrEnum

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.recompute import recomputed
from harness_ext.leaderboard.checks.records import Records
from harness_ext.results.entry import Entry


class Trust(StrEnum):
    """The rungs, from least to most trusted; `DECLINED` stands outside of the ladder."""

    SELF_REPORTED = "self-reported"
    """Scores without items, or scores that do not provably follow from their items."""
    RECOMPUTED = "recomputed"
    """The scores follow from the submitted items, and the items are of the pinned rows."""
    RERUN = "rerun"
    """A maintainer ran the same revision of the model and got the same scores, within the tolerance of its dtype."""
    DECLINED = "declined"
    """The model's maker declines to be ranked here, because the model was trained on the data. Costs no rank."""


def trust_of(entry: Entry, records: Records) -> tuple[Trust, list[Finding]]:
    """Tell how far an entry can be trusted.

    Args:
        entry: One model in one split and subset of one task.
        records: The maintainers' records: `Records.load(folder)` of the board's folder.

    Returns:
        The rung, and the findings that keep the entry from the next rung. A finding with `refused` is a fault of the
        entry; any other finding is something that could not be checked.
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
