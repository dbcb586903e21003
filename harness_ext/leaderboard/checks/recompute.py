"""Recomputes the scores of an entry from its items."""

from __future__ import annotations

from harness_ext.evaluators.gain import gain_scores
from harness_ext.leaderboard.checks.finding import Finding, shown
from harness_ext.leaderboard.checks.own_word_distances import word_findings
from harness_ext.leaderboard.checks.pinned_rows import row_findings
from harness_ext.leaderboard.checks.possible_distances import distance_findings
from harness_ext.names import PUBLISHED, UNVERIFIED, pinned_revision
from harness_ext.results.entry import Entry
from harness_ext.store.item_files import ItemsError

TOLERANCE = 1e-9
"""A score may be this far from the recomputed one: processors differ in the last digits."""


def recomputed(entry: Entry, *, allow_unverified: bool = False) -> list[Finding]:
    """Check an entry's items, and its scores against them. Missing items are a note, not a fault.

    Args:
        entry: The entry.
        allow_unverified: Whether rows other than the pinned rows are a note, not a fault.
    """

    def finding(key: str, found: object, expected: object, message: str, *, refused: bool = True) -> Finding:
        return Finding(entry.file, key, shown(found), shown(expected), message, refused)

    if entry.model.startswith(PUBLISHED):
        return [finding("model", entry.model, "a model that can be run",
                        "These are published similarities, to compare with and not to rank.")]  # fmt: skip
    other_rows = unverified(entry, allowed=allow_unverified)
    if any(one.refused for one in other_rows):
        return other_rows
    if entry.digest is None:
        missing = "There are scores only: nothing to recompute them from."
        return [*other_rows, finding("items", "none", "a digest of items", missing, refused=False)]
    try:
        items, words = entry.items(), None if entry.words_digest is None else entry.words_items()
        findings = score_findings(entry)
    except ItemsError as error:
        return [finding("items", "", "", str(error))]
    except Exception as error:  # a stranger's items can fail a measure in any way
        return [finding("items", f"{type(error).__name__}: {error}", "scores", "No scores can be computed from them.")]
    if words is None and entry.measure.own_words:
        findings.append(finding("words_items", "none", "a digest of items", "There are no own words, so no gain and no "
                                "overall rank by gains.", refused=False))  # fmt: skip
    for each in (items, words) if words is not None else (items,):
        rows = [] if other_rows else list(row_findings(entry, each, of_words=each is words))
        findings += rows if any(one.refused for one in rows) else [*rows, *distance_findings(entry, each)]
    if words is not None and not any(one.refused for one in findings):
        findings += word_findings(entry, items, words)
    return [*other_rows, *findings]


def unverified(entry: Entry, *, allowed: bool = False) -> list[Finding]:
    """Find out whether an entry says that it was measured on rows other than the pinned rows.

    Args:
        entry: The entry.
        allowed: Whether that is a note, not a fault.
    """
    if UNVERIFIED not in entry.dataset_revision:
        return []
    pinned = pinned_revision(entry.dataset_revision)
    return [Finding(entry.file, "dataset_revision", shown(entry.dataset_revision), shown(pinned),
                    "The rows came from files other than the pinned files.", refused=not allowed)]  # fmt: skip


def score_findings(entry: Entry) -> list[Finding]:
    """Find the scores of an entry that do not follow from its items.

    Raises:
        ItemsError: The items are missing or damaged.
    """
    main = entry.measure.main
    computed = entry.measure.flat_scores(entry.items())
    if entry.words_digest is not None:
        computed |= gain_scores(entry.measure, entry.items(), entry.words_items())
    if main in computed:
        computed["main_score"] = computed[main]
    found = {**entry.scores, "main_score": entry.main_score}
    return [
        Finding(entry.file, key, shown(found.get(key)), shown(computed.get(key)),
                "The score does not follow from the items.")
        for key in dict.fromkeys([*computed, *found])
        if not _is_same(found.get(key), computed.get(key))
    ]  # fmt: skip


def _is_same(score: float | None, computed: float | None) -> bool:
    return score is not None and computed is not None and abs(score - computed) <= TOLERANCE
