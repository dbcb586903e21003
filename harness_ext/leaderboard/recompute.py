"""Do the scores of an entry follow from its items?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_ext.data.sources import UNVERIFIED
from harness_ext.leaderboard.finding import Finding, shown
from harness_ext.leaderboard.pinned_rows import row_findings
from harness_ext.leaderboard.possible_distances import distance_findings
from harness_ext.results.items import ItemsError

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

TOLERANCE = 1e-9
"""How far a score may be from what the items give: what other processors make of the last digits."""


def recomputed(entry: Entry) -> list[Finding]:
    """What is wrong with an entry's items, or between its items and its scores; empty if nothing is.

    Items that are not there are no fault: the finding that says so is not `refused`.
    """

    def finding(key: str, found: object, expected: object, message: str, *, refused: bool = True) -> Finding:
        return Finding(entry.file, key, shown(found), shown(expected), message, refused)

    if entry.digest is None:
        return [finding("items", "none", "a digest of items", "There are scores only: nothing to recompute them from.",
                        refused=False)]  # fmt: skip
    if UNVERIFIED in entry.dataset_revision:
        return [
            finding("dataset_revision", entry.dataset_revision, entry.dataset_revision.partition(UNVERIFIED)[0],
                    "The rows came from other files than the pinned ones.")
        ]  # fmt: skip
    try:
        items = entry.items()
        scores = entry.measure.flat_scores(items)
    except ItemsError as error:
        return [finding("items", "", "", str(error))]
    except Exception as error:  # the items are somebody's: what a measure makes of impossible ones is of many kinds
        return [finding("items", f"{type(error).__name__}: {error}", "scores", "No scores can be computed from them.")]
    findings = [
        finding(key, entry.scores.get(key), scores.get(key), "The score does not follow from the items.")
        for key in dict.fromkeys([*scores, *entry.scores])
        if key not in scores or key not in entry.scores or abs(scores[key] - entry.scores[key]) > TOLERANCE
    ]
    main = scores[entry.measure.main]
    if abs(entry.main_score - main) > TOLERANCE:
        findings.append(finding("main_score", entry.main_score, main, "The main score does not follow from the items."))
    return [*findings, *distance_findings(entry, items), *row_findings(entry, items)]
