"""The lists of columns that overall places are over: a model with a score in every column of a list has a place on it.

A list has all columns of the full tasks that are measured by default, in English or in all languages. Exploratory tasks
stay out, and `MergeOpposites`, which asks for a use of vectors. A list changes with a release alone.
"""

from collections.abc import Mapping
from typing import NamedTuple


class ListedColumn(NamedTuple):
    """A column of a list, on the data that its task pins.

    Attributes:
        task: The name of the task.
        subset: The subset.
        measure: The measure with its version, as in signatures.
        splits: The split; of several, the first that a model was measured in counts.
    """

    task: str
    subset: str
    measure: str
    splits: tuple[str, ...]


NATURALISTIC = "naturalistic", "naturalistic_rebuilt"
"""The authors' sentences, or else the same sentences from a public table, without some hand-edited articles."""

_ENGLISH = (
    ListedColumn("EpsilonCompositionality", "en", "epsilon-7", NATURALISTIC),
    ListedColumn("CompoundParaphrase", "en", "expression_paraphrase-5", ("train",)),
    ListedColumn("NounCompoundAffinity", "en", "affinity-7", NATURALISTIC),
    ListedColumn("NounCompoundAffinity", "en", "affinity-7", ("neutral",)),
    ListedColumn("NounCompoundScaledSimilarity", "en", "scaled_similarity-8", NATURALISTIC),
    ListedColumn("NounCompoundScaledSimilarity", "en", "scaled_similarity-8", ("neutral",)),
    ListedColumn("TypeTokenIdiomaticity", "en", "type_token-7", NATURALISTIC),
    ListedColumn("MontagueConsistency", "default", "montague-6", ("test",)),
    ListedColumn("PolaritySensitivity", "default", "polarity-8", ("reference_trained_on_dev",)),
    ListedColumn("CaptionSwap", "default", "caption_swap-6", ("all",)),
    ListedColumn("RoleSwapSimilarity", "default", "role_swap-5", ("test",)),
    ListedColumn("TransitiveSimilarity", "gs2011", "transitive_similarity-5", ("test",)),
    ListedColumn("TransitiveSimilarity", "ks2013", "transitive_similarity-5", ("test",)),
    ListedColumn("IdiomParaphrase", "default", "idiom_paraphrase-5", ("idioms",)),
    ListedColumn("IdiomParaphrase", "default", "idiom_paraphrase-5", ("antonyms",)),
    ListedColumn("IdiomParaphrase", "default", "idiom_paraphrase-5", ("metaphors",)),
    ListedColumn("IdiomRetrieval", "default", "idiom_retrieval-4", ("test",)),
)

LISTS: Mapping[str, tuple[ListedColumn, ...]] = {
    "english": _ENGLISH,
    "all": (
        *_ENGLISH,
        ListedColumn("CompoundParaphrase", "pt", "expression_paraphrase-5", ("train",)),
        ListedColumn("NounCompoundAffinity", "pt", "affinity-7", ("naturalistic",)),
        ListedColumn("NounCompoundAffinity", "pt", "affinity-7", ("neutral",)),
        ListedColumn("NounCompoundAffinity", "it", "affinity-7", ("naturalistic",)),
        ListedColumn("NounCompoundAffinity", "it", "affinity-7", ("neutral",)),
        ListedColumn("NounCompoundScaledSimilarity", "pt", "scaled_similarity-8", ("naturalistic",)),
        ListedColumn("NounCompoundScaledSimilarity", "pt", "scaled_similarity-8", ("neutral",)),
        ListedColumn("NounCompoundScaledSimilarity", "it", "scaled_similarity-8", ("naturalistic",)),
        ListedColumn("NounCompoundScaledSimilarity", "it", "scaled_similarity-8", ("neutral",)),
        ListedColumn("TypeTokenIdiomaticity", "pt", "type_token-7", ("naturalistic",)),
        ListedColumn("TokenIdiomaticity", "de", "token_idiomaticity-5", ("test",)),
        ListedColumn("TokenIdiomaticity", "it", "token_idiomaticity-5", ("test",)),
        ListedColumn("TokenIdiomaticity", "tr", "token_idiomaticity-5", ("test",)),
    ),
}
"""Name -> its columns."""
