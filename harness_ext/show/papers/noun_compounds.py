"""The figures of noun compounds: Similarity, Affinity and Scaled Similarity as He et al. 2025 (NCIMP) draw them.

Garcia et al. 2021 (NCTTI) print tables of types and tokens; their data is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.arrays import Floats, Names, positions
from harness_ext.measures.core.scores import LEVEL
from harness_ext.measures.noun_compounds.affinity import affinities, scaled_similarities
from harness_ext.measures.noun_compounds.type_token_items import ALONE, TypeTokenItems
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.model_labels import listed
from harness_ext.show.numbers import formatted
from harness_ext.show.paper import Paper
from harness_ext.statistics.correlation import spearman

if TYPE_CHECKING:
    import pandas

_NCIMP = "He et al. 2025, Investigating Idiomaticity in Word Representations"
_IDEAL_TOO = {"measured": parts.BLUE, "ideal model": parts.ORANGE}
_IDEAL = (
    "For the ideal model, a gold synonym keeps all of the meaning and an unrelated expression keeps none. The "
    "compound's words, or synonyms of them, keep as much as people find the compound compositional (its mean score in "
    "its sentences, from 0 to 5, divided by 5)."
)
_VECTORS = {"sentence": "the sentences' vectors", "span": "the vectors of the compound's words in their sentence"}
_OF_SENTENCES = "Fig. 1"
"""The paper's only figure of sentences; its others are of the compound."""

_MOST_RATIO = 10.0
_SIGNIFICANT = 0.05
_PEOPLE = "people: idiomatic"

_SIMILARITIES = {
    "sim_syn": "gold synonym",
    "sim_comp": "nearer word",
    "sim_words_syn": "words' synonyms",
    "sim_rand": "unrelated",
}
_AFFINITIES = {"affinity_syn_words_syn": "gold over words' synonyms", "affinity_syn_rand": "gold over unrelated"}
_SCALED = {"scaled_sim_syn": "gold synonym", "scaled_sim_words_syn": "words' synonyms"}
_CORRELATED = {"sim_syn": "P_Syn", "affinity_syn_words_syn": "A_Syn|WordsSyn", "scaled_sim_syn": "Sim_R|Syn"}
"""Score -> its name in the paper, for correlograms."""


def _affinity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of Similarity and Affinity of a task."""
    for level, inside in _levels(measured):
        values = [affinities(panel.items, level) for panel in inside]
        yield from _distributions(
            (f"{level}-similarity", "Similarity of the original to the sentence with a probe in the compound's place"),
            _SIMILARITIES,
            zip(inside, values, strict=True),
            "Sim = cosine, −1 to 1",
            ({"sentence": _OF_SENTENCES, "span": "Fig. 2"}[level], ""),
            "The gold synonym should be equally near in all classes, and the words' synonyms should be far only for "
            "idiomatic compounds.",
        )
        yield from _distributions(
            (f"{level}-affinity", "Affinity: which of two probes is nearer to the original"),
            _AFFINITIES,
            zip(inside, values, strict=True),
            "difference of two Sim, −2 to 2",
            ("Fig. 3", "Fig. 4"),
            "Above 0 (dashed) the gold synonym is nearer to the original. The main score is the share of idiomatic "
            "compounds above 0, on average over their sentences; it should be high.",
        )
        yield from _correlograms(level, inside, values)


def _scaled_similarity_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of Scaled Similarity of a task."""
    for level, inside in _levels(measured):
        values = [scaled_similarities(panel.items, level) for panel in inside]
        yield from _distributions(
            (f"{level}-scaled", "Scaled Similarity"),
            _SCALED,
            zip(inside, values, strict=True),
            "Sim_R: 0 as unrelated, 1 as the original",
            ("Fig. 5", "Figs. 6 and 7"),
            "An ideal model has 1 for the gold synonym in all classes, and less for the words' synonyms of idioms.",
        )
        yield from _ratios(level, inside, values)
        yield from _correlograms(level, inside, values)


