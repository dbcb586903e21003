"""Items of given vectors: a text is the number of its vector's row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from harness_ext.evaluators import montague_items as montague
from harness_ext.evaluators.caption_swap import CaptionSwapItems, CaptionTriplets
from harness_ext.evaluators.epsilon import EpsilonCompounds, EpsilonItems, EpsilonSamples
from harness_ext.evaluators.idiom_paraphrase import IdiomParaphraseItems, RemovedRows, RewriteTriples
from harness_ext.evaluators.montague_items import (
    MontagueAdjectives,
    MontagueDoubles,
    MontagueItems,
    MontagueNouns,
    MontaguePairs,
    MontaguePhrases,
    MontagueSingles,
    montague_fill,
)
from harness_ext.evaluators.pair_similarity import PairSimilarities, PairSimilarityItems
from harness_ext.evaluators.similarity import Similarities, SimilarityItems, standardised_fill
from harness_ext.evaluators.type_token import AloneSimilarities, SentencePairs, TypeTokenItems
from harness_ext.framework.fill import fill
from harness_ext.framework.texts import Span, Sum, Text


@dataclass(frozen=True)
class Given:
    """An encoder whose texts, or sentences of spans, are rows of given vectors; some may have names."""

    vectors: np.ndarray
    spans: np.ndarray | None = None
    names: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_spans(self) -> bool:
        return self.spans is not None

    def __call__(self, texts: list[str]) -> np.ndarray:
        return self.vectors[[self.names[text] if text in self.names else int(text) for text in texts]]

    def with_spans(self, texts: list[str], spans: list[Span], **_: Any) -> tuple[np.ndarray, np.ndarray]:
        assert self.spans is not None
        return self(texts), self.spans[[int(span.sentence) for span in spans]]


def row(number: int, level: str = "sentence") -> Text:
    """The text whose vector is that row."""
    return str(number) if level == "sentence" else Span(str(number), 0, 1)


def texts(numbers: Sequence[int], level: str = "sentence") -> list[Text]:
    return [row(number, level) for number in numbers]


def caption_swap_items(vectors, comparisons, names, shares_more):
    caption, paraphrase, negative = (texts(numbers) for numbers in comparisons.T)
    table = CaptionTriplets(*names.T, shares_more, caption=caption, paraphrase=paraphrase, negative=negative)
    return fill(CaptionSwapItems(table), Given(vectors))


def idiom_paraphrase_items(vectors, comparisons, rows, n_changed, removed: RemovedRows):
    sentence, entailed, not_entailed = (texts(numbers) for numbers in comparisons.T)
    table = RewriteTriples(rows, n_changed, sentence=sentence, entailed=entailed, not_entailed=not_entailed)
    return fill(IdiomParaphraseItems(table, removed), Given(vectors))


def pair_similarity_items(vectors, comparisons, names, people):
    first, second = (texts(numbers) for numbers in comparisons.T)
    ids, kind, group = names.T
    table = PairSimilarities(ids, *comparisons.T, kind, group, people, first=first, second=second)
    return fill(PairSimilarityItems(table), Given(vectors))


@dataclass(frozen=True)
class EpsilonComparisons:
    """Names (row, compound, slot, b, a, a') and rows of b, a and a', as words and in their sentences."""

    names: np.ndarray
    phrase: np.ndarray
    context: np.ndarray


def epsilon_items(vectors, comparisons: EpsilonComparisons, compounds: EpsilonCompounds) -> EpsilonItems:
    b, a, other = (texts(numbers) for numbers in comparisons.context.T)
    samples = EpsilonSamples(*comparisons.names.T, with_word=b, with_synonym=a, with_other_synonym=other)
    words = dict(zip(comparisons.names[:, 3:].ravel().tolist(), comparisons.phrase.ravel().tolist(), strict=True))
    return fill(EpsilonItems(samples, compounds), Given(vectors, names=words))


@dataclass(frozen=True)
class SimilarityComparisons:
    """Names (row, compound, probe, expression) and rows of the originals and of what replaces them."""

    names: np.ndarray
    original: np.ndarray
    replaced: np.ndarray


def similarity_items(
    vectors: Mapping[str, np.ndarray], comparisons: SimilarityComparisons, sentences, compounds
) -> SimilarityItems:
    names = comparisons.names.T
    parts = [
        Similarities(
            *names[:2],
            [level] * len(comparisons.names),
            *names[2:],
            original=texts(comparisons.original, level),
            replaced=texts(comparisons.replaced, level),
        )
        for level in vectors
    ]
    columns = {name: [value for part in parts for value in getattr(part, name)] for name in vars(parts[0])}
    plan = SimilarityItems(Similarities(**columns), sentences, compounds)
    return standardised_fill(plan, Given(*vectors.values()))


@dataclass(frozen=True)
class TypeTokenComparisons:
    """Rows of compounds and their words alone, and of sentences, as the fields of the measure's tables name them."""

    compounds: np.ndarray
    compound: np.ndarray
    word: np.ndarray
    word_of: np.ndarray
    rows: np.ndarray
    sentence: np.ndarray
    compound_of: np.ndarray


def type_token_items(vectors, at: TypeTokenComparisons, sentences, compounds, *, spans: bool) -> TypeTokenItems:
    """The same vectors at both levels."""

    def words(place: int, level: str) -> Sum:
        return Sum(tuple(texts(at.word[at.word_of == place], level)))

    alone = [
        ("phrase_additivity", "", name, row(number), words(place, "sentence"))
        for place, (name, number) in enumerate(zip(at.compounds, at.compound, strict=True))
    ]
    inside = list(zip(at.rows, at.sentence, at.compound_of, strict=True))
    alone += [
        ("nc_out", name, at.compounds[of], row(number, "span"), row(at.compound[of], "span"))
        for name, number, of in inside
    ]
    alone += [
        ("nc_out_comp", name, at.compounds[of], row(number, "span"), words(of, "span")) for name, number, of in inside
    ]
    groups = [[each for each in inside if each[2] == place] for place in range(len(at.compounds))]
    pairs = [
        (level, at.compounds[one[2]], one[0], other[0], row(one[1], level), row(other[1], level))
        for level in ("sentence", "span")
        for group in groups
        if len(group) >= 3
        for one, other in combinations(group, 2)
    ]
    plan = TypeTokenItems(AloneSimilarities.of_rows(alone), SentencePairs.of_rows(pairs), sentences, compounds)
    return fill(plan, Given(vectors, vectors if spans else None), layer_pooling="concatenate")


@dataclass(frozen=True)
class GivenPhrases(MontaguePhrases):
    """Phrases whose texts are rows of vectors, with the words of their tables."""

    texts: list[str] = field(default_factory=list, kw_only=True)
    adjectives: MontagueAdjectives = field(kw_only=True)
    nouns: MontagueNouns = field(kw_only=True)


def montague_items(vectors, phrases: GivenPhrases) -> MontagueItems:
    a, n = phrases.adjectives.adjective.tolist(), phrases.nouns.noun.tolist()
    doubles = [(one, other, noun) for one in a for other in a for noun in n if one != other]
    pairs = [(one, *pair) for pair in combinations(n, 2) for one in a] if listed(a, n) else []
    plan = MontagueItems(
        phrases.adjectives,
        phrases.nouns,
        MontagueSingles.of_rows((one, noun) for one in a for noun in n),
        MontagueDoubles.of_rows(doubles if phrases.double is not None else []),
        MontaguePairs.of_rows(pairs),
        phrases=replace(phrases, texts=[str(number) for number in range(len(vectors))]),
    )
    return montague_fill(plan, Given(vectors))


def listed(adjectives: list[str], nouns: list[str]) -> bool:
    return len(adjectives) * len(nouns) * (len(nouns) - 1) / 2 <= montague._MAX_LISTED_PAIRS
