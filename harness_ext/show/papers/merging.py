"""What is shown of the decision whether an encoder is safe to merge texts by: sentences, tables and
a curve.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness_ext.common.files import write_file
from harness_ext.data.rows import SAME
from harness_ext.measures.core.same_vector import same_vectors, same_vectors_message
from harness_ext.measures.merging.decision import OPPOSITES, MergeDecision, Share
from harness_ext.measures.merging.looks import SAME_TEXT, sample_by_look
from harness_ext.measures.merging.opposites import KIND, PERCENT
from harness_ext.own_data.hit_log import Hit, HitLog
from harness_ext.show.listing import Listing, csv_text
from harness_ext.show.numbers import formatted, p_value, signed, signed_between, with_interval
from harness_ext.statistics.threshold import rank

_OWNERS = re.compile(r"(?<![^ ])(?:[\w.-]+:)?(?:[^ (]*/)?(?=[^ /])")
"""The owner, folder or module at the beginning of each word of a name."""

N_WORST = 10
"""How many pairs are shown."""

FEWEST_KEPT = 0.5
"""A threshold is worth naming if it keeps at least this share of the paraphrases together."""


FEW_PARAPHRASES = 100
"""Of fewer paraphrases, a threshold keeps noticeably more new ones than was asked."""


def conclusion(name: str, decision: MergeDecision) -> str:
    """Say the decision in a sentence."""
    paraphrases = _share(decision.shares[SAME], "paraphrases")
    at = f"at {decision.of} ≥ {formatted(decision.threshold)} " if decision.of else ""
    new = "" if decision.is_given else f" and {_promise(decision)}"
    return (
        f"{name} {at}keeps together {paraphrases}{new}, and merges "
        f"{_share(decision.shares[OPPOSITES], 'opposites')}: "
        f"{'safe' if decision.is_safe else 'not safe'} for caches, deduplication or agents' "
        f"memories (at most {_percent(decision.at_most)} allowed)."
    )


def _promise(decision: MergeDecision) -> str:
    """Say how many new paraphrases a threshold keeps that is found among these."""
    n = decision.n_paraphrases
    if n >= FEW_PARAPHRASES:
        return f"about {PERCENT} % of new ones"
    return f"on average {n + 1 - rank(PERCENT, n)} of {n + 1} new ones"


def alike(plan: Any, items: Any) -> str:
    """Say which pairs of different texts have one vector, which any threshold merges; empty if
    none.
    """
    different = same_vectors(plan, items)
    return same_vectors_message(different) if different else ""


def advice(decision: MergeDecision) -> str:
    """Say what to do; nothing where there is no threshold."""
    if not decision.of:
        return ""
    if decision.is_safe:
        return (
            f"Merge at {decision.of} ≥ {formatted(decision.threshold)}. Check the threshold on "
            "pairs of your own: it is another one for other texts."
        )
    least, merged, kept = decision.higher
    if kept >= FEWEST_KEPT:
        return (
            f"Raise the threshold: at {decision.of} ≥ {formatted(least)} it merges "
            f"{_percent(merged)} of opposites and still keeps {_percent(kept)} of paraphrases "
            "together."
        )
    left = (
        f" (at {decision.of} ≥ {formatted(least)}, which merges {_percent(merged)} of opposites, "
        f"{_percent(kept)} of paraphrases are left)"
    )
    return (
        f"There is no threshold that merges at most {_percent(decision.at_most)} of opposites and "
        f"keeps even {_percent(FEWEST_KEPT)} of paraphrases "
        f"together{'' if math.isnan(least) else left}. Use the cosine only to find candidates, and "
        "compare the two texts themselves before they are merged: by a cross-encoder or an "
        "entailment model, or at least by their negations, numbers, names and directions. "
        "`--check` measures such a comparison. Or take another encoder."
    )


def merged(decisions: Mapping[str, MergeDecision]) -> Listing:
    """List what decisions merge of the same pairs, a column each: of paraphrases, of all opposites,
    and by kind.

    The kind that the first decision merges most of stands first.
    """
    first, *_ = decisions.values()

    def merged_by_first(kind: str) -> float:
        return first.shares[kind].merged

    kinds = [kind for kind in first.shares if kind not in {SAME, OPPOSITES}]
    kinds.sort(key=merged_by_first, reverse=True)
    labels = _labels(decisions)
    columns = {labels[name]: decision for name, decision in decisions.items()}
    lines: dict[str, dict[str, str]] = {"threshold": {}}  # its name -> label -> cell
    costs: dict[str, dict[str, str]] = {}
    lines["paraphrases kept"] = _share_cells(columns, SAME)
    lines["opposites merged"] = _share_cells(columns, OPPOSITES)
    lines[f"at most {_percent(first.at_most)}"] = {
        label: "safe" if decision.is_safe else "not safe" for label, decision in columns.items()
    }
    for kind in kinds:
        lines[kind] = _share_cells(columns, kind)
    for label, decision in columns.items():
        lines["threshold"][label] = formatted(decision.threshold) if decision.of else "–"
        for cost, value in decision.costs.items():
            cells = costs.setdefault(cost.replace("_", " "), {})
            cells[label] = _cost(value)
    meanings = "; ".join(f"{kind}: {KIND.values[kind]}" for kind in kinds if kind in KIND.values)
    by_kind = f" Opposites by kind. {meanings}." if meanings else ""
    note = (
        "An interval counts the uncertainty of the threshold too: where it reaches far down, many "
        "pairs lie close to the threshold. That of the paraphrases says how many new ones this "
        f"threshold keeps. Seconds were measured on this machine.{by_kind}"
    )
    records: list[dict[str, Any]] = []
    for model, decision in decisions.items():
        records += [{"model": model, **record} for record in decision.records()]
    rows = [{"": name, **cells} for name, cells in (lines | costs).items()]
    return Listing.of(rows, title="Merged", note=note, data=tuple(records))


def _share_cells(columns: Mapping[str, MergeDecision], pairs: str) -> dict[str, str]:
    return {label: _cell(decision.shares.get(pairs)) for label, decision in columns.items()}


def _labels(decisions: Mapping[str, MergeDecision]) -> dict[str, str]:
    """Name -> the same without owners, folders and modules, where that tells the decisions
    apart.
    """
    labels = {name: _OWNERS.sub("", name) for name in decisions}
    distinct = {*labels.values()}
    if len(distinct) < len(labels):
        return {name: name for name in decisions}
    return labels


def _cost(cost: float) -> str:
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:.2g}"


def _cell(share: Share | None) -> str:
    return with_interval(share.merged, share.interval) if share else ""


def worst(plan: Any, decision: MergeDecision) -> Listing:
    """The opposites that are most alike, in words; of those that a check keeps apart, none.

    Args:
        plan: Of `MERGE_OPPOSITES`, with the texts.
        decision: Of its items.
    """
    pairs = decision.items.pairs
    texts = plan.pairs
    least = -1 if decision.of else 0
    opposites = np.flatnonzero(~pairs.is_same & (pairs.similarity > least))
    most_alike = np.argsort(-pairs.similarity[opposites], kind="stable")[:N_WORST]
    similarity = decision.of or "merged"
    rows = []
    records = []
    for place in opposites[most_alike]:
        alike = float(decision.unit * pairs.similarity[place])
        kind = pairs.kind[place]
        text = texts.first[place]
        opposite = texts.second[place]
        rows.append((formatted(alike), kind, text, opposite))
        records.append({similarity: alike, "kind": kind, "text": text, "opposite": opposite})
    header = (similarity, "kind", "text", "opposite")
    title = f"The {len(rows)} worst pairs"
    return Listing(header, tuple(rows), title, prose=2, data=tuple(records))


def saved(
    records: Sequence[Mapping[str, Any]],
    model: str,
    check: str,
) -> str:
    """Say what a check after a model saves and costs, from the differences of both from the model
    alone.
    """
    both = f"{model} then {check}"
    differences_by_pairs = {
        record["pairs"]: record for record in records if record["first"] == both
    }
    saves = _turned(differences_by_pairs[OPPOSITES])
    costs = _turned(differences_by_pairs[SAME])
    return (
        f"After {model}, {check} saves {saves} false merges per opposite and costs {costs} hits "
        "per paraphrase."
    )


def _turned(difference: Mapping[str, Any]) -> str:
    """B − A with its interval, from the record of A − B."""
    ends = (-difference["high"], -difference["low"])
    return with_interval(-difference["value"], ends)


def hits_in_words(
    log: HitLog,
    looks: Sequence[str],
) -> str:
    """Say how many hits of a cache look like opposites, and what was judged and left out."""
    counts = Counter(looks)
    n_same = counts[SAME_TEXT]
    n_other = counts[""]
    n_opposites = len(looks) - n_same - n_other
    lines = [
        f"Of {len(looks)} hits, {n_opposites} look like opposites, {n_other} like no opposite, and "
        f"{n_same} like the same text."
    ]
    judged = [hit for hit in log.hits if hit.is_right is not None]
    if judged:
        n_wrong = sum(hit.is_right is False for hit in judged)
        lines.append(f"Wrong by their verdicts: {n_wrong} of {len(judged)}.")
    if log.left_out:
        reasons = [f"{count} {reason}" for reason, count in log.left_out.items()]
        lines.append(f"Other lines: {', '.join(reasons)}.")
    lines.append(
        "A look is no verdict: a person reads a sample (--sample FILE), and --pairs FILE measures "
        "an encoder or a check by what was labeled."
    )
    return "\n".join(lines)


def hits_by_look(
    hits: Sequence[Hit],
    looks: Sequence[str],
) -> Listing:
    """List the hits of a cache by what they look like: opposites first, by how many there are."""
    counts = Counter(looks)
    order = [look for look, _ in counts.most_common() if look not in _NO_OPPOSITES]
    order += [look for look in _NO_OPPOSITES if look in counts]
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for look in order:
        of_look = [hit for hit, other in zip(hits, looks, strict=True) if other == look]
        pairs = Counter((hit.prompt, hit.key) for hit in of_look)
        judged = [hit for hit in of_look if hit.is_right is not None]
        n_wrong = sum(hit.is_right is False for hit in judged)
        cosines = [hit.cosine for hit in of_look if not math.isnan(hit.cosine)]
        lowest = min(cosines, default=math.nan)
        highest = max(cosines, default=math.nan)
        prompt, key = max(pairs, key=pairs.__getitem__)
        wrong = f"{n_wrong} of {len(judged)}" if judged else ""
        between_cosines = formatted(lowest) if cosines else ""
        if lowest < highest:
            between_cosines += f" to {formatted(highest)}"
        name = look or _NO_LOOK
        rows.append((name, str(len(of_look)), str(len(pairs)), wrong, between_cosines, prompt, key))
        record = {
            "looks_like": name,
            "hits": len(of_look),
            "pairs": len(pairs),
            "judged": len(judged),
            "wrong": n_wrong,
            "lowest_cosine": lowest,
            "highest_cosine": highest,
            "prompt": prompt,
            "key": key,
        }
        records.append(record)
    header = ("looks like", "hits", "pairs", "wrong", "cosines", "prompt", "key that was hit")
    kinds = [look for look in order if look in KIND.values]
    note = "; ".join(f"{kind}: {KIND.values[kind]}" for kind in kinds)
    return Listing(
        header, tuple(rows), "Hits by what they look like", note, prose=2, data=tuple(records)
    )


_NO_LOOK = "no opposite"
"""What hits look like that look like no opposite."""

_NO_OPPOSITES = ("", SAME_TEXT)
"""Looks that are of no opposite."""


def write_sample(
    hits: Sequence[Hit],
    looks: Sequence[str],
    file: Path,
) -> int:
    """Write hits for a person to label as CSV, which `--pairs` reads when `kind` is filled in.

    Returns:
        How many are still without a label; those with a verdict have one.
    """
    distinct: dict[tuple[str, str], int] = {}
    for place, hit in enumerate(hits):
        distinct.setdefault((hit.key, hit.prompt), place)
    places = [*distinct.values()]
    drawn = sample_by_look([looks[place] for place in places], N_SAMPLE)
    numbers = {
        key: str(number) for number, key in enumerate(dict.fromkeys(hit.key for hit in hits))
    }
    rows: list[dict[str, Any]] = []
    for number in drawn:
        hit = hits[places[number]]
        look = looks[places[number]]
        kind = ""
        if hit.is_right is not None:
            kind = SAME if hit.is_right else look or _OTHER_KIND
        row = {
            "source": f"key {numbers[hit.key]}",
            "kind": kind,
            "first": hit.key,
            "second": hit.prompt,
            "looks_like": look,
            "cosine": "" if math.isnan(hit.cosine) else hit.cosine,
        }
        rows.append(row)
    header = ["source", "kind", "first", "second", "looks_like", "cosine"]
    write_file(file, csv_text(rows, header))
    return sum(not row["kind"] for row in rows)


N_SAMPLE = 100
"""How many hits a person gets to label: an hour."""

_OTHER_KIND = "other"
"""The kind of a wrong hit that looks like no opposite."""


def differences(records: Sequence[Mapping[str, Any]]) -> Listing:
    """List paired differences in what decisions merge, on the same pairs."""
    rows = []
    for record in records:
        row = (
            record["first"],
            record["second"],
            record["pairs"],
            signed(record["value"]),
            signed_between(record["low"], record["high"]),
            p_value(record["p_value"]),
            p_value(record["adjusted_p_value"]),
        )
        rows.append(row)
    header = ("A", "B", "merged", "A − B", "95 % interval", "p", "p (Holm)")
    return Listing(
        header, tuple(rows), "Paired differences", labels=3, figures=4, data=tuple(records)
    )


def write_curve(decisions: Mapping[str, MergeDecision], file: Path) -> None:
    """Write hit rates and false merges at all thresholds as CSV, from name -> decision, on the same
    pairs.
    """
    rows: list[dict[str, Any]] = []
    for name, decision in decisions.items():
        rows += [{"model": name, **row} for row in decision.curve()]
    write_file(file, csv_text(rows, [*rows[0]]))


def _share(share: Share, of: str) -> str:
    within = "no interval"
    if share.interval:
        within = f"95 % interval {_percent(share.low)} to {_percent(share.high)}"
    return f"{_percent(share.merged)} of {of} ({within})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
