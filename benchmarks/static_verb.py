"""Does a model know which sense of a verb subject and object select, or only its verbs?

    HF_HUB_OFFLINE=1 python -m benchmarks.static_verb MODEL... > docs/static_verb.csv

In GS2011 the similarity by people depends on the two verbs to a large part. A *static-verb
encoder* never looks at subject and object together with the verb: it adds up a model's own vectors
of single words, and a fixed vector of the verb, which is the same in every sentence. Whoever
concludes from a model's score that it lets subject and object select the sense concludes it of this
encoder too, unless the model lies significantly above it, on the same pairs.

Prints a row for each model and strength: `spearman_within_verbs` of the model and of its own
static-verb encoder, and the difference with its 95 % interval and p, paired; units are verbs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.rows import print_rows
from harness_ext.common.arrays import Vectors
from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.measures.kinds.pair_similarity import TRANSITIVE
from harness_ext.measuring import our_task
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.statistics.statistic import DifferenceStatistic
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows

TASK = "TransitiveSimilarity"
SPLIT = "test"
SUBSET = "gs2011"
KEY = "spearman_within_verbs"

STRENGTHS = (1.0, 2.0, 4.0)
"""How much the vector of the verb counts, where each word counts 1."""

ARGUMENTS = (
    ("man", "thing"),
    ("woman", "letter"),
    ("group", "place"),
    ("child", "food"),
    ("company", "price"),
    ("dog", "ball"),
    ("state", "law"),
    ("team", "game"),
    ("teacher", "word"),
    ("mother", "house"),
    ("worker", "machine"),
    ("people", "idea"),
)
"""Subjects and objects over which the vector of a verb is averaged."""

VERBS = ("provides", "meets", "shows", "runs", "writes", "draws")
"""What their mean shares with every sentence is taken away from the vector of a verb."""

Encode = Callable[[list[str]], Vectors]


def static_verb(encode: Encode, strength: float) -> Encode:
    """The static-verb encoder of a model.

    A text is the sum of the model's unit vectors of its single words. *The S verbs the O* has
    `strength` times a unit vector of its third word more: the model's mean over sentences with
    `ARGUMENTS`, minus that mean over `VERBS`.

    Args:
        encode: The model: distinct texts -> vectors, shape (n, d).
        strength: See `STRENGTHS`.

    Returns:
        A function of texts to vectors, shape (n, d).
    """

    def encoded(texts: list[str]) -> Vectors:
        words = sorted(set(" ".join(texts).split()))
        vectors_of_words = np.asarray(encode(words))
        vector_of_word = dict(zip(words, vectors_of_words, strict=True))
        verbs_of_texts = filter(None, map(_verb, texts))
        verbs = sorted({*verbs_of_texts, *VERBS})
        vectors_of_verbs = verb_vectors(encode, verbs)
        vector_of_verb = dict(zip(verbs, vectors_of_verbs, strict=True))
        common = np.mean([vector_of_verb[verb] for verb in VERBS], axis=0)
        vectors = []
        for text in texts:
            units = [_unit(vector_of_word[word]) for word in text.split()]
            vector = np.sum(units, axis=0)
            verb = _verb(text)
            if verb:
                own = _unit(vector_of_verb[verb] - common)
                vector = vector + strength * own
            vectors.append(vector)
        return np.array(vectors)

    return encoded


def verb_vectors(encode: Encode, verbs: list[str]) -> Vectors:
    """The model's mean over sentences with each verb, shape (n,) -> (n, d)."""
    sentences: list[str] = []
    for verb in verbs:
        sentences += [f"the {subject} {verb} the {thing}" for subject, thing in ARGUMENTS]
    vectors = np.asarray(encode(sentences))
    by_verb = vectors.reshape(len(verbs), len(ARGUMENTS), -1)
    means: Vectors = by_verb.mean(axis=1)
    return means


def _verb(text: str) -> str:
    """The verb of *the S verbs the O*; empty for other texts."""
    match text.split():
        case [first, _, verb, fourth, _] if first.lower() == fourth.lower() == "the":
            return verb
    return ""


def _unit(vector: Any) -> Any:
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def over_static_verb(encode: Encode, strength: float) -> DifferenceStatistic:
    """The score of a model minus that of its own static-verb encoder, over the same verbs."""
    rows = load_rows(ENCODER_TASKS[TASK], SPLIT, SUBSET).to_list()
    plan = TRANSITIVE.planned(rows, SPLIT)
    encode_statically = static_verb(encode, strength)
    # plans have whole texts alone, so functions will do
    of_model = TRANSITIVE.fill(plan, encode)  # type: ignore[arg-type]
    of_static_verb = TRANSITIVE.fill(plan, encode_statically)  # type: ignore[arg-type]
    return TRANSITIVE.difference_statistic(of_model, of_static_verb, 0.0, KEY)


def remembered(encode: Encode) -> Encode:
    """The same function, which encodes no text twice."""
    vectors: dict[str, Any] = {}

    def encoded(texts: list[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            encoded_now = np.asarray(encode(new))
            vectors.update(zip(new, encoded_now, strict=True))
        return np.array([vectors[text] for text in texts])

    return encoded


def encoder_of(name: str) -> Encode:
    """A model as a run of mteb encodes with it: with its prompts, by its name for `mteb run`."""
    from mteb.timing import TimingStack

    options = {"batch_size": 32, "show_progress_bar": False}
    encoder = our_task(TASK).encoder(
        load_model(name),
        SPLIT,
        SUBSET,
        options,
        TimingStack(),
    )
    return remembered(encoder)


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """A row for each strength."""
    encode = encoder_of(name)
    for strength in STRENGTHS:
        statistic = over_static_verb(encode, strength)
        found = difference_of(statistic)
        yield {
            "model": name.rsplit("/", 1)[-1],
            "strength": f"{strength:g}",
            "score": f"{statistic.one.value():.3f}",
            "static_verb": f"{statistic.other.value():.3f}",
            "difference": f"{found.value:.3f}",
            "low": f"{found.low:.3f}",
            "high": f"{found.high:.3f}",
            "p": f"{found.p_value:.3f}",
            "verbs": len(statistic.units),
        }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="A model beside its own static-verb encoder.")
    parser.add_argument("models", nargs="+", help="as for `mteb run -m`")
    models = parser.parse_args().models
    rows = map(rows_of, models)
    print_rows(chain.from_iterable(rows))


if __name__ == "__main__":
    main()
