"""What ε-compositionality is computed from: how far words of compounds, and sentences with them, are from synonyms."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names, Texts, positions
from harness_ext.data.compounds import CompoundRow, slot_words
from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.measures.core.items import Items, Table, column, distance, text
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import Axis, AxisValues
from harness_ext.measures.core.view import View, first_rows, percentiles
from harness_ext.statistics.correlation import members, ranks, residuals
from harness_ext.statistics.distance import NO_DISTANCE

SLOT = Axis("slot", {"modifier": "only the compound's modifier is replaced", "head": "only its head is replaced"})


@dataclass(frozen=True)
class EpsilonSamples(Table):
    """One row per sample: a compound in a sentence, a slot of it, an ordered pair of synonyms for that slot."""

    row: Names = column("Id of the dataset's row: a compound in a sentence.")
    compound: Names = column("The compound.")
    slot: Names = column("Which word of the compound is replaced: modifier or head.")
    word: Names = column("b: the compound's own word in the slot.")
    synonym: Names = column("a: a synonym of it.")
    other_synonym: Names = column("a': another one.")
    with_word: Texts = text("bc: the sentence.")
    with_synonym: Texts = text("ac: the sentence with a in the slot.")
    with_other_synonym: Texts = text("a'c: the sentence with a' in the slot.")
    phrase_distance: Floats = distance("d(a, b) of the bare words, in [0, 2].", "synonym", "word")
    context_distance: Floats = distance("d(ac, bc) of the sentences with them, in [0, 2].", "with_synonym", "with_word")
    baseline_phrase_distance: Floats = distance("d(a, a') of the bare words, in [0, 2].", "synonym", "other_synonym")
    baseline_context_distance: Floats = distance(
        "d(ac, a'c) of the sentences with them, in [0, 2].", "with_synonym", "with_other_synonym"
    )

    @property
    def idiomaticity_epsilon(self) -> Floats:
        """ε(a, b, c), at least -1, shape (m,)."""
        return self.context_distance / self.phrase_distance - 1

    @property
    def baseline_epsilon(self) -> Floats:
        """ε(a, a', c), at least -1, shape (m,)."""
        return self.baseline_context_distance / self.baseline_phrase_distance - 1

    @property
    def has_zero_vector(self) -> Flags:
        """Whether one of the sample's vectors is zero and has no direction, shape (m,)."""
        return np.isnan(
            self.phrase_distance
            + self.context_distance
            + self.baseline_phrase_distance
            + self.baseline_context_distance
        )

    @property
    def has_zero_distance(self) -> Flags:
        """Whether a and b, or a and a', have the same direction, so that there is no ε, shape (m,)."""
        return np.minimum(self.phrase_distance, self.baseline_phrase_distance) <= NO_DISTANCE


@dataclass(frozen=True)
class EpsilonCompounds(Table):
    """One row per compound of the dataset, also of those without samples."""

    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC, from people's scores; empty where there are none.")
    zipf_modifier: Floats = column("Zipf frequency of its modifier; none where it is not listed.")
    zipf_head: Floats = column("That of its head.")
    zipf_synonyms: Floats = column("Mean of those of the synonyms of both words.")


@dataclass(frozen=True)
class EpsilonItems(Items):
    """The samples, and the compounds that they are of."""

    samples: EpsilonSamples
    compounds: EpsilonCompounds

    @cached_property
    def usable(self) -> EpsilonSamples:
        """The samples that have an ε and a baseline."""
        return self.samples[~(self.samples.has_zero_vector | self.samples.has_zero_distance)]

    def differences(self, axes: AxisValues) -> tuple[Names, Floats]:
        """Of the usable samples of a class, or of one slot in it: compound, and idiomaticity-ε − baseline-ε, (m,)."""
        samples = self.usable.at(axes)
        samples = samples[self.classes_of_samples(samples) == axes["class"]]
        return samples.compound, samples.idiomaticity_epsilon - samples.baseline_epsilon

    @cached_property
    def rank_shares(self) -> Floats:
        """W⁺/(W⁺+W⁻) of each compound, in [0, 1], NaN for one without usable samples, shape (number of compounds,)."""
        samples = self.usable
        difference = samples.idiomaticity_epsilon - samples.baseline_epsilon
        of_compound = positions(samples.compound, self.compounds.compound)
        return np.array([signed_rank_share(difference[own]) for own in members(of_compound, len(self.compounds))])

    def surface(self) -> list[Floats]:
        """What tells of each compound how the words look and how frequent they are, each of shape (k,).

        Letters of modifier and of head; mean Jaccard overlap of the character trigrams of a word and a synonym of it;
        Zipf frequency of modifier, head and synonyms.
        """
        letters = np.full((3, len(self.compounds)), np.nan)
        of_compound = positions(self.samples.compound, self.compounds.compound)
        for row, own in enumerate(members(of_compound, len(self.compounds))):
            used = self.samples[own]
            pairs = sorted({*zip(used.slot.tolist(), used.word.tolist(), used.synonym.tolist(), strict=True)})
            words = {slot: word for slot, word, _ in pairs}
            if pairs:
                overlap = np.mean([trigram_overlap(word, synonym) for _, word, synonym in pairs])
                letters[:, row] = *(float(len(words.get(slot, ""))) for slot in SLOT.values), overlap
        compounds = self.compounds
        return [*letters, compounds.zipf_modifier, compounds.zipf_head, compounds.zipf_synonyms]

    @cached_property
    def adjusted_rank_shares(self) -> Floats:
        """What least squares leave of `rank_shares` after `surface`, over all classes, shape (k,)."""
        scored = np.where(self.compounds.class_ == "", np.nan, self.rank_shares)
        return residuals(scored, *self.surface())

    def classes_of_samples(self, samples: EpsilonSamples) -> Names:
        """The class of the compound of each sample, shape (m,)."""
        return self.compounds.class_[positions(samples.compound, self.compounds.compound)]


def epsilon_view(items: EpsilonItems) -> View:
    """View compounds by their rank shares: of NC the lower, and of C the higher, the more wrong."""
    compounds, shares = items.compounds, items.rank_shares
    is_nc, is_c = compounds.class_ == "NC", compounds.class_ == "C"
    rank = percentiles(np.where(is_nc | is_c, shares, np.nan))
    facts = {"compound": compounds.compound, "class": compounds.class_}
    wrong = np.where(is_nc, 1 - rank, rank)
    return View(facts, {"rank share": shares}, wrong, first_rows(compounds.compound, items.samples))


def epsilon_plan(rows: Rows, _: str = "") -> EpsilonItems:
    """List all samples: a sentence, a slot of its compound, an ordered pair of synonyms for that slot.

    A word is put into the sentence as it is: sentences that the dataset's authors edited are not used. The synonyms of
    a slot are the distinct words at this place in the word-by-word replacements, without the compound's own word. A
    compound or a replacement that is not two words gives no sample.
    """
    in_context: list[CompoundRow] = rows  # type: ignore[assignment]
    samples = [  # the columns of a plan, in their order: words b, a, a', then the sentences with them
        (row["id"], row["compound"], slot, *words, *(_with_word(row, place, word) for word in words))
        for row in in_context
        if row["class"] is not None
        for place, (slot, (word, *synonyms)) in enumerate(zip(SLOT.values, slot_words(row), strict=False))
        for words in ((word, *pair) for pair in permutations(synonyms, 2))
    ]
    classes = {row["compound"]: row["class"] or "" for row in in_context}
    frequencies = _word_frequencies(in_context)
    compounds = EpsilonCompounds.of_rows(zip(classes, classes.values(), *frequencies, strict=True))
    return EpsilonItems(EpsilonSamples.of_rows(samples), compounds)


def _with_word(row: CompoundRow, place: int, word: str) -> str:
    words = row["sentence"].split()
    words[row["span"][0] + place] = word
    return " ".join(words)


def _word_frequencies(rows: list[CompoundRow]) -> Floats:
    """The Zipf frequencies of modifier, head and, as their mean, the synonyms of each compound, shape (3, k).

    Compounds are in the order of first occurrence; a compound has the words of all its rows.
    """
    slots: dict[str, list[dict[str, None]]] = {}
    for row in rows:
        own = slots.setdefault(row["compound"], [{}, {}])
        for seen, words in zip(own, slot_words(row), strict=False):
            seen.update(dict.fromkeys(words))
    frequencies = np.full((3, len(slots)), np.nan)
    for column_, own in enumerate(slots.values()):
        if all(own):
            (modifier, *first), (head, *second) = own
            synonyms = [zipf_frequency(word) for word in (*first, *second)]
            frequencies[:, column_] = zipf_frequency(modifier), zipf_frequency(head), np.mean(synonyms or [np.nan])
    return frequencies


def trigram_overlap(one: str, other: str) -> float:
    """The Jaccard overlap of the character trigrams of two words, each with a blank on either side, in [0, 1].

    Examples:
        >>> trigram_overlap("dark", "darker")  # " da" "dar" "ark" of seven trigrams
        0.42857142857142855
    """
    first, second = ({f" {word} "[start : start + 3] for start in range(len(word))} for word in (one, other))
    return len(first & second) / len(first | second)


def signed_rank_share(differences: Floats) -> float:
    """W⁺ / (W⁺ + W⁻) of the Wilcoxon signed-rank statistic: 1 if every difference is positive, 0.5 by chance.

    Zero differences count half to either side, so that an encoder that sees no difference at all is at chance. NaN
    if there are no differences.

    Examples:
        >>> signed_rank_share(np.array([3.0, -1.0, 2.0]))  # ranks 3, 1, 2: W⁺ = 5, W⁻ = 1
        0.8333333333333334
    """
    return float(rank_share_of(differences, np.ones((1, len(differences))))[0])


def rank_share_of(differences: Floats, times: Floats) -> Floats:
    """`signed_rank_share` of samples with each difference so many times, shapes (n,) and (m, n) -> (m,)."""
    wins = (times * ranks(np.abs(differences), times)) @ ((np.sign(differences) + 1) / 2)
    n = times.sum(axis=1)
    with np.errstate(invalid="ignore"):  # 0 / 0: no differences
        share: Floats = wins / (n * (n + 1) / 2)
    return share
