"""A task's texts by a causal encoder, plainly and with the beginnings that they share computed once."""

from __future__ import annotations

import statistics
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from benchmarks.bench.clock import Spent, interleaved, now, ratio, seconds
from benchmarks.bench.encoder import SHAPE, TINY
from benchmarks.bench.tasks import BATCH_SIZE, texts_of
from harness_ext.data.sources import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

    from benchmarks.bench.report import Row, Settings

TASKS = ("EpsilonCompositionality", "MontagueConsistency")
QUICK = ("MontagueConsistencyFast",)

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
    """All texts of a task by an encoder of Qwen3's shape with random weights in float32, two ways in turn.

    The instruction is the one that mteb gives Qwen3-Embedding for our tasks, the vector the last token's state, the
    word pieces are those of the measured model. *Shared* is what a task does, with its check of 32 texts. Without an
    accelerator the encoder has 8 layers of 256.
    """
    import torch

    on_cuda = torch.cuda.is_available()
    model = causal_model(settings.model, TINY if settings.quick else SHAPE if on_cuda else EIGHT_LAYERS)
    for name in tqdm(settings.tasks or (QUICK if settings.quick else TASKS), desc="tasks"):
        try:
            texts = texts_of(name)
        except SourceError as error:
            yield {"task": name, "not measured": str(error).strip()}
            continue
        yield _row(name, model, texts, settings)


def _row(name: str, model: SentenceTransformer, texts: list[str], settings: Settings) -> Row:
    from mteb.models.model_implementations.qwen3_models import instruction_template

    from harness_ext.encoders.prefix_sharing import encode_sharing, largest_distance
    from harness_ext.tasks.abstask import PROMPT

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
        "task": name,
        "texts": len(texts),
        "runs": len(runs["plain"]),
        "plain, s": statistics.median(processor["plain"]),
        "shared, s": statistics.median(processor["shared"]),
        "plain / shared": ratio(processor["plain"], processor["shared"]),
        "by the clock": ratio(clock["plain"], clock["shared"]),
        "largest cosine distance": largest_distance(runs["plain"][0].vectors, runs["shared"][0].vectors),
    }


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
