"""The classifiers of polarity sensitivity on frozen vectors.

They differ from those of the paper (Bhathena, Willis, Dass 2020), which trains a linear layer and a
network by fixed learning rates without a penalty: here they are scikit-learn's, as it has them, so
that there is nothing to tune. Logistic regression has an L2 penalty (C = 1) and one answer: it is
solved in double precision to its end, where by default it stops on the way, so that rounding
decides some labels. The network, of 500 and 100 hidden units as in the paper, is trained by Adam
with an L2 penalty (1e-4) until a tenth of the training sentences no longer gains.
"""

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from harness_ext.common.arrays import Indices, Vectors
from harness_ext.measures.polarity.items import LINEAR, NETWORK, TrainedClassifier

_HIDDEN_UNITS = (500, 100)
_MAX_EPOCHS = 100


def subsample(
    labels: Indices,
    limit: int | None,
    seed: int,
) -> Indices:
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


def frozen_polarity(
    train: Vectors, labels: Indices, asked: Vectors, seeds: Iterable[int]
) -> Iterator[TrainedClassifier]:
    """Train both classifiers on frozen vectors, shape (t, d), and ask them about others, (a, d).

    The vectors are L2-normalized, centered on the training mean, and scaled by one number so that
    the training vectors have unit variance per dimension on average. So rotating or scaling the
    encoder's space changes nothing for the linear classifier, and an encoder whose vectors all
    point nearly the same way is not held back by the penalty.

    Yields:
        The linear classifier, then the network of each seed.

    Raises:
        ValueError: The training sentences are all of one label.
    """
    _, counts = np.unique(labels, return_counts=True)
    if len(counts) < 2:
        raise ValueError(
            "the training sentences are all of one label; nothing can be learned from them"
        )
    train_directions = _directions(train)
    mean = train_directions.mean(axis=0)
    centered = train_directions - mean
    spread = np.float32(np.sqrt(float(np.square(centered).mean())) or 1)
    train_scaled = centered / spread
    asked_scaled = (_directions(asked) - mean) / spread

    # solved to its end
    linear = LogisticRegression(tol=1e-8, max_iter=10_000)
    train_wide = train_scaled.astype(np.float64)
    asked_wide = asked_scaled.astype(np.float64)
    yield TrainedClassifier(LINEAR, 0, _labels_of(linear, train_wide, labels, asked_wide))

    # by a tenth of the sentences, with one of either label
    stops_early = len(labels) > 10 and min(counts) > 1
    for seed in seeds:
        network = MLPClassifier(
            _HIDDEN_UNITS,
            early_stopping=stops_early,
            max_iter=_MAX_EPOCHS,
            random_state=seed,
        )
        network_labels = _labels_of(network, train_scaled, labels, asked_scaled)
        yield TrainedClassifier(NETWORK, seed, network_labels)


def _labels_of(
    classifier: Any,
    train: Vectors,
    labels: Indices,
    asked: Vectors,
) -> Indices:
    """Train a classifier of scikit-learn, and give its labels of what it is asked, shape (a,).

    On one thread: batches of 200 gain nothing from more, lose much to waiting on a busy machine,
    and the result does not depend on how many there are.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        # the number of epochs is part of the protocol
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(train, labels)
    return classifier.predict(asked)


def _directions(vectors: Vectors) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    wide /= np.where(norms > 0, norms, 1)
    return wide
