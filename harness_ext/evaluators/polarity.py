"""Polarity sensitivity: does a sentence vector change sides when the sentence does?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193. A
sentiment classifier is trained on sentence vectors. PSS is the share of pairs of opposite polarity of which both
sentences are labelled correctly; accuracy is that on held-out sentences; relative PSS is their ratio.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from harness_ext.evaluators.bootstrap import interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

NEGATIVE, POSITIVE = 0, 1
DIRECTIONS = ("neg_to_pos", "pos_to_neg")
"""By the label of the original."""

_HIDDEN_UNITS = (500, 100)
_MAX_EPOCHS = 100


@dataclass(frozen=True)
class PolarityItems:
    """What is learned from and what is asked; labels are `NEGATIVE` or `POSITIVE`.

    Attributes:
        train: Rows of the vectors of the training sentences, shape (t,).
        train_labels: Shape (t,).
        held_out: Rows of the vectors of the sentences that accuracy is computed on, shape (h,).
        held_out_labels: Shape (h,).
        pairs: Rows of the vectors of original and rewrite, shape (m, 2).
        pair_labels: The labels of the originals; the rewrites have the other one. Shape (m,).
    """

    train: NDArray[np.intp]
    train_labels: NDArray[np.intp]
    held_out: NDArray[np.intp]
    held_out_labels: NDArray[np.intp]
    pairs: NDArray[np.intp]
    pair_labels: NDArray[np.intp]


@dataclass(frozen=True)
class PolarityResult:
    """What `frozen_polarity` returns.

    Attributes:
        scores: Result key -> value.
        linear: Whether the linear classifier labels original and rewrite correctly, shape (m, 2).
        dnn: The same for the network, per seed, shape (s, m, 2).
    """

    scores: dict[str, float]
    linear: NDArray[np.bool_]
    dnn: NDArray[np.bool_]


def subsample(labels: NDArray[np.intp], limit: int | None, seed: int) -> NDArray[np.intp]:
    """At most `limit` items, stratified by label: their indices in ascending order.

    Raises:
        ValueError: The limit leaves no item of some label.
    """
    everything = np.arange(len(labels))
    if limit is None or limit >= len(labels):
        return everything
    if limit < len(np.unique(labels)):
        raise ValueError(f"a training set of {limit} sentences cannot have both labels")
    kept, _ = train_test_split(everything, train_size=limit, stratify=labels, random_state=seed)
    return np.sort(kept)


def frozen_polarity(vectors: NDArray[np.floating[Any]], items: PolarityItems, seeds: Iterable[int]) -> PolarityResult:
    """Train both classifiers on frozen vectors and ask them.

    The vectors are L2-normalised, centred on the training mean, and scaled by one number so that the training vectors
    have unit variance per dimension on average. So rotating or scaling the encoder's space changes nothing for the
    linear classifier, and an encoder whose vectors all point nearly the same way is not held back by the penalty.

    Args:
        vectors: One vector per distinct text, shape (n, d).
        items: What is learned from and what is asked.
        seeds: One network is trained per seed.

    Returns:
        The `fb_*` keys: for `linear`, and for `dnn` as mean and `_std` (ddof = 1) over the seeds; shares in [0, 1].

    Raises:
        ValueError: The training sentences are all of one label.
    """
    if len(np.unique(items.train_labels)) < 2:
        raise ValueError("the training sentences are all of one label; nothing can be learned from them")
    features = _features(vectors, items.train)
    asked = np.unique(np.concatenate([items.held_out, items.pairs.ravel()]))

    def predictions(classifier: Any) -> NDArray[np.intp]:
        # One thread: batches of 200 gain nothing from more, lose much to waiting on a busy machine, and the result
        # does not depend on how many there are.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is part of the protocol
            classifier.fit(features[items.train], items.train_labels)
        labels = np.full(len(vectors), -1)
        labels[asked] = classifier.predict(features[asked])
        return labels

    scores, linear = polarity_scores(predictions(LogisticRegression(max_iter=1000)), items, "fb_linear")
    per_seed = [
        polarity_scores(
            predictions(MLPClassifier(_HIDDEN_UNITS, early_stopping=True, max_iter=_MAX_EPOCHS, random_state=seed)),
            items,
            "fb_dnn",
        )
        for seed in seeds
    ]
    scores |= over_seeds([one for one, _ in per_seed])
    both: NDArray[np.float64] = np.all(linear, axis=1).astype(np.float64)
    low, high = interval((both,), np.mean)
    scores |= {"fb_linear_pss_ci_low": low, "fb_linear_pss_ci_high": high}
    return PolarityResult(scores, linear, np.array([correct for _, correct in per_seed]))


def polarity_scores(
    labels: NDArray[np.intp], items: PolarityItems, prefix: str
) -> tuple[dict[str, float], NDArray[np.bool_]]:
    """Accuracy, PSS and relative PSS of a classifier.

    Args:
        labels: The label it gives each distinct text, shape (n,).
        items: What was asked.
        prefix: What the keys begin with: mode and classifier.

    Returns:
        The scores, without those that there is nothing to compute from; and whether it labels the original and the
        rewrite of each pair correctly, shape (m, 2).
    """
    truth = np.column_stack([items.pair_labels, 1 - items.pair_labels])
    correct = labels[items.pairs] == truth
    both = correct.all(axis=1)
    scores = {f"{prefix}_accuracy": float(np.mean(labels[items.held_out] == items.held_out_labels))}
    if len(both):
        scores[f"{prefix}_pss"] = float(both.mean())
        if scores[f"{prefix}_accuracy"] > 0:
            scores[f"{prefix}_relative_pss"] = scores[f"{prefix}_pss"] / scores[f"{prefix}_accuracy"]
    for label, direction in enumerate(DIRECTIONS):
        if (inside := items.pair_labels == label).any():
            scores[f"{prefix}_pss_{direction}"] = float(both[inside].mean())
    return scores, correct


def over_seeds(scores: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each key over the seeds, and its standard deviation (ddof = 1) as `<key>_std` if there are two."""
    means = {key: float(np.mean([one[key] for one in scores])) for key in scores[0]}
    if len(scores) > 1:
        means |= {f"{key}_std": float(np.std([one[key] for one in scores], ddof=1)) for key in scores[0]}
    return means


def _features(vectors: NDArray[np.floating[Any]], train: NDArray[np.intp]) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    wide /= np.where(norms > 0, norms, 1)
    wide -= wide[train].mean(axis=0)
    variance = float(np.square(wide[train]).mean())
    features: NDArray[np.float32] = wide / np.float32(np.sqrt(variance) if variance > 0 else 1)
    return features