def _follows(figures: str, level: str) -> str:
    """Say which figures of the paper a figure follows, if any, and at which level they are."""
    if not figures:
        return f"No figure of {_NCIMP}, has these."
    is_other = level == "sentence" and figures != _OF_SENTENCES
    here = " The paper's are of the compound, this one is of sentences." if is_other else ""
    return f"Follows {figures} of {_NCIMP}.{here}"


def _levels(measured: Sequence[Panel]) -> Iterator[tuple[str, list[Panel]]]:
    """Yield each level with the panels that have vectors of it."""
    for level in LEVEL.values:
        if inside := [panel for panel in measured if panel.items.has(level)]:
            yield level, inside


def _ideal(items: Any) -> dict[str, Floats]:
    """Compute every score of the ideal model in each sentence, shape (m,); NaN without a human score."""
    human = items.compounds.comp[items.of_compound()] / 5
    ones = np.ones(len(human))
    as_people = dict.fromkeys(("sim_comp", "sim_words_syn", "scaled_sim_words_syn"), human)
    return {
        **dict.fromkeys(("sim_syn", "affinity_syn_rand", "scaled_sim_syn"), ones),
        **as_people,
        "sim_rand": np.zeros(len(human)),
        "affinity_syn_words_syn": ones - human,
    }


def _distributions(
    name_and_title: tuple[str, str],
    groups: Mapping[str, str],
    measured: Any,
    axis: str,
    papers: tuple[str, str],
    by_class: str,
) -> Iterator[Figure]:
    """Draw all compounds beside an ideal model, and the compounds by class.

    Args:
        name_and_title: The name for files, which begins with the level, and the title.
        groups: Score -> the label of its boxes.
        measured: Panels, each with score -> its value in each sentence.
        axis: The title of the axis, with the range of the values.
        papers: The paper's figures, of all compounds and by class; empty for none.
        by_class: What the figure by class should look like.
    """
    whole: list[dict[str, Any]] = []
    of_class: list[dict[str, Any]] = []
    for panel, values in measured:
        ideal, classes = _ideal(panel.items), panel.items.classes()
        for score, label in groups.items():
            for which, of_model in (("measured", values), ("ideal model", ideal)):
                whole.append(parts.box(of_model[score], label, which, panel.labels))
            for class_, of_name in parts.CLASS_LABELS.items():
                of_class.append(parts.box(values[score][classes == class_], label, of_name, panel.labels))
    name, title = name_and_title
    level = name.partition("-")[0]
    vectors = _VECTORS[level]
    yield Figure(
        name=name,
        title=f"{title}, by {vectors}",
        caption=(
            "Distributions over all sentences, by the replacement of the compound. Blue is measured, orange is an "
            f"ideal model. {_IDEAL} {parts.BOXES} {_follows(papers[0], level)}"
        ),
        chart=parts.box_chart(whole, _IDEAL_TOO, axis, reference=0, width_per_group=120),
    )
    yield Figure(
        name=f"{name}-by-class",
        title=f"{title}, by class and {vectors}",
        caption=f"The same by the experts' classes. {by_class} {parts.BOXES} {_follows(papers[1], level)}",
        chart=parts.box_chart(of_class, parts.CLASS_COLOURS, axis, reference=0, width_per_group=120),
    )


