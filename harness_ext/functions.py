"""The measures as functions, for who has vectors and no harness: a function from texts to vectors in, scores out.

Each takes the same data as the task of its measure, and gives the same items and scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import mteb
from mteb.abstasks import AbsTask
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.timing import TimingStack
from numpy.typing import ArrayLike

from harness_ext.encoders.texts import EncodingError
from harness_ext.evaluators.affinity import AFFINITY, AffinityScores
from harness_ext.evaluators.caption_swap import CAPTION_SWAP, CaptionSwapItems, CaptionSwapScores
from harness_ext.evaluators.epsilon import EPSILON, EpsilonItems, EpsilonScores
from harness_ext.evaluators.gain_keys import gain_key, p_value_key, words_key
from harness_ext.evaluators.idiom_paraphrase import IDIOM_PARAPHRASE, IdiomParaphraseItems, IdiomParaphraseScores
from harness_ext.evaluators.items import Items
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.montague import MONTAGUE, MontagueScores
from harness_ext.evaluators.montague_items import MontagueItems
from harness_ext.evaluators.pair_similarity import (
    ROLE_SWAP,
    TRANSITIVE,
    PairSimilarityItems,
    RoleSwapScores,
    TransitiveScores,
)
from harness_ext.evaluators.polarity import POLARITY, PolarityScores
from harness_ext.evaluators.polarity_items import PolarityItems
from harness_ext.evaluators.scaled_similarity import SCALED_SIMILARITY, ScaledSimilarityScores
from harness_ext.evaluators.scores import Scores, interval_keys
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.evaluators.tree_reconstruction_error import TREE_RECONSTRUCTION, TreeItems, TreeScores
from harness_ext.evaluators.type_token import TYPE_TOKEN, TypeTokenItems, TypeTokenScores
from harness_ext.tasks.abstask import AbsTaskCompositionality

if TYPE_CHECKING:

    class EncodesTexts(Protocol):
        """An object with a method `encode`, such as a `SentenceTransformer`."""

        def encode(self, texts: list[str], /) -> ArrayLike:
            """Texts -> one vector per text."""
            ...

    Encode = Callable[[list[str]], ArrayLike] | EncodesTexts
    EncodeSpans = Callable[[list[str], list[tuple[int, int]]], ArrayLike]
    Task = str | AbsTask | type[AbsTask]

AnyItems = TypeVar("AnyItems", bound=Items)
AnyScores = TypeVar("AnyScores", bound=Scores)


@dataclass(frozen=True)
class Measured(Generic[AnyItems, AnyScores]):
    """The scores of a measure, and the items they were computed from.

    Attributes:
        scores: All scores, by name; NaN for a score without data. `scores.flat()` has the defined scores by the keys
            of docs/measures.md.
        items: One row per comparison: `items.tables()`.
        interval: The ends of the 95 % interval of the main score.
        words_items: The items of the encoder's own words, see docs/words.md; None for a measure that has none.
        words: The main score of the own words; NaN where it is not defined.
        gain: The main score minus the score of the own words.
        gain_interval: The ends of its 95 % interval.
        gain_p_value: Two-sided, that there is no gain.
    """

    scores: AnyScores
    items: AnyItems
    interval: tuple[float, float]
    words_items: AnyItems | None = None
    words: float = math.nan
    gain: float = math.nan
    gain_interval: tuple[float, float] = (math.nan, math.nan)
    gain_p_value: float = math.nan

    def _repr_html_(self) -> str:
        low, high = self.interval
        return f"{self.scores._repr_html_()}<p>95 % interval of the main score: [{low:.3f}, {high:.3f}]</p>"

    def __eq__(self, other: object) -> bool:
        """Whether the items are the same, from which the scores and the interval follow."""
        return isinstance(other, Measured) and (
            (type(self.scores), self.scores.flat(), self.items.digest())
            == (type(other.scores), other.scores.flat(), other.items.digest())
        )


def epsilon_compositionality(
    encode: Encode, *, split: str = "naturalistic", task: Task = "EpsilonCompositionality"
) -> Measured[EpsilonItems, EpsilonScores]:
    """Does a word in an idiom resist its synonyms? The ε test (Wold, Simon, Velldal and Øvrelid).

    Args:
        encode: Distinct texts -> one vector per text, in their order, shape (n, d): numpy, torch or lists. Called once.
            An object is asked through its method `encode`, such as that of a `SentenceTransformer`.
        split: Of the data: `naturalistic` or `neutral`.
        task: Whose data, by name, class or object: `EpsilonCompositionality`, or `EpsilonCompositionalityMini`, which
            needs no download.

    Raises:
        TypeError: `encode` cannot be called and has no method `encode`, or `task` is no task.
        KeyError: There is no task of that name.
        ValueError: The task has another measure, there is no such split, `encode` changed its list of texts, or
            the vectors cannot be used; says why.
        SourceError: The data cannot be had.

    Examples:
        >>> import numpy as np
        >>> letters = lambda texts: [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        >>> found = epsilon_compositionality(letters, task="EpsilonCompositionalityMini")
        >>> bool(found.interval[0] < found.scores.auc_nc_vs_c < found.interval[1])
        True
    """
    return _measured(EPSILON, task, split, "en", encode)


def affinity(
    encode: Encode,
    *,
    encode_spans: EncodeSpans | None = None,
    split: str = "naturalistic",
    subset: str = "en",
    task: Task = "NounCompoundAffinity",
) -> Measured[SimilarityItems, AffinityScores]:
    """Is a synonym of the whole compound nearer in meaning than synonyms of its words? (NCIMP, Affinity).

    Args:
        encode: As for `epsilon_compositionality`.
        encode_spans: Sentences, and the first and the end of the words of each, split at blanks and counted from 0 ->
            one vector per sentence, of those words in it; without, there are no scores of spans.
        split: `naturalistic` or `neutral`.
        subset: The language, `en`, `pt` or `it`.
        task: `NounCompoundAffinity` or `NounCompoundAffinityMini`.

    Raises:
        ValueError, SourceError: As `epsilon_compositionality`.
    """
    return _measured(AFFINITY, task, split, subset, encode, encode_spans)


def scaled_similarity(
    encode: Encode,
    *,
    encode_spans: EncodeSpans | None = None,
    split: str = "naturalistic",
    subset: str = "en",
    task: Task = "NounCompoundScaledSimilarity",
) -> Measured[SimilarityItems, ScaledSimilarityScores]:
    """How near do synonyms keep a sentence to itself, on the scale from unrelated expressions? (NCIMP, Sim_R).

    Arguments and errors are those of `affinity`; the tasks are `NounCompoundScaledSimilarity` and the same with `Mini`.
    """
    return _measured(SCALED_SIMILARITY, task, split, subset, encode, encode_spans)


def type_token_idiomaticity(
    encode: Encode,
    *,
    encode_spans: EncodeSpans | None = None,
    split: str = "naturalistic",
    subset: str = "en",
) -> Measured[TypeTokenItems, TypeTokenScores]:
    """Do similarities of compounds and their words go with people's scores of their types and tokens? (NCTTI).

    Arguments and errors are those of `affinity`; there is no Italian.
    """
    return _measured(TYPE_TOKEN, "TypeTokenIdiomaticity", split, subset, encode, encode_spans)


def montague_consistency(
    encode: Encode, *, task: Task = "MontagueConsistency"
) -> Measured[MontagueItems, MontagueScores]:
    """Do vectors of adjectives and nouns combine as the types of adjectives in set theory say? (MONT).

    Args:
        encode: As for `epsilon_compositionality`.
        task: `MontagueConsistency`, or `MontagueConsistencyFast`, which has the phrases of one adjective alone.

    Raises:
        ValueError: As `epsilon_compositionality`.
    """
    return _measured(MONTAGUE, task, "test", None, encode)


def polarity_sensitivity(
    encode: Encode, *, split: str = "reference", task: Task = "PolaritySensitivity"
) -> Measured[PolarityItems, PolarityScores]:
    """Does a classifier on the vectors tell both of a pair that a few words turn from praise to blame? (PSS).

    Args:
        encode: As for `epsilon_compositionality`.
        split: The protocol, see `harness-ext tasks` and docs/tasks.md.
        task: `PolaritySensitivity`, or `PolaritySensitivityMini`, whose split is `mini`.

    Raises:
        ValueError, SourceError: As `epsilon_compositionality`.
    """
    return _measured(POLARITY, task, split, None, encode)


def tree_reconstruction(
    encode: Encode, *, split: str = "dev_words_from_train", task: Task = "TreeReconstruction"
) -> Measured[TreeItems, TreeScores]:
    """How much of a sentence vector is no sum of word vectors, and does that go with the sentiment of its tree? (TRE).

    Args:
        encode: As for `epsilon_compositionality`.
        split: The protocol.
        task: `TreeReconstruction`, or `TreeReconstructionMini`, whose split is `test`.

    Raises:
        ValueError: As `epsilon_compositionality`, or the vectors are reconstructed exactly.
        SourceError: As there.
    """
    return _measured(TREE_RECONSTRUCTION, task, split, None, encode)


def role_swap_similarity(
    encode: Encode, *, task: Task = "RoleSwapSimilarity"
) -> Measured[PairSimilarityItems, RoleSwapScores]:
    """Who did what to whom? Do cosines follow people where the same words have other roles? (STS3k).

    Args:
        encode: As for `epsilon_compositionality`.
        task: `RoleSwapSimilarity` or `RoleSwapSimilarityMini`.

    Raises:
        ValueError, SourceError: As `epsilon_compositionality`.
    """
    return _measured(ROLE_SWAP, task, "test", None, encode)


def transitive_similarity(
    encode: Encode, *, subset: str = "gs2011", task: Task = "TransitiveSimilarity"
) -> Measured[PairSimilarityItems, TransitiveScores]:
    """Do cosines of sentences of subject, verb and object follow people's similarity? (GS2011, KS2013).

    Arguments and errors are those of `role_swap_similarity`; the subset is `gs2011` or `ks2013`.
    """
    return _measured(TRANSITIVE, task, "test", subset, encode)


def caption_swap(encode: Encode, *, task: Task = "CaptionSwap") -> Measured[CaptionSwapItems, CaptionSwapScores]:
    """Is a caption nearer to its paraphrase than either is to a caption with swapped words? (SugarCrepe++).

    Arguments and errors are those of `role_swap_similarity`.
    """
    return _measured(CAPTION_SWAP, task, "all", None, encode)


def idiom_paraphrase(
    encode: Encode, *, split: str = "idioms", task: Task = "IdiomParaphrase"
) -> Measured[IdiomParaphraseItems, IdiomParaphraseScores]:
    """Is a sentence with a verbal idiom nearer to what it means than to what it says? (IMPLI).

    Arguments and errors are those of `role_swap_similarity`; the split is `idioms`, `antonyms`, `metaphors`, `magpie`,
    `pie` or `semeval`.
    """
    return _measured(IDIOM_PARAPHRASE, task, split, None, encode)


def _measured(
    measure: Measure[Any],
    task: Task,
    split: str,
    subset: str | None,
    encode: Encode,
    encode_spans: EncodeSpans | None = None,
) -> Measured[Any, Any]:
    model: Any = _Model(encode, encode_spans)
    ours = _own_task(measure, task)
    ours.filter_eval_splits([split])
    if not ours.metadata.is_multilingual:
        subset = None
    elif subset in ours.hf_subsets:
        ours.hf_subsets = [subset]  # the files of the others need not be there
    else:
        raise ValueError(f"{ours.metadata.name} has no subset {subset!r}. There are: {', '.join(ours.hf_subsets)}.")
    ours.load_data()
    place = split, subset or "default"
    rows = ours.rows(*place)
    seen = ours.encoder(model, *place, {}, TimingStack())
    items = ours.compare(rows, seen)
    about_gain = ours.own_words_scores(rows, seen, items)
    gain = gain_key(measure.main)
    low, high = (about_gain.get(key, math.nan) for key in interval_keys(gain))
    return Measured(
        measure.score(items),
        items,
        measure.interval(items, measure.main),
        ours.words_items.get(place),
        about_gain.get(words_key(measure.main), math.nan),
        about_gain.get(gain, math.nan),
        (low, high),
        about_gain.get(p_value_key(gain), math.nan),
    )


def _own_task(measure: Measure[Any], task: Task) -> AbsTaskCompositionality:
    """A task of a measure, from a name, a class or an object, which stays as it is."""
    found: Any
    if isinstance(task, str):
        found = mteb.get_task(task)
    elif isinstance(task, AbsTask):
        found = type(task)(seed=task.seed)
    elif isinstance(task, type) and issubclass(task, AbsTask):
        found = task()
    else:
        raise TypeError(f"task is {task!r}: pass a task's name, its class, or an object of it; or leave it out.")
    if getattr(found, "measure", None) is not measure:
        raise ValueError(f"{found.metadata.name} is no task of the measure {measure.name}.")
    ours: AbsTaskCompositionality = found
    return ours


class _Model(AbsEncoder):
    """A function, or an object with a method `encode`, as a model of mteb."""

    def __init__(self, encode: Encode, encode_spans: EncodeSpans | None) -> None:
        # a SentenceTransformer can be called too, but with tokens
        function: Any = encode if isinstance(encode, str) else getattr(encode, "encode", encode)
        if not callable(function) or hasattr(encode, "mteb_model_meta"):
            raise TypeError(
                f"encode is {encode!r}: pass a function from a list of texts to vectors, or an object whose method "
                "`encode` is one, such as a SentenceTransformer. For a model of mteb, call mteb.evaluate."
            )
        self._encode = function
        self._name = f"local/{getattr(encode, '__name__', type(encode).__name__)}"
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": self._name})
        if encode_spans:
            self.encode_spans = lambda *given: self._unchanged(encode_spans, *given)  # which tasks ask a model for

    def encode(self, inputs: Any, **_: Any) -> Any:
        return self._unchanged(self._encode, [text for batch in inputs for text in batch["text"]])

    def _unchanged(self, function: Callable[..., Any], *given: list[Any]) -> Any:
        """Call a function with lists of its own, and refuse what it returns if it changed one."""
        own = [list(each) for each in given]
        returned = function(*own)
        if own != [*given]:
            raise EncodingError(
                f"{self._name} changed the list that it was given, by sorting it perhaps, so that its "
                "vectors may be in another order than the texts. Let it work on a copy: texts = list(texts)."
            )
        return returned
