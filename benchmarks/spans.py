"""Span level against a plain encode, and against encoding one pair of sentences at a time.

    python benchmarks/spans.py                     # all-MiniLM-L6-v2, 1 000 pairs
    python benchmarks/spans.py --model MODEL --pairs N

Time: the best of some runs in one process, each over the same pairs (a compound's sentence and the same sentence with
a probe in the compound's place, from compound_mini). The one-pair-at-a-time way is how the span vectors of the papers
were computed: every sentence of every pair alone, in a batch of one, however often it occurs.
Memory: the largest resident size of a fresh process per way, minus that of one that encodes four sentences; with N and
with 4 N pairs, to see that it does not grow with them beyond the vectors themselves.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import datasets
import mteb
import torch

from harness_ext.encoders.spans import span_encoder, tokens_of_span
from harness_ext.encoders.texts import encode_texts
from harness_ext.encoders.transformer import TokenModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from mteb.models import EncoderProtocol

Place = tuple[str, tuple[int, int]]
"""A sentence and a span of it."""


def pairs_of_compounds(number: int) -> list[tuple[Place, Place]]:
    """The first `number` pairs; a sentence gets a number at its end where compound_mini has no more sentences."""
    rows = datasets.load_dataset("compound_mini", split="naturalistic")
    pairs = [
        ((row["sentence"], tuple(row["span"])), (probe["sentence"], tuple(probe["span"])))
        for row in rows
        for probe in [row["syn"], *row["words_syn"], *row["rand"]]
    ]
    rounds = -(-number // len(pairs))
    return [
        tuple((f"{sentence} {turn}" if turn else sentence, span) for sentence, span in pair)
        for turn in range(rounds)
        for pair in pairs
    ][:number]


def plain(model: EncoderProtocol, places: list[Place]) -> None:
    """Every distinct sentence, as a task at sentence level encodes them."""
    encode_texts(
        model,
        list(dict.fromkeys(sentence for sentence, _ in places)),
        task_metadata=mteb.get_task("EpsilonCompositionalityMini").metadata,
        hf_split="naturalistic",
        hf_subset="default",
        encode_kwargs={"batch_size": 32, "show_progress_bar": False},
    )


def spans(model: EncoderProtocol, places: list[Place]) -> None:
    """Span level, as a task computes it."""
    encoder = span_encoder(model, show_progress_bar=False)
    if encoder is None:
        raise SystemExit("This model has no token vectors.")
    encoder.encode_spans([sentence for sentence, _ in places], [span for _, span in places])


def one_at_a_time(model: Any, places: list[Place]) -> None:
    """Every sentence of every pair alone."""
    token_model = TokenModel.of(model.model[0])
    if token_model is None:
        raise SystemExit("This model has no token vectors.")
    for sentence, span in places:
        encoded = token_model.tokenizer(sentence, return_tensors="pt", truncation=True)
        with torch.inference_mode():
            output = token_model.model(**encoded.to(token_model.model.device), output_hidden_states=True)
        tokens = tokens_of_span(encoded.encodings[0], sentence, span)
        torch.stack(output.hidden_states[-4:]).mean(dim=0)[0, tokens].mean(dim=0).cpu().numpy()


WAYS: dict[str, Callable[[Any, list[Place]], None]] = {"plain": plain, "spans": spans, "one at a time": one_at_a_time}


def seconds(way: str, model: EncoderProtocol, places: list[Place], runs: int) -> float:
    """The best of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        WAYS[way](model, places)
        times.append(time.perf_counter() - start)
    return min(times)


def megabytes(way: str, model_name: str, pairs: int) -> float:
    """The largest resident size of a fresh process."""
    command = [sys.executable, __file__, "--model", model_name, "--pairs", str(pairs), "--peak-of", way]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peak-of", choices=WAYS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    model = mteb.get_model(arguments.model)
    places = [place for pair in pairs_of_compounds(arguments.pairs) for place in pair]
    if arguments.peak_of:
        WAYS[arguments.peak_of](model, places)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(peak / (2**20 if sys.platform == "darwin" else 2**10))
        return

    distinct = len({sentence for sentence, _ in places})
    print(
        f"{arguments.model}: {arguments.pairs} pairs, {distinct} distinct sentences, {torch.get_num_threads()} threads"
    )
    for way in WAYS:  # warm up
        WAYS[way](model, places[:64])
    times = {way: seconds(way, model, places, arguments.runs) for way in WAYS}
    for way, value in times.items():
        print(f"{way:>14}: {value:7.2f} s, {value / times['plain']:5.2f} of plain")
    print(f"spans are {times['one at a time'] / times['spans']:.1f} times as fast as one pair at a time")
    del model
    few = megabytes("plain", arguments.model, 2)
    for pairs in (arguments.pairs, 4 * arguments.pairs):
        peaks = {way: megabytes(way, arguments.model, pairs) - few for way in ("plain", "spans")}
        extra = peaks["spans"] - peaks["plain"]
        print(
            f"{pairs} pairs: plain {peaks['plain']:+.0f} MB, spans {peaks['spans']:+.0f} MB, difference {extra:+.0f} MB"
        )


if __name__ == "__main__":
    main()