def _ratios(level: str, measured: Sequence[Panel], values: Sequence[Mapping[str, Floats]]) -> Iterator[Figure]:
    """Draw the ratio of two Scaled Similarities by class."""
    ratios: list[dict[str, Any]] = []
    n_left_out = 0
    for panel, of_sentences in zip(measured, values, strict=True):
        compounds = panel.items.compounds
        syn, words = (panel.items.per_compound(of_sentences[score]) for score in _SCALED)
        n_left_out += int((words <= 0).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            both = {"measured": np.where(words > 0, syn / words, np.nan), "ideal model": 5 / compounds.comp}
        for name, label in parts.CLASS_LABELS.items():
            inside = compounds.class_ == name
            for which, ratio in both.items():
                of_model = np.where(np.abs(ratio) > _MOST_RATIO, np.nan, ratio)
                ratios.append(parts.box(of_model[inside], f"{label} ({name})", which, panel.labels))
    yield Figure(
        name=f"{level}-scaled-ratio",
        title=f"Ratio of two Scaled Similarities, by {_VECTORS[level]}",
        caption=(
            "Sim_R of the gold synonym divided by Sim_R of the words' synonyms, from each compound's means over its "
            "sentences. At 1 (dashed) both keep the same; above it, where idioms should lie, the gold synonym more. "
            f"{_IDEAL} So its ratio (orange) is 5 divided by the human score. {n_left_out} compounds whose words' "
            f"synonyms keep nothing, Sim_R ≤ 0, and ratios beyond ±{_MOST_RATIO:g} are left out. {parts.BOXES} "
            f"{_follows('Figs. 8 and 9', level)}"
        ),
        chart=parts.box_chart(ratios, _IDEAL_TOO, "ratio of Sim_R, 1: equal", reference=1, width_per_group=110),
    )


def _correlograms(level: str, measured: Sequence[Panel], values: Sequence[Mapping[str, Floats]]) -> Iterator[Figure]:
    """Draw how alike every two models, and people, order the compounds; nothing for a single model without people."""
    rows: list[dict[str, Any]] = []
    for data, (score, key) in product(dict.fromkeys(panel.entry.data for panel in measured), _CORRELATED.items()):
        here = [(panel, of_sentences) for panel, of_sentences in zip(measured, values, strict=True)
                if panel.entry.data == data and score in of_sentences]  # fmt: skip
        if not here:
            continue
        orders = {panel.model: _by_compound(panel, panel.items.per_compound(known[score])) for panel, known in here}
        people = here[0][0].items.compounds.comp
        if not np.isnan(people).all():
            orders[_PEOPLE] = _by_compound(here[0][0], 5 - people)
        for row, column in product(orders, repeat=2):
            first, second = orders[row].align(orders[column], join="inner")  # the compounds that both have
            rho, p = spearman(first.to_numpy(), second.to_numpy())
            marked = {"mark": "✕"} if p >= _SIGNIFICANT else {}
            rows.append({"data": data, "key": key, "row": row, "column": column, "value": rho, **marked})
    if len({row["row"] for row in rows}) > 1:
        keys = listed(list(dict.fromkeys(row["key"] for row in rows)))
        yield Figure(
            name=f"{level}-correlogram",
            title=f"Agreement of models on compounds, by {_VECTORS[level]}",
            caption=(
                f"Spearman's ρ between every two models, of each compound's mean {keys}: 1 if two models order the "
                f"compounds alike. A cross marks what is not significant, p ≥ {formatted(_SIGNIFICANT)}. P_Syn is Sim "
                "of the gold synonym, A_Syn|WordsSyn its Affinity over the words' synonyms, Sim_R|Syn its Scaled "
                "Similarity. The row of people, if there are human scores, orders compounds by how idiomatic people "
                "find them. The Affinity of an ideal model does too; its P_Syn and Sim_R|Syn have no order. "
                f"{_follows('Fig. 10', level)}"
            ),
            chart=parts.heat_map(rows, ("", ""), (-1, 1), "Spearman's ρ, −1 to 1", row="data", column="key"),
        )


def _by_compound(panel: Panel, values: Floats) -> pandas.Series:
    import pandas  # not above: tables take none of the half second

    return pandas.Series(values, panel.items.compounds.compound)


_NCTTI = (
    "Garcia et al. 2021, Assessing the Representations of Idiomaticity in Vector Models with a Noun Compound Dataset "
    "Labeled at Type and Token Levels"
)
_COMPARISONS = {
    "phrase_additivity": "alone, with the sum of the words",
    "nc_out": "in sentences, with itself alone",
    "nc_out_comp": "in sentences, with the sum of the words",
}
_OTHER = "no class"

Points = tuple[Floats, Floats, Names]
"""Human score, cosine, and compound of each point, shapes (n,)."""


def _type_token_figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    dots = (
        ". The more compositional people find it, the greater the cosine should be, so dots should rise to the right. "
        "ρ is Spearman's, as in the result file. A panel is empty if an encoder has no vectors of words in a sentence."
    )
    yield Figure(
        name="types",
        title="Compounds: human scores against cosines",
        caption=(
            f"Each dot is a compound: its human score as a type against the cosine named above the panel, averaged "
            f"over its sentences if it is in sentences{dots} Shows the data of Table 5, type level, of {_NCTTI}."
        ),
        chart=_scatter(list(_rows(measured, _COMPARISONS, _types)), "human score of the compound"),
    )
    tokens = list(_rows(measured, {name: _COMPARISONS[name] for name in ALONE.values}, _tokens))
    if tokens:
        yield Figure(
            name="tokens",
            title="Compounds in sentences: human scores against cosines",
            caption=(
                f"Each dot is a compound in a sentence: its human score there against the cosine named above the "
                f"panel{dots} Shows the data of Table 5, token level, of {_NCTTI}."
            ),
            chart=_scatter(tokens, "human score in the sentence"),
        )


def _types(items: TypeTokenItems, comparison: str) -> Points:
    return items.compounds.type_score, items.per_compound(comparison), items.compounds.compound


def _tokens(items: TypeTokenItems, comparison: str) -> Points:
    compared = items.compared(comparison)
    scores = items.sentences.score[positions(compared.row, items.sentences.row)]
    return scores, compared.similarity, compared.compound


def _rows(
    measured: Sequence[Panel], comparisons: dict[str, str], points: Callable[[TypeTokenItems, str], Points]
) -> Iterator[dict[str, Any]]:
    for panel in measured:
        table = panel.items.compounds
        class_of = dict(zip(table.compound.tolist(), table.class_.tolist(), strict=True))
        for comparison, label in comparisons.items():
            human, cosine, compounds = points(panel.items, comparison)
            known = ~np.isnan(human + cosine)
            if known.any():
                shared = {"model": panel.heading(measured), "comparison": label}
                yield {**shared, "rho": parts.rho_text(human, cosine)}
                for x, y, name in zip(*(values[known].tolist() for values in (human, cosine, compounds)), strict=True):
                    class_ = parts.CLASS_LABELS.get(class_of[name], _OTHER)
                    yield {**shared, "x": x, "y": y, "compound": name, "colour": class_}


def _scatter(rows: Sequence[dict[str, Any]], human: str) -> alt.FacetChart:
    others = {_OTHER: parts.RULE} if any(row.get("colour") == _OTHER for row in rows) else {}
    place = {
        "x": alt.X("x:Q", title=f"{human}, 0 idiomatic to 5", scale=alt.Scale(domain=(0, 5))),
        "y": alt.Y("y:Q", title="cosine, −1 to 1", scale=alt.Scale(zero=False)),
        "color": parts.colour({**parts.CLASS_COLOURS, **others}),
    }
    tooltip = ["compound:N", "colour:N", *parts.tooltips(x="human score", y="cosine")]
    dots = parts.where("x").mark_circle(size=18, opacity=0.75).encode(**place, tooltip=tooltip)
    layers = [dots, parts.rho_layer("bottom")]
    return parts.faceted(layers, rows, width=230, height=200, column="comparison", own_scale=True)


PAPER = Paper(
    figures={
        "affinity": _affinity_figures,
        "scaled_similarity": _scaled_similarity_figures,
        "type_token": _type_token_figures,
    }
)
