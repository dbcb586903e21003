"""What is shown of the decision whether an encoder is safe to merge texts by: sentences, tables and a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.files import whole_file
from harness_ext.data.rows import SAME
from harness_ext.measures.core.same_vector import same_vectors, told
from harness_ext.measures.merging.decision import OPPOSITES, MergeDecision, Share, paired_differences, ranked
from harness_ext.measures.merging.opposites import KIND
from harness_ext.show.listing import Listing, csv_text
from harness_ext.show.numbers import between, formatted, signed, signed_between, with_interval

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure

N_WORST = 10
"""How many pairs are shown."""

FEWEST_KEPT = 0.5
"""A threshold is worth naming if it keeps at least this share of the paraphrases together."""


def verdict(model: str, decision: MergeDecision) -> str:
    """Say the decision in a sentence."""
    at = f"at cos ≥ {formatted(decision.threshold)}"
    keeps = f"keeps 90 % of paraphrases together {at}"
    if decision.deployed is not None:
        keeps = f"{at} keeps {_share(decision.shares[SAME], 'paraphrases')} together"
    return (
        f"{model} {keeps} and merges {_share(decision.shares[OPPOSITES], 'opposites')}: "
        f"{'safe' if decision.is_safe else 'not safe'} for caches, deduplication, memory "
        f"(at most {_percent(decision.at_most)} allowed)."
    )


def alike(plan: Any, items: Any) -> str:
    """Say which pairs of different texts have one vector, which any threshold merges; empty if none."""
    different = same_vectors(plan, items)
    return told(different) if different else ""


def advice(decision: MergeDecision) -> str:
    """Say what to do."""
    if decision.is_safe:
        return (
            f"Merge at cos ≥ {formatted(decision.threshold)}. Check the threshold on pairs of your own: it is another "
            "one for other texts."
        )
    cosine, merged, kept = decision.higher
    if kept >= FEWEST_KEPT:
        return (
            f"Raise the threshold: at cos ≥ {formatted(cosine)} it merges {_percent(merged)} of opposites and "
            f"still keeps {_percent(kept)} of paraphrases together."
        )
    left = (
        f" (at cos ≥ {formatted(cosine)}, which merges {_percent(merged)} of opposites, {_percent(kept)} of "
        "paraphrases are left)"
    )
    return (
        f"There is no threshold that merges at most {_percent(decision.at_most)} of opposites and keeps even "
        f"{_percent(FEWEST_KEPT)} of paraphrases together{'' if math.isnan(cosine) else left}. Use the cosine only "
        "to find candidates, and compare the two texts themselves before they are merged: by a cross-encoder or an "
        "entailment model, or at least by their negations, numbers, names and directions. Or take another encoder."
    )


def kinds(model: str, decision: MergeDecision) -> Listing:
    """By kind of opposite, the worst first: the share that is merged, and its interval."""
    shares = {kind: decision.shares[kind] for kind in KIND.values if kind in decision.shares}
    rows = tuple(
        (kind, KIND.values[kind], formatted(share.merged), between(share.interval))
        for kind, share in sorted(shares.items(), key=lambda one: -one[1].merged)
    )
    header = ("kind of opposite", "meaning", "merged", "95 % interval")
    return Listing(header, rows, "Merged, by kind", labels=2, figures=2, data=_records({model: decision}))


def worst(plan: Any, items: Any) -> Listing:
    """The opposites that are most alike to the model, in words.

    Args:
        plan: Of `MERGE_OPPOSITES`, with the texts.
        items: The same, filled by an encoder.
    """
    pairs, texts = items.pairs, plan.pairs
    opposites = np.flatnonzero(~pairs.is_same & ~np.isnan(pairs.similarity))
    places = opposites[np.argsort(-pairs.similarity[opposites], kind="stable")[:N_WORST]]
    header = ("cos", "kind", "text", "opposite")
    nearest = [(float(pairs.similarity[at]), pairs.kind[at], texts.first[at], texts.second[at]) for at in places]
    rows = tuple((formatted(cosine), *rest) for cosine, *rest in nearest)
    records = tuple(dict(zip(header, values, strict=True)) for values in nearest)
    return Listing(header, rows, f"The {len(rows)} worst pairs", prose=2, data=records)


def models(decisions: Mapping[str, MergeDecision]) -> Listing:
    """List models on the same pairs, the best first: what is merged, of all and by kind."""
    some = [kind for kind in KIND.values if any(kind in decision.shares for decision in decisions.values())]
    columns = {"paraphrases kept": SAME, "opposites merged": OPPOSITES, **dict(zip(some, some, strict=True))}
    rows = []
    for model in ranked(decisions):
        decision = decisions[model]
        shares = {name: decision.shares[of] for name, of in columns.items() if of in decision.shares}
        safe = "safe" if decision.is_safe else "not safe"
        row = {"model": model, "safe": safe, "threshold": formatted(decision.threshold)}
        rows.append(row | {name: with_interval(share.merged, share.interval) for name, share in shares.items()})
    note = f"Opposites by kind. {'; '.join(f'{kind}: {KIND.values[kind]}' for kind in some)}."
    return Listing.of(rows, labels=2, title="Models, the best first", note=note, data=_records(decisions))


def _records(decisions: Mapping[str, MergeDecision]) -> tuple[dict[str, Any], ...]:
    of = ((model, record) for model in ranked(decisions) for record in decisions[model].records())
    return tuple({"model": model, **record} for model, record in of)


def model_differences(decisions: Mapping[str, MergeDecision]) -> Listing:
    """List the paired differences of every two models in what they merge, on the same pairs."""
    records = tuple(paired_differences(decisions))
    rows = tuple(
        (
            *(row[name] for name in ("first", "second", "pairs")),
            signed(row["value"]),
            signed_between(row["low"], row["high"]),
            formatted(row["p_value"]),
            formatted(row["adjusted_p_value"]),
        )
        for row in records
    )
    header = ("A", "B", "merged", "A − B", "95 % interval", "p", "p (Holm)")
    return Listing(header, rows, "Paired differences", labels=3, figures=4, data=records)


def write_curve(decisions: Mapping[str, MergeDecision], file: Path) -> None:
    """Write the curves of models as CSV, or draw them.

    Args:
        decisions: Model -> its decision, on the same pairs.
        file: Ends with `.csv`, or as a format of pictures.

    Raises:
        ValueError: There is no such format of figures.
    """
    rows = [{"model": model, **row} for model, decision in decisions.items() for row in decision.curve()]
    if file.suffix == ".csv":
        with whole_file(file) as partial:
            partial.write_text(csv_text(rows, [*rows[0]]), encoding="utf-8")
        return
    from harness_ext.show.figures import save_figures  # needs the extra `report`

    form: Any = file.suffix[1:]
    save_figures([_curve(rows, file.stem)], file.parent, form)


def _curve(rows: Sequence[Mapping[str, Any]], name: str) -> Figure:
    """Draw hit rates against false merges, a line per model."""
    import altair as alt

    from harness_ext.show.figures import Figure, parts

    thresholds = {row["model"]: formatted(row["threshold"]) for row in rows if row["deployed"]}
    rows = [{**row, "model": f"{row['model']}, cos ≥ {thresholds[row['model']]}"} for row in rows]
    percent = alt.Axis(format=".0%")
    channels: dict[str, Any] = {
        "x": alt.X("false_merges:Q", title="opposites merged (false merges)", axis=percent),
        "y": alt.Y("hit_rate:Q", title="paraphrases merged (hit rate)", axis=percent),
        "color": alt.Color("model:N", title=None, legend=alt.Legend(orient="top", columns=1, labelLimit=400)),
    }
    drawn = alt.Chart(parts.data_of(rows)).encode(**channels, order="threshold:Q", tooltip=parts.tooltips("threshold"))
    marked = drawn.transform_filter("datum.deployed").mark_point(filled=True, size=90, opacity=1)
    caption = (
        "From the upper right to the lower left the threshold rises. The point is the threshold that is deployed, or "
        "that keeps 90 % of the paraphrases together. An encoder that tells paraphrases from opposites is above the "
        "diagonal. This project's own figure."
    )
    chart = (drawn.mark_line() + marked).properties(width=330, height=330)
    return Figure(name=name, title="Hit rate and false merges", caption=caption, chart=chart)


def _share(share: Share, of: str) -> str:
    within = "no interval"
    if share.interval:
        within = f"95 % interval {_percent(share.low)} to {_percent(share.high)}"
    return f"{_percent(share.merged)} of {of} ({within})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
