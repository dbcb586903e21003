"""What an encoder reads for each task: texts, and the words and probes of the baselines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from benchmarks.bench.report import NOT_MEASURED
from harness_ext.data.sources import SourceError
from harness_ext.encoders.additive_baseline import FEWEST, FEWEST_OF_QUICK, Probes
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    from benchmarks.bench.report import Row, Settings

_REBUILT = ("naturalistic_rebuilt", "neutral", "naturalistic")
_SPLITS: Mapping[str, tuple[str, ...]] = {
    "TypeTokenIdiomaticity": ("naturalistic_rebuilt", "naturalistic"),
    "EpsilonCompositionality": ("naturalistic_rebuilt",),
    "NounCompoundAffinity": _REBUILT,
    "NounCompoundScaledSimilarity": _REBUILT,
    "PolaritySensitivity": ("reference_trained_on_dev",),
}
"""Task -> its splits, where data of its own are not for everybody."""

QUICK_TASK = "CaptionSwapMini"

_AT_ONCE = 10_000
"""Strings whose tokens are counted together."""


def tokens(settings: Settings) -> Iterator[Row]:
    """The strings that an encoder reads for each task, each once; the last row has each string of
    all tasks once. Probes are random strings of words. A word that is also a text counts as a text.
    Tokens are those of the model's tokenizer, without padding. Data that are not at hand are left
    out.
    """
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(settings.model)
    names = [QUICK_TASK] if settings.quick else _names(settings)
    every = _Read(set(), set())
    for name in tqdm(names, desc="tokens"):
        read = _read(ENCODER_TASKS[name])
        if not read.texts:
            yield {"task": name, NOT_MEASURED: "Its data are not at hand."}
            continue
        yield _row(name, read, tokenizer)
        every.texts.update(read.texts)
        every.strings.update(read.strings)
    if every.texts:
        yield _row("all", every, tokenizer)


class _Read(NamedTuple):
    """What an encoder reads.

    Attributes:
        texts: The texts that are compared.
        strings: Words and probes.
    """

    texts: set[str]
    strings: set[str]


def _names(settings: Settings) -> list[str]:
    if settings.tasks:
        return [*settings.tasks]
    return [name for name, task in ENCODER_TASKS.items() if not task.quick]


def _read(task: Task) -> _Read:
    """What an encoder reads for the splits and subsets whose data are at hand."""
    read = _Read(set(), set())
    for split, subset in product(_SPLITS.get(task.name, task.splits), task.subsets):
        try:
            rows = load_rows(task, split, subset).to_list()
        except (SourceError, ValueError):  # no data, or a subset without this split
            continue
        plan = task.planned(rows, split)
        read.texts.update(plan.texts())
        if task.encoder_measure.additive:
            fewest = FEWEST_OF_QUICK if task.quick else FEWEST
            probes = Probes.of(plan.of_baselines().texts(), fewest)
            read.strings.update(probes.strings())
    return read


def _row(name: str, read: _Read, tokenizer: Any) -> Row:
    strings = read.strings - read.texts
    n_of_texts = _n_tokens(read.texts, tokenizer)
    n_of_strings = _n_tokens(strings, tokenizer)
    return {
        "task": name,
        "texts": len(read.texts),
        "tokens of texts": n_of_texts,
        "words and probes": len(strings),
        "tokens of words and probes": n_of_strings,
        "tokens, ratio": n_of_strings / n_of_texts,
    }


def _n_tokens(texts: Iterable[str], tokenizer: Any) -> int:
    listed = [*texts]
    n_tokens = 0
    for start in range(0, len(listed), _AT_ONCE):
        encoded = tokenizer(listed[start : start + _AT_ONCE], verbose=False)
        n_tokens += sum(map(len, encoded["input_ids"]))
    return n_tokens
