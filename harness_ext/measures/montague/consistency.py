"""Montague modifier consistency: do the distances between phrases respect the set semantics of their adjectives?

Carvalho, Manino, Rozanova, Cordeiro, Freitas: *Montague semantics and modifier consistency measurement in neural
language models*, COLING 2025, pp. 5515-5529. A *wild dog* is a wild thing and a dog; a *skilful king* is a king,
skilful as kings go; a *fake dog* is no dog. Read as distances d between the vectors of a phrase p and of its adjectives
a and nouns n:

    intersectivity, single phrase     every d(p, word) ≤ every d(word, word')       (their Eq. 3)
    intersectivity, pair              d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)             (Eq. 5; see montague_pairs.py)
    non-subsectivity                  d(p, a) ≤ d(p, n)                             (Eq. 7)

`≤` holds for ties, see `at_most`; in the pair term of the main score a tie counts ½, so that an encoder that gives
every text the same vector is at chance.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats
from harness_ext.data.rows import PhraseRow, Word
from harness_ext.data.tables import Line
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import Axis, AxisValues, Scores, count, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.montague.items import (
    NS_PL,
    NS_PR,
    S_I,
    S_NI,
    TYPES,
    MontagueItems,
    montague_plan,
    montague_view,
)
from harness_ext.measures.montague.pairs import pair_shares, type_means
from harness_ext.statistics.crossed import CrossedStatistic
from harness_ext.statistics.paired_difference import equality_p_value
from harness_ext.statistics.statistic import Statistic

TYPE = Axis("type", TYPES)
TYPE_PAIR = Axis("first_type", TYPES), Axis("second_type", TYPES)
TEST = Axis("test", {"intersective": "intersectivity of phrases", "non_subsective": "non-subsectivity"})
TERM = Axis(
    "term",
    {"intersective": "intersectivity of phrases", "pair": "intersectivity of pairs", "non_subsective": "subsectivity"},
)


def agreements(intersective: Floats, pair: Floats, non_subsective: Floats) -> Floats:
    """The three balanced agreements with set theory; ambiguous adjectives enter none.

    Args:
        intersective: Share of intersective `adjective noun` per type, shape (5, R).
        pair: Share of pairs per type of a2, a1 being intersective and ties counting ½, shape (5, R).
        non_subsective: Share of non-subsective `adjective noun` per type, shape (5, R).

    Returns:
        Values in [0, 1], a row for each of `TERM`, shape (3, R); NaN where a type has no share.
    """
    others = [S_NI, NS_PL, NS_PR]
    single = (intersective[S_I] + 1 - intersective[others].mean(axis=0)) / 2
    subset = (non_subsective[[NS_PL, NS_PR]].mean(axis=0) + 1 - non_subsective[[S_I, S_NI]].mean(axis=0)) / 2
    return np.array([single, pair[others].mean(axis=0), subset])


def _statistic(items: MontagueItems, types: Collection[str], formula: Callable[..., Floats]) -> CrossedStatistic:
    """A score of adjectives and nouns. Adjectives are drawn within their type, nouns independently of them.

    The units are the adjectives of some types that have a distance. For `formula(items, *weights)` see
    `CrossedStatistic`.
    """
    adjectives, members = items.adjectives, items.members()
    in_pair = np.any([~np.isnan(with_noun).all(axis=0) for with_noun in items.noun_pairs[0]], axis=0)
    in_single = ~np.isnan(items.words().non_subsective).all(axis=1)
    return CrossedStatistic(
        units=adjectives.adjective[(in_pair | in_single) & np.isin(adjectives.type, [*types])],
        groups=members[members.any(axis=1)],
        n_second=len(items.nouns),
        formula=partial(formula, items),
        of_units=lambda names: _statistic(items.restrict("adjective", names), types, formula),
    )


def _mean_of_terms(items: MontagueItems, terms: Flags) -> Statistic:
    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        of_terms = agreements(*items.shares(*weights))[terms]
        return of_terms.mean(axis=0) if len(of_terms) else np.full(of_terms.shape[1], np.nan)

    return _statistic(items, TYPES.keys() - {"A"}, formula)


def _adjusted_consistency(items: MontagueItems, _: AxisValues) -> Statistic:
    informative = items.saturated != 1
    if informative.all():
        return MONTAGUE.of_all_units(items, MONTAGUE.main)  # the same score, which is resampled once
    return _mean_of_terms(items, informative)


def _mean_of_type(name: str) -> Callable[[MontagueItems, AxisValues], Statistic]:
    """The mean over the phrases of a type of what `WordDistances` says under that name."""

    def statistic(items: MontagueItems, axes: AxisValues) -> Statistic:
        def formula(items: MontagueItems, *weights: Floats) -> Floats:
            values = getattr(items.words(), name)
            return type_means(values, items.members(), *weights)[TYPE.index(axes["type"])]

        return _statistic(items, [axes["type"]], formula)

    return statistic


def _types_p(items: MontagueItems, axes: AxisValues) -> float:
    of_types = [MONTAGUE.of_all_units(items, f"{axes['test']}_{name}") for name in TYPES if name != "A"]
    return equality_p_value([one.value() for one in of_types], [one.resamples() for one in of_types])


def _pair(items: MontagueItems, axes: AxisValues) -> Statistic:
    first, second = (axis.index(axes[axis.name]) for axis in TYPE_PAIR)

    def formula(items: MontagueItems, *weights: Floats) -> Floats:
        shares: Floats
        if weights:
            shares = pair_shares(items.noun_pairs[0], items.members(), [first], *weights)[0][0, second]
        else:
            shares = items.shares_of_pairs[0][0][first, second]
        return shares

    return _statistic(items, axes.values(), formula)


def _of_type_pair(shares: Floats, axes: AxisValues) -> float:
    first, second = (axis.index(axes[axis.name]) for axis in TYPE_PAIR)
    return float(shares[first, second].item())


def _of_doubles(kind: str) -> Callable[[MontagueItems, AxisValues], float]:
    return lambda items, axes: _of_type_pair(items.shares_of_doubles[kind], axes)


def _of_synonyms(name: str) -> Callable[[MontagueItems, AxisValues], float]:
    """As `_mean_of_type`, with the synonyms of the words."""

    def value(items: MontagueItems, axes: AxisValues) -> float:
        means = type_means(getattr(items.synonyms(), name), items.members())
        return float(means[TYPE.index(axes["type"]), 0])

    return value


def _with_synonyms(score: Any, formula: str, source: str, value: Callable[[MontagueItems, AxisValues], float]) -> Any:
    """The synonym control of another field."""
    return like(
        score,
        f"{score.title}, synonym control",
        formula,
        source=f"{source}, with synonyms",
        key=f"{score.key}_synonym",
        compute=None,
        value=value,
    )


@dataclass(frozen=True)
class MontagueScores(Scores):
    """The scores of Montague modifier consistency; arrays over `TYPE` or over `TYPE_PAIR`."""

    montague_consistency: float = proportion(
        "agreement with the set semantics of adjectives",
        "mean of ½·[intersective S-I + 1 − mean intersective S-NI, NS-Pl, NS-Pr], mean pair S-I_X over X in S-NI, "
        "NS-Pl, NS-Pr with ties ½, and ½·[mean non_subsective NS-Pl, NS-Pr + 1 − mean non_subsective S-I, S-NI]; "
        "resampled are adjectives within their type, and nouns",
        direction="higher",
        chance=0.5,
        source="this project, from MONT Eqs. 3, 5 and 7",
        interval=True,
        compute=lambda items, _: _mean_of_terms(items, np.full(len(TERM.values), True)),
        smallest_effect=0.05,
    )
    montague_consistency_adjusted: float = like(
        montague_consistency,
        "that agreement, without what holds of every phrase",
        "mean of the terms of montague_consistency that are not saturated",
        source="this project",
        compute=_adjusted_consistency,
    )
    saturated: Floats = proportion(
        "whether a term tells no adjectives apart",
        "1 if it holds of all phrases or pairs, or of none, whatever the type of the adjective; such a term is ½",
        key="saturated_{term}",
        axes=(TERM,),
        value=lambda items, axes: items.saturated[TERM.index(axes["term"])],
    )
    intersective: Floats = proportion(
        "intersectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective), d(p, noun) ≤ d(adjective, noun); set theory has it so for S-I alone",
        source="MONT Eq. 3, Table 2",
        key="intersective_{type}",
        axes=(TYPE,),
        compute=_mean_of_type("intersective"),
    )
    intersective_synonym: Floats = _with_synonyms(
        intersective,
        "as intersective, with synonyms in the place of the words, not of the phrase",
        "MONT Eq. 3",
        _of_synonyms("intersective"),
    )
    intersective_double: Floats = proportion(
        "intersectivity of a phrase with two adjectives",
        "share of phrases p with every d(p, word) ≤ every d(word, other word)",
        source="MONT Eq. 3",
        key="intersective_{first_type}_{second_type}",
        axes=TYPE_PAIR,
        value=_of_doubles("words"),
    )
    intersective_double_synonym: Floats = _with_synonyms(
        intersective_double,
        "as intersective, with synonyms in the place of the words, not of the phrase",
        "MONT Eq. 3",
        _of_doubles("synonyms"),
    )
    partition: Floats = proportion(
        "intersectivity of a phrase with two adjectives, by its parts",
        "share of phrases p with every d(p, word) ≤ every d(word, the other two words as one text)",
        source="MONT Tables 3 and 6, as its code computes them",
        key="partition_{first_type}_{second_type}",
        axes=TYPE_PAIR,
        value=_of_doubles("parts"),
    )
    pair: Floats = proportion(
        "intersectivity of pairs of phrases",
        "share of d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2), the mean over n1 of the mean over the later n2, a1 of the first "
        "type and a2 ≠ a1 of the second",
        source="MONT Eq. 5, Tables 4 and 7",
        key="pair_{first_type}_{second_type}",
        axes=TYPE_PAIR,
        compute=_pair,
    )
    pair_synonym: Floats = _with_synonyms(
        pair,
        "as pair, with phrases that are made of synonyms of the words",
        "MONT Eq. 5",
        lambda items, axes: _of_type_pair(items.shares_of_pairs[1][0], axes),
    )
    pair_micro: Floats = proportion(
        "intersectivity of pairs of phrases, over all comparisons",
        "share of all comparisons with d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2)",
        source="MONT Eq. 5",
        key="pair_{first_type}_{second_type}_micro",
        axes=TYPE_PAIR,
        value=lambda items, axes: _of_type_pair(items.shares_of_pairs[0][1], axes),
    )
    pair_micro_synonym: Floats = _with_synonyms(
        pair_micro,
        "as pair …_micro, with phrases that are made of synonyms of the words",
        "MONT Eq. 5",
        lambda items, axes: _of_type_pair(items.shares_of_pairs[1][1], axes),
    )
    non_subsective: Floats = proportion(
        "non-subsectivity of a phrase with one adjective",
        "share of phrases p with d(p, adjective) ≤ d(p, noun); set theory has it so for NS-Pl and NS-Pr",
        source="MONT Eq. 7, Table 8",
        key="non_subsective_{type}",
        axes=(TYPE,),
        compute=_mean_of_type("non_subsective"),
    )
    non_subsective_synonym: Floats = _with_synonyms(
        non_subsective,
        "as non_subsective, with synonyms in the place of the words, not of the phrase",
        "MONT Eq. 7",
        _of_synonyms("non_subsective"),
    )
    types_p: Floats = proportion(
        "whether types of adjectives differ within the model",
        "p of equal shares for S-I, S-NI, NS-Pl and NS-Pr: how often resamples scatter as far from the shares as these "
        "from each other; the three adjectives of A are too few",
        source='this project; MONT: "no statistically significant difference between different adjective categories"',
        key="{test}_types_p",
        axes=(TEST,),
        value=_types_p,
    )
    adjective_weight: Floats = proportion(
        "the adjective's share in the distances of a phrase from adjective and noun",
        "mean of d(p, adjective) / [d(p, adjective) + d(p, noun)]; below ½ the phrase is nearer its adjective",
        source="MONT",
        key="adjective_weight_{type}",
        axes=(TYPE,),
        compute=_mean_of_type("adjective_weight"),
    )
    n_excluded_zero_vector: int = count(
        "phrases with a zero vector",
        "the vector of the phrase, or of a word of it, has no direction",
        value=lambda items, _: items.words().has_zero_vector.sum() + np.isnan(items.doubles.to_words).sum(),
    )
    n_excluded_zero_distance: int = count(
        "phrases without an adjective weight",
        "the phrase with one adjective, the adjective and the noun have the same direction",
        value=lambda items, _: (np.isnan(items.words().adjective_weight) & ~items.words().has_zero_vector).sum(),
    )


def _phrases(words: Iterable[Line], file: str) -> Iterator[PhraseRow]:
    """All phrases of the words of a vocabulary."""
    from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import phrase_rows, vocabulary_of

    return phrase_rows(vocabulary_of(words, file))


MONTAGUE = Measure(
    name="montague",
    version=6,
    package=__package__,
    published="published.csv",
    needs=PhraseRow,
    plan=montague_plan,
    main="montague_consistency",
    adjusted="montague_consistency_adjusted",
    unit="adjective",
    items=MontagueItems,
    scores=MontagueScores,
    view=montague_view,
    wording=Wording(
        question="A wild dog is a dog, a fake dog is none. Do the model's distances between phrases know that?",
        score="Its distances respect the set semantics of adjectives in {value} of all tests.",
        chance=Consequences(
            "Tossing a coin",
            above="Phrases lie where logic puts them more often than by chance.",
            below="Phrases lie where logic puts them less often than by chance.",
        ),
        right=(
            "A wild dog (S-I) should be nearer to both words than they are to each other; phrases of other types "
            "should not. Subsective phrases (S-I, S-NI) should be nearer to the noun than to the adjective; others not."
        ),
    ),
    made_of=(Word, _phrases),
    examples=(
        {"word": "wild", "type": "S-I", "synonym": "feral"},
        {"word": "dog", "type": "N", "synonym": "hound"},
    ),
)
