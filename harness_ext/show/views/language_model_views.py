"""Views of measures of language models."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from harness_ext.arrays import Names
from harness_ext.language_models.entailment import ANSWERS, EntailmentItems
from harness_ext.language_models.minimal_pairs import MinimalPairItems
from harness_ext.language_models.option_scores import chosen, option_values
from harness_ext.language_models.polarity_answers import LABELS, SIDES, PolarityItems
from harness_ext.language_models.question import FORMAT, ROLES, QuestionItems
from harness_ext.language_models.surprisal import SurprisalItems
from harness_ext.show.views.view import Grid, View, averaged, phrases, view_by


@view_by("minimal_pairs")
def minimal_pairs(items: MinimalPairItems) -> View:
    """View compounds: how much a sentence favours the paraphrase with the synonym of the whole, and how often."""
    documents = items.documents
    units = averaged(
        {"compound": documents.compound, "class": documents.class_, "human score": documents.comp},
        {"affinity_lm": documents.affinity, "accuracy": documents.prefers_syn()},
    )
    listed_first = np.where(documents.order == 0, "syn", "words_syn")
    return View(
        units,
        np.where(units.facts["class"] == "NC", -units.figures["affinity_lm"], np.nan),
        Grid(
            {**_of_rows(documents), "wording": documents.template.astype(str), "listed first": listed_first},
            {"affinity_lm": documents.affinity},
        ),
    )


@view_by("question")
def question(items: QuestionItems) -> View:
    """View compounds: how often the answer is the compound's synonym, or the synonyms of its words."""
    documents = items.documents
    values = option_values(documents, ROLES)
    shares = chosen(values)
    compounds = {"compound": documents.compound, "class": documents.class_}
    margin = np.where(documents.format == "cloze", values[0] - values[1:].max(axis=0), np.nan)
    return View(
        averaged(
            compounds,
            {
                f"{label}, {name}": np.where(documents.format == name, shares[column], np.nan)
                for name in FORMAT.values
                for label, column in (("right", 0), ("literal", 1))
            },
        ),
        -averaged(compounds, {"margin": margin}).figures["margin"],
        Grid(
            {**_of_rows(documents), "format": documents.format, "turned by": documents.order.astype(str)},
            {f"PMI({role})": of_role for role, of_role in zip(ROLES, values, strict=True)},
        ),
    )


@view_by("entailment")
def entailment(items: EntailmentItems) -> View:
    """View phrases of an adjective and a noun: whether the answer is right for the type of the adjective."""
    documents = items.documents
    values = option_values(documents, ANSWERS)
    is_expected = np.array(ANSWERS)[:, None] == documents.expected
    right, best_other = (np.where(rows, values, -np.inf).max(axis=0) for rows in (is_expected, ~is_expected))
    facts = {
        "phrase": phrases(documents.adjective, documents.noun),
        "type": documents.type,
        "expected": documents.expected,
    }
    units = averaged(facts, {"right": documents.right(), "margin": right - best_other})
    return View(units, -units.figures["margin"], in_sentences=False)


@view_by("polarity_answers")
def polarity_answers(items: PolarityItems) -> View:
    """View pairs: whether the labels of both sentences are right, and by which margin."""
    documents = items.documents
    pairs, first, second = documents.right_of_pairs()
    negative, positive = option_values(documents, LABELS)
    margin = (2 * documents.label - 1) * (positive - negative)
    is_whole = np.isin(documents.pair, pairs)
    sides = {f"margin, {name}": np.where(documents.side == side, margin, np.nan)[is_whole]
             for name, side in zip(("original", "rewrite"), SIDES, strict=True)}  # fmt: skip
    units = averaged({"pair": documents.pair[is_whole], "direction": documents.direction[is_whole]}, sides)
    return View(
        Grid(units.facts, {"both right": first * second, **units.figures}), -np.minimum(*units.figures.values())
    )


@view_by("epsilon_surprisal")
def epsilon_surprisal(items: SurprisalItems) -> View:
    """View compounds: their rank shares, and the rank shares of their sentences."""
    documents = items.documents
    facts = {"compound": documents.compound, "class": documents.class_}
    units = averaged(facts, {"rank share": documents.rank_share})
    share, classes = units.figures["rank share"], units.facts["class"]
    return View(
        units,
        np.select([classes == "NC", classes == "C"], [1 - share, share], np.nan),
        Grid(_of_rows(documents), {"rank share": documents.rank_share, "samples": documents.n_samples.astype(float)}),
    )


_ASKED = re.compile(r"-(template\d+-order\d+|cloze\d+|letter\d+)$")


def _of_rows(documents: Any) -> dict[str, Names]:
    """List the compound and the dataset's row of each document, shape (n,)."""
    return {"compound": documents.compound, "row": np.array([_ASKED.sub("", name) for name in documents.id.tolist()])}
