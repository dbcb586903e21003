"""This package against the usual research script: a pair of texts at a time, encoded when it is needed.

The scripts here were written for this benchmark. They compute the same distances, which is checked.
"""

from __future__ import annotations

import copy
import functools
import statistics
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.bench.clock import Spent, interleaved, now, ratio, seconds
from harness_ext.arrays import Floats
from harness_ext.data.compounds import slot_words

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

    Encode = Callable[[str], NDArray[np.float32]]

TOLERANCE = 1e-4
"""How far a distance may be from that of a script: a text in a batch has other last digits than alone."""

SENTENCES, SPAN_SENTENCES, ADJECTIVES = 6, 40, 3
QUICK = 1, 2, 2


class Timed(NamedTuple):
    """What a way took, and the distances it came to."""

    time: Spent
    distances: Floats


def one_at_a_time(settings: Settings) -> Iterator[Row]:
    """The first six sentences of the ε test, words in the first forty, the Montague test of three adjectives.

    *A pair at a time* encodes the two texts of every distance when it is needed, each in a batch of one. *Each text
    once* is the same script with a dictionary of what it has encoded. Ours is the task itself: each distinct text once,
    in batches, with scores and intervals; for Montague also with the synonym controls, which the scripts leave out.
    Seconds are processor time, ratios medians of runs in turn; the distances of all ways agree within 1e-4.
    """
    import mteb

    model = mteb.get_model(settings.model)
    encode = functools.partial(model.model.encode, show_progress_bar=False)
    sentences = _first_at_hand("EpsilonCompositionality", "EpsilonCompositionalityMini")
    few, more, adjectives = QUICK if settings.quick else (SENTENCES, SPAN_SENTENCES, ADJECTIVES)
    scripts = {
        "ε-compositionality": (epsilon_script, _epsilon, sentences[:few]),
        "Montague": (montague_script, _montague, _phrases(adjectives)),
        "words in sentences": (None, _spans, sentences[:more]),
    }
    for name, (script, ours, rows) in tqdm(scripts.items(), desc="one at a time"):
        ours(copy.copy(model), rows)  # imports what it needs
        counted = Counted(encode)
        script_or_spans = script or functools.partial(spans_script, model)
        ways: dict[str, Callable[[], Timed]] = {
            "pair": lambda s=script_or_spans, r=rows, c=counted: _timed(lambda: s(c, r)),  # type: ignore[misc]
            "ours": lambda o=ours, r=rows: _timed(lambda: o(copy.copy(model), r)),  # type: ignore[misc]
        }
        if script:
            ways["text"] = lambda s=script, r=rows: _timed(lambda: s(functools.cache(encode), r))  # type: ignore[misc]
        runs = interleaved(ways, settings)
        for way in ways:
            _check(name, runs[way][0].distances, runs["ours"][0].distances)
        clock, processor = seconds(runs)
        yield {
            "measure": name,
            "distances": runs["ours"][0].distances.size,
            "texts encoded": counted.texts // len(runs["pair"]) if script else 2 * len(runs["ours"][0].distances),
            "a pair at a time, s": statistics.median(processor["pair"]),
            "each text once, s": statistics.median(processor["text"]) if script else None,
            "ours, s": statistics.median(processor["ours"]),
            "pair / ours": ratio(processor["pair"], processor["ours"]),
            "by the clock": ratio(clock["pair"], clock["ours"]),
            "text / ours": ratio(processor["text"], processor["ours"]) if script else None,
        }


class Counted:
    """An encoder that counts the texts it is given."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self.texts = 0

    def __call__(self, text: str) -> NDArray[np.float32]:
        """As the encoder's own."""
        self.texts += 1
        return self._encode(text)


def distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """1 − cos."""
    return float(1 - one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def epsilon_script(encode: Encode, rows: list[Row]) -> Floats:
    """The four distances of every sample, as ε and its baseline are made of: (m, 4)."""
    found = []
    for row in rows:
        for place, (word, *synonyms) in enumerate(slot_words(row)):
            for a, other in permutations(synonyms, 2):

                def context(text: str, row: Row = row, place: int = place) -> str:
                    words = row["sentence"].split()
                    words[row["span"][0] + place] = text
                    return " ".join(words)

                pairs = [(a, word), (context(a), context(word)), (a, other), (context(a), context(other))]
                found.append([distance(encode(one), encode(two)) for one, two in pairs])
    return np.array(found)


def montague_script(encode: Encode, rows: list[Row]) -> Floats:
    """What intersectivity of phrases and of pairs compares; flat."""

    def between(pairs: Any) -> list[float]:
        return [distance(encode(one), encode(other)) for one, other in pairs]

    found: list[float] = []
    singles = [row["words"] for row in rows if len(row["words"]) == 2]
    for adjective, noun in singles:
        phrase = f"{adjective} {noun}"
        found += between([(phrase, adjective), (phrase, noun), (adjective, noun)])
    for first, second, noun in (row["words"] for row in rows if len(row["words"]) == 3):
        words = (first, second, noun)
        found.append(max(between((f"{first} {second} {noun}", word) for word in words)))
        found.append(min(between(combinations(words, 2))))
        found.append(
            min(between([(first, f"{second} {noun}"), (second, f"{first} {noun}"), (noun, f"{first} {second}")]))
        )
    adjectives, nouns = (list(dict.fromkeys(column)) for column in zip(*singles, strict=True))
    of_pair = {
        (adjective, pair): between([(f"{adjective} {pair[0]}", f"{adjective} {pair[1]}")])[0]
        for pair in combinations(nouns, 2)
        for adjective in adjectives
    }
    holds = [
        of_pair[a, pair] <= of_pair[b, pair] for pair in combinations(nouns, 2) for a, b in permutations(adjectives, 2)
    ]
    return np.array([*found, *of_pair.values(), np.mean(holds)])


def spans_script(model: Any, _: Encode, rows: list[Row]) -> Floats:
    """The distance of each compound in its sentence from each probe in its place, every sentence alone: (m,)."""
    import torch

    from harness_ext.encoders.spans import tokens_of_span
    from harness_ext.encoders.transformer import TokenModel

    token_model = TokenModel.of(model.model[0])
    if token_model is None:
        raise SystemExit(f"{model.mteb_model_meta.name} has no vectors of the words inside a sentence.")

    def encode(sentence: str, span: tuple[int, int]) -> NDArray[np.float32]:
        encoded = token_model.tokenizer(sentence, return_tensors="pt", truncation=True)
        with torch.inference_mode():
            output = token_model.model(**encoded.to(token_model.model.device), output_hidden_states=True)
        tokens = tokens_of_span(encoded.encodings[0], sentence, span)
        vector: NDArray[np.float32] = torch.stack(output.hidden_states[-4:]).mean(0)[0, tokens].mean(0).cpu().numpy()
        return vector

    return np.array([distance(encode(*one), encode(*other)) for one, other in _places(rows)])


def _places(rows: list[Row]) -> list[tuple[tuple[str, Any], tuple[str, Any]]]:
    """Each compound in its sentence, with each probe in its place."""
    return [
        ((row["sentence"], row["span"]), (probe["sentence"], probe["span"]))
        for row in rows
        for probe in (row["syn"], *row["words_syn"], *row["rand"])
    ]


def _epsilon(model: Any, rows: list[Row]) -> Floats:
    samples = _measured("EpsilonCompositionalityMini", model, rows).samples
    return np.column_stack(
        [
            samples.phrase_distance,
            samples.context_distance,
            samples.baseline_phrase_distance,
            samples.baseline_context_distance,
        ]
    )


def _montague(model: Any, rows: list[Row]) -> Floats:
    items = _measured("MontagueConsistency", model, rows)
    singles, doubles, distances = items.singles, items.doubles, items.pairs.distance
    by_pair = distances.reshape(-1, len(items.adjectives))
    holds = by_pair[:, :, None] <= by_pair[:, None, :]
    different = ~np.eye(len(items.adjectives), dtype=bool)
    return np.concatenate(
        [
            np.column_stack([singles.to_adjective, singles.to_noun, singles.between_words]).ravel(),
            np.column_stack([doubles.to_words, doubles.between_words, doubles.between_parts]).ravel(),
            distances,
            [holds[:, different].mean()],
        ]
    )


def _measured(name: str, model: Any, rows: list[Row]) -> Any:
    """The items of a task on these rows, scored."""
    import mteb
    from mteb.timing import TimingStack

    from harness_ext.encoders.encoding import TaskEncoder

    task = mteb.get_task(name)
    encode = TaskEncoder(
        model,
        task.metadata,
        hf_split=task.metadata.eval_splits[0],
        hf_subset="default",
        encode_kwargs={"batch_size": 32, "show_progress_bar": False},
        timer=TimingStack(),
    )
    items = task.compare(rows, encode)
    task.measure.flat_scores(items)
    return items


def _spans(model: Any, rows: list[Row]) -> Floats:
    from harness_ext.encoders.spans import span_encoder
    from harness_ext.statistics.distance import cosine_distance

    encoder = span_encoder(model, show_progress_bar=False)
    if encoder is None:
        raise SystemExit(f"{model.mteb_model_meta.name} has no vectors of the words inside a sentence.")
    ones, others = zip(*_places(rows), strict=True)
    sentences, spans = zip(*ones, *others, strict=True)
    numbers = np.arange(len(sentences)).reshape(2, -1)
    return cosine_distance(encoder.encode_spans(sentences, spans), *numbers)


def _timed(run: Callable[[], Floats]) -> Timed:
    start = now()
    distances = run()
    return Timed(now() - start, distances)


def _check(name: str, found: Floats, ours: Floats) -> None:
    if found.shape != ours.shape or not np.allclose(found, ours, atol=TOLERANCE, equal_nan=True):
        raise AssertionError(f"{name}: the script, which uses no prompt, comes to other distances than the task.")


def _first_at_hand(*names: str) -> list[Row]:
    """The rows of the first of the tasks whose data are at hand."""
    import mteb

    from harness_ext.data.sources import SourceError

    for name in names:
        task = mteb.get_task(name)
        try:
            task.load_data()
        except SourceError:
            continue
        data = task.dataset
        while isinstance(data, dict):
            data = next(iter(data.values()))
        rows: list[Row] = [row for row in data.to_list() if row["class"] is not None]
        return rows
    raise AssertionError("the small data are always at hand")


def _phrases(adjectives: int) -> list[Row]:
    """The rows of the first adjectives, with all nouns."""
    import datasets

    rows: list[Row] = datasets.load_dataset("modifier_phrases", "released", split="test").to_list()
    used = list(dict.fromkeys(row["words"][0] for row in rows))[:adjectives]
    return [row for row in rows if set(row["words"][:-1]) <= set(used)]
