"""Views of language models: figures of each compound, phrase or pair, as in `views`, for tasks of lm-eval."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Floats, Integers, Names
from harness_ext.evaluators.items import Table
from harness_ext.language_models.answer_distribution import OPTIONS as RATED
from harness_ext.language_models.answer_distribution import AnswerItems
from harness_ext.language_models.entailment import ANSWERS, EntailmentItems
from harness_ext.language_models.figurative import FigurativeItems
from harness_ext.language_models.minimal_pairs import MinimalPairItems
from harness_ext.language_models.option_scores import chosen, option_values
from harness_ext.language_models.polarity_answers import LABELS, SIDES, PolarityItems
from harness_ext.language_models.question import FORMAT, ROLES, QuestionItems
from harness_ext.language_models.rating import RatingItems
from harness_ext.language_models.surprisal import SurprisalItems
from harness_ext.show.report.views import Grid, View, percentiles
from harness_ext.statistics.correlation import group_means


def minimal_pairs(items: MinimalPairItems) -> View:
    """View compounds: how much a sentence favours the paraphrase with the synonym of the whole, and how often."""
    documents = items.documents
    figures = {"affinity_lm": documents.affinity, "accuracy": documents.prefers_syn()}
    units = _by("compound", documents, ("class", "comp"), figures)
    return View(
        _renamed(units, "comp", "human score"),
        np.where(units.facts["class"] == "NC", -units.figures["affinity_lm"], np.nan),
        "For an idiom (NC), affinity_lm should be above 0: the sentence adds more to the probability of the "
        "paraphrase with the synonym of the whole than to the probability of the one with synonyms of single words.",
        Grid(
            {**_of_rows(documents), "wording": documents.template.astype(str), "listed first": _first(documents.order)},
            {"affinity_lm": documents.affinity},
        ),
    )


def rating(items: RatingItems) -> View:
    """View compounds: ratings beside people's scores, and the difference of their ranks."""
    documents = items.documents
    figures = {"rating": documents.rating, "token score": documents.token_score}
    units = _by("compound", documents, ("class", "type_score"), figures)
    ratings, people = units.figures["rating"], units.facts["type_score"]
    difference = percentiles(ratings) - percentiles(np.where(np.isnan(ratings), np.nan, people))
    shown = Grid(units.facts, {"rating": ratings, "rank by model − by people": difference})
    return View(
        _renamed(shown, "type_score", "human score"),
        np.abs(difference),
        "The more literal people find a compound (0 to 5), the higher its rating should be. A difference of ranks of 1 "
        "goes from one end of all compounds to the other.",
        Grid(
            {**_of_rows(documents), "human score": documents.token_score},
            {"rating": documents.rating},
        ),
    )


def question(items: QuestionItems) -> View:
    """View compounds: how often the answer is the compound's synonym, or the synonyms of its words."""
    documents = items.documents
    values = option_values(documents, ROLES)
    shares = chosen(values)
    is_cloze = documents.format == "cloze"
    margin = np.where(is_cloze, values[0] - values[1:].max(axis=0), np.nan)
    figures = {"margin": margin}
    for name in FORMAT.values:
        for label, column in (("right", 0), ("literal", 1)):
            figures[f"{label}, {name}"] = np.where(documents.format == name, shares[column], np.nan)
    units = _by("compound", documents, ("class",), figures)
    return View(
        Grid(units.facts, {name: values for name, values in units.figures.items() if name != "margin"}),
        -units.figures["margin"],
        "The compound's synonym should be the answer (right 1), whether the model continues with the meaning itself "
        "(cloze) or with its letter. Literal is the share of answers with the synonyms of its words.",
        Grid(
            {**_of_rows(documents), "format": documents.format, "turned by": documents.order.astype(str)},
            {f"PMI({role})": values[number] for number, role in enumerate(ROLES)},
        ),
    )


def entailment(items: EntailmentItems) -> View:
    """View phrases of an adjective and a noun: whether the answer is right for the type of the adjective."""
    documents = items.documents
    values = option_values(documents, ANSWERS)
    is_expected = np.array(ANSWERS)[:, None] == documents.expected
    margin = values[is_expected.argmax(axis=0), np.arange(len(documents))] - np.where(is_expected, -np.inf, values).max(
        axis=0
    )
    phrases = np.char.add(np.char.add(documents.adjective, " "), documents.noun)
    figures = {"right": documents.right(), "margin": margin}
    facts = {"phrase": phrases, "type": documents.type, "expected": documents.expected}
    units = _grouped(facts, figures)
    return View(
        units,
        -units.figures["margin"],
        "A red chair (S-I) is a chair and a skilful king (S-NI) is a king: yes. A fake chair (NS-Pr) is none: no. An "
        "alleged king (NS-Pl) may be one: unknown. The margin is the PMI of the right answer less the best other PMI.",
        in_sentences=False,
    )


