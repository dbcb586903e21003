"""A task's texts by a causal encoder, plainly and with the beginnings that they share computed once."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.bench.clock import Spent, interleaved, now, ratio, seconds
from benchmarks.bench.encoder import SHAPE, TINY
from benchmarks.bench.tasks import BATCH_SIZE, SentencesOnly, evaluated, part_name, texts_of
from harness_ext.data.sources import SourceError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from benchmarks.bench.report import Row, Settings

TASKS = ("EpsilonCompositionality", "MontagueConsistency")
QUICK = ("MontagueConsistencyFast",)
PART = 10
"""Without an accelerator, a real model encodes one row in so many."""

EIGHT_LAYERS = {
    **SHAPE,
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
}
"""Qwen3's proportions, at a size that two cores can do."""


class Encoded(NamedTuple):
    """What a way took, its vectors, and whether beginnings were shared."""

    time: Spent
    vectors: NDArray[np.float32]
    shared: bool


def prefix_sharing(settings: Settings) -> Iterator[Row]:
    """All texts of a task by a causal encoder in float32, two ways in turn.

    The encoder is the one of `--model` if that is causal, as sentence-transformers loads it. Else it has Qwen3's shape,
    random weights, the word pieces of the measured model, and the last token's state as vector; without an accelerator
    it has 8 layers of 256. The instruction is the one that mteb gives Qwen3-Embedding for our tasks. *Shared* is what a
    task does, with its check of 32 texts.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import AutoConfig

    on_cuda, every = torch.cuda.is_available(), 1
    if any("Causal" in name for name in AutoConfig.from_pretrained(settings.model).architectures or ()):
        model = SentenceTransformer(settings.model, model_kwargs={"dtype": "float32"})
        every = 1 if on_cuda else PART
    else:
        model = causal_model(settings.model, TINY if settings.quick else SHAPE if on_cuda else EIGHT_LAYERS)
    for name in tqdm(settings.tasks or (QUICK if settings.quick else TASKS), desc="tasks"):
        try:
            texts = texts_of(name, every)
        except SourceError as error:
            yield {"task": name, "not measured": str(error).strip()}
            continue
        yield _row(name, model, texts, settings, every)


def _row(name: str, model: SentenceTransformer, texts: list[str], settings: Settings, every: int) -> Row:
    from mteb.models.model_implementations.qwen3_models import instruction_template

    from harness_ext.encoders.prefix_sharing import encode_sharing, largest_distance
    from harness_ext.harnesses.mteb.task import PROMPT

    def encode(texts: list[str], batch_size: int = BATCH_SIZE, show_progress_bar: bool = True) -> Any:
        return model.encode(
            texts, prompt=instruction_template(PROMPT), batch_size=batch_size, show_progress_bar=show_progress_bar
        )

    def plain() -> Encoded:
        start = now()
        vectors = encode(texts)
        return Encoded(now() - start, vectors, False)

    def shared() -> Encoded:
        start = now()
        vectors, is_shared = encode_sharing(model, texts, encode, BATCH_SIZE)
        return Encoded(now() - start, vectors, is_shared)

    encode(texts[:BATCH_SIZE])  # the warm-up
    runs = interleaved({"plain": plain, "shared": shared}, settings)
    if not runs["shared"][0].shared:
        return {"task": name, "not measured": "No beginnings were shared; a line above says why."}
    clock, processor = seconds(runs)
    return {
        "task": part_name(name, every),
        "texts": len(texts),
        "runs": len(runs["plain"]),
        "plain, s": statistics.median(processor["plain"]),
        "shared, s": statistics.median(processor["shared"]),
        "plain / shared": ratio(processor["plain"], processor["shared"]),
        "by the clock": ratio(clock["plain"], clock["shared"]),
        "largest cosine distance": largest_distance(runs["plain"][0].vectors, runs["shared"][0].vectors),
        "largest difference of a score": _difference(name, every, texts, *(run[0].vectors for run in runs.values())),
    }


class Given(SentencesOnly):
    """An mteb encoder with these vectors."""

    def __init__(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        import mteb

        super().__init__(mteb.get_model("mteb/baseline-random-encoder"))
        self._vectors = vectors

    def encode(self, inputs: Any, **_: Any) -> NDArray[np.float32]:
        """Look the vectors up."""
        return np.stack([self._vectors[text] for batch in inputs for text in batch["text"]])


def _difference(name: str, every: int, texts: list[str], *vectors: NDArray[np.float32]) -> float:
    """The largest difference of a score between two sets of vectors of the texts of a task."""
    results = [evaluated(Given(dict(zip(texts, each, strict=True))), name, None, every)[1].scores for each in vectors]
    ones, others = (
        {(split, entry["hf_subset"], key): value for split, entries in scores.items() for entry in entries
         for key, value in entry.items() if isinstance(value, float)}
        for scores in results
    )  # fmt: skip
    return max(abs(ones[place] - others[place]) for place in ones)


def causal_model(word_pieces_of: str, shape: dict[str, int]) -> SentenceTransformer:
    """A Qwen3 with random weights, with the word pieces of another model."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from tokenizers.processors import TemplateProcessing
    from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3Model

    torch.manual_seed(0)
    backend = AutoTokenizer.from_pretrained(word_pieces_of).backend_tokenizer
    backend.post_processor = TemplateProcessing(single="$A [SEP]", special_tokens=[("[SEP]", 102)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        model_input_names=["input_ids", "attention_mask"],
    )
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        Qwen3Model(Qwen3Config(**{**shape, "vocab_size": len(tokenizer)})).save_pretrained(folder)
        transformer = Transformer(folder, max_seq_length=512)
    return SentenceTransformer(modules=[transformer, Pooling(shape["hidden_size"], "lasttoken"), Normalize()])
