"""The measures as functions, for who has vectors and no harness: a function from texts to vectors in, scores out.

Each takes the same data as the task of its measure, and gives the same items and scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import mteb
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.timing import TimingStack

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.evaluators.affinity import AFFINITY, AffinityScores
from harness_ext.evaluators.epsilon import EPSILON, EpsilonItems, EpsilonScores
from harness_ext.evaluators.items import Items
from harness_ext.evaluators.montague import MONTAGUE, MontagueScores
from harness_ext.evaluators.polarity import POLARITY, PolarityScores
from harness_ext.evaluators.scaled_similarity import SCALED_SIMILARITY, ScaledSimilarityScores
from harness_ext.evaluators.scores import Scores
from harness_ext.evaluators.statistics.bootstrap import percentile_interval
from harness_ext.evaluators.tree_reconstruction_error import TREE_RECONSTRUCTION, TreeItems, TreeScores
from harness_ext.evaluators.type_token import TYPE_TOKEN, TypeTokenItems, TypeTokenScores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from harness_ext.evaluators.measure import Measure
    from harness_ext.evaluators.montague_items import MontagueItems
    from harness_ext.evaluators.polarity_items import PolarityItems
    from harness_ext.evaluators.similarity import SimilarityItems
    from harness_ext.tasks.abstask import AbsTaskCompositionality

    Encode = Callable[[list[str]], ArrayLike]
    EncodeSpans = Callable[[list[str], list[tuple[int, int]]], ArrayLike]

AnyItems = TypeVar("AnyItems", bound=Items)
AnyScores = TypeVar("AnyScores", bound=Scores)


@dataclass(frozen=True)
class Measured(Generic[AnyItems, AnyScores]):
    """What a measure found.

    Attributes:
        scores: All scores, by name; NaN for those that nothing is left to compute from. `scores.flat()` has them by the
            keys of docs/measures.md, without those.
        items: What they were computed from, one row per comparison: `items.tables()`.
        interval: The ends of the 95 % interval of the main score.
    """

    scores: AnyScores
    items: AnyItems
    interval: tuple[float, float]


def epsilon_compositionality(
    encode: Encode, *, split: str = "naturalistic", task: str = "EpsilonCompositionality"
) -> Measured[EpsilonItems, EpsilonScores]:
    """Does a word in an idiom resist its synonyms? The ε test (Wold, Simon, Velldal and Øvrelid).

    Args:
        encode: Distinct texts -> one vector per text, in their order, shape (n, d): numpy, torch or lists. Called once.
        split: Of the data: `naturalistic` or `neutral`.
        task: Whose data: `EpsilonCompositionality`, or `EpsilonCompositionalityMini`, which needs no download.

    Raises:
        ValueError: The task is one of another measure, there is no such split, or the vectors cannot be used; says why.
        SourceError: The data cannot be had.

    Examples:
        >>> import numpy as np
        >>> letters = lambda texts: [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        >>> found = epsilon_compositionality(letters, task="EpsilonCompositionalityMini")
        >>> bool(found.interval[0] < found.scores.auc_nc_vs_c < found.interval[1])
        True
    """
    return _measured(EPSILON, task, split, None, encode)


def affinity(
    encode: Encode,
    *,
    encode_spans: EncodeSpans | None = None,
    split: str = "naturalistic",
    subset: str = "en",
    task: str = "NounCompoundAffinity",
) -> Measured[SimilarityItems, AffinityScores]:
    """Is a sentence nearer to the one with its compound's synonym than to that with its words'? (NCIMP, Affinity).

    Args:
        encode: As for `epsilon_compositionality`.
        encode_spans: Sentences, and the first and the end of the words of each, split at blanks and counted from 0 ->
            one vector per sentence, of those words in it; without, there are no scores of spans.
        split: `naturalistic` or `neutral`.
        subset: The language, `en` or `pt`.
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
    task: str = "NounCompoundScaledSimilarity",
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

    Arguments and errors are those of `affinity`.
    """
    return _measured(TYPE_TOKEN, "TypeTokenIdiomaticity", split, subset, encode, encode_spans)


def montague_consistency(
    encode: Encode, *, task: str = "MontagueConsistency"
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
    encode: Encode, *, split: str = "reference", task: str = "PolaritySensitivity"
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
    encode: Encode, *, split: str = "dev_words_from_train", task: str = "TreeReconstruction"
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


def _measured(
    measure: Measure[Any],
    name: str,
    split: str,
    subset: str | None,
    encode: Encode,
    encode_spans: EncodeSpans | None = None,
) -> Measured[Any, Any]:
    task: AbsTaskCompositionality
    task = mteb.get_task(name, eval_splits=[split])  # type: ignore[assignment]
    if getattr(task, "measure", None) is not measure:
        raise ValueError(f"{name} is no task of the measure {measure.name}.")
    if task.metadata.is_multilingual:
        if subset not in task.hf_subsets:
            raise ValueError(f"{name} has no subset {subset!r}. There are: {', '.join(task.hf_subsets)}.")
        task.hf_subsets = [subset]  # the files of the others need not be there
    task.load_data()
    data: Any = task.dataset
    rows = (data[subset] if task.metadata.is_multilingual else data)[split].to_list()
    model: Any = _Model(encode)
    if encode_spans:
        model.encode_spans = encode_spans  # what a task asks a model for
    seen = TaskEncoder(
        model, task.metadata, hf_split=split, hf_subset=subset or "default", encode_kwargs={}, timer=TimingStack()
    )
    items = task.compare(rows, seen)
    return Measured(measure.score(items), items, percentile_interval(measure.resamples(items, measure.main)))


class _Model(AbsEncoder):
    """A function as a model of mteb."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        name = f"local/{getattr(encode, '__name__', type(encode).__name__)}"
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": name})

    def encode(self, inputs: Any, **_: Any) -> Any:
        return self._encode([text for batch in inputs for text in batch["text"]])