def polarity_answers(items: PolarityItems) -> View:
    """View pairs: whether the labels of both sentences are right, and by which margin."""
    documents = items.documents
    pairs, first, second = documents.right_of_pairs()
    is_whole = np.isin(documents.pair, pairs)
    negative, positive = option_values(documents, LABELS)
    margin = (2 * documents.label - 1) * (positive - negative)
    margins = [
        _grouped({"pair": documents.pair[rows]}, {"margin": margin[rows]}).figures["margin"]
        for rows in (is_whole & (documents.side == side) for side in SIDES)
    ]
    facts = _grouped({"pair": documents.pair[is_whole], "direction": documents.direction[is_whole]}, {}).facts
    return View(
        Grid(
            facts,
            {
                "both right": first * second,
                "margin, original": margins[0],
                "margin, rewrite": margins[1],
            },
        ),
        -np.minimum(*margins),
        "Both labels should be right (1). The margin is the PMI of the right label less the PMI of the wrong label. It "
        "should be above 0 for the sentence and for its rewrite with the opposite sentiment.",
    )


def epsilon_surprisal(items: SurprisalItems) -> View:
    """View compounds: their rank shares, and the rank shares of their sentences."""
    documents = items.documents
    figures = {"rank share": documents.rank_share, "samples": documents.n_samples.astype(float)}
    units = _by("compound", documents, ("class",), figures)
    share, classes = units.figures["rank share"], units.facts["class"]
    return View(
        Grid(units.facts, {"rank share": share}),
        np.select([classes == "NC", classes == "C"], [1 - share, share], np.nan),
        "An idiomatic compound (NC) should have a rank share near 1, a literal compound (C) near 0. A rank share is "
        "the share of comparisons in which the compound changes expectations more than its words explain.",
        Grid(_of_rows(documents), figures),
    )


def figurative_entailment(items: FigurativeItems) -> View:
    """View sentences: how much more the model leans to yes for the rewrite that follows."""
    documents = items.documents
    triples, follows, follows_not = documents.leans()
    sets = dict(zip(documents.triple.tolist(), documents.set.tolist(), strict=True))
    margin = follows - follows_not
    return View(
        Grid(
            {"triple": triples, "set": np.array([sets[name] for name in triples.tolist()], dtype=str)},
            {"margin": margin, "lean, entailed": follows, "lean, not entailed": follows_not},
        ),
        -margin,
        "A lean is PMI(yes) − PMI(no). The rewrite that follows from the sentence should have a greater lean than the "
        "other rewrite: the margin, their difference, should be above 0.",
        in_sentences=False,
        tolerated=0,
    )


def answer_distribution(items: AnswerItems) -> View:
    """View phrases of an adjective and a noun: the model's mean rating beside people's."""
    documents = items.documents
    ratings = np.arange(1, len(RATED) + 1)
    model, people = ratings @ documents.model(), ratings @ documents.people()
    difference = percentiles(model) - percentiles(people)
    phrases = np.char.add(np.char.add(documents.adjective, " "), documents.noun)
    return View(
        Grid(
            {"phrase": phrases, "frequency": documents.frequency, "people's mean rating": people},
            {"mean rating": model, "rank by model − by people": difference},
        ),
        np.abs(difference),
        "The surer people are that the noun still holds (1 to 5), the higher the model's mean rating should be. A "
        "difference of ranks of 1 goes from one end of all phrases to the other.",
        in_sentences=False,
    )


_ASKED = re.compile(r"-(template\d+-order\d+|cloze\d+|letter\d+)$")


def _of_rows(documents: Any) -> dict[str, Names]:
    """List the compound and the dataset's row of each document, shape (n,)."""
    return {"compound": documents.compound, "row": np.array([_ASKED.sub("", name) for name in documents.id.tolist()])}


def _first(order: Integers) -> Names:
    return np.where(order == 0, "syn", "words_syn")


def _by(unit: str, documents: Table, facts: tuple[str, ...], figures: Mapping[str, Floats]) -> Grid:
    """Average figures per unit, with facts that are the same for all its documents."""
    columns = documents.values()
    return _grouped({name: columns[name] for name in (unit, *facts)}, figures)


def _grouped(facts: Mapping[str, Array], figures: Mapping[str, Floats]) -> Grid:
    """Average figures per value of the first fact."""
    names, first, group = np.unique(next(iter(facts.values())), return_index=True, return_inverse=True)
    return Grid(
        {name: values[first] for name, values in facts.items()},
        {name: group_means(values, group, len(names)) for name, values in figures.items()},
    )


def _renamed(grid: Grid, fact: str, to: str) -> Grid:
    return Grid({to if name == fact else name: values for name, values in grid.facts.items()}, grid.figures)


LANGUAGE_MODEL_VIEWS: Mapping[str, Callable[[Any], View]] = {
    "minimal_pairs": minimal_pairs,
    "rating": rating,
    "question": question,
    "entailment": entailment,
    "polarity_answers": polarity_answers,
    "epsilon_surprisal": epsilon_surprisal,
    "figurative_entailment": figurative_entailment,
    "answer_distribution": answer_distribution,
}
"""The view of each measure of language models, by its name."""
