"""What computing shared beginnings once saves, on all texts of a task (see `harness_ext.encoders.prefix_sharing`).

    python benchmarks/prefix_sharing.py --task EpsilonCompositionality --task MontagueConsistency

The model has Qwen3's shape with random weights and the word pieces of the demo's encoder, and is asked as mteb asks
Qwen3-Embedding: the instruction of our tasks in its template, the last token's state. The texts are cut into parts of
whole batches, as sentence-transformers would batch all of them; each part is encoded both ways in turn, so that other
work on the machine slows both alike.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import mteb
import numpy as np
import torch
import typer
from mteb.models import ModelMeta
from mteb.models.model_implementations.qwen3_models import instruction_template
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers.processors import TemplateProcessing
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3Model

from harness_ext.abstask import PROMPT
from harness_ext.cli.demo import MODEL
from harness_ext.encoders.prefix_sharing import WIDER, sharing

if TYPE_CHECKING:
    from collections.abc import Callable

INSTRUCTION = instruction_template(PROMPT)


class Texts:
    """An mteb encoder that keeps the texts it is asked for."""

    def __init__(self) -> None:
        self.mteb_model_meta = ModelMeta.create_empty({"name": "benchmarks/texts", "revision": "1"})
        self.similarity = self.similarity_pairwise = None
        self.texts: dict[str, None] = {}

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        """Random vectors."""
        texts = [text for batch in inputs for text in batch["text"]]
        self.texts |= dict.fromkeys(texts)
        return np.random.default_rng(0).normal(size=(len(texts), 8)).astype(np.float32)


def texts_of(task: str) -> list[str]:
    """The distinct texts of a task."""
    model: Any = Texts()
    mteb.evaluate(model, mteb.get_task(task), cache=None, show_progress_bar=False)
    return list(model.texts)


def causal_model(hidden_size: int, layers: int, device: str, dtype: str) -> SentenceTransformer:
    """A Qwen3 with random weights; heads as in Qwen3-0.6B: of 128, half as many for keys and values."""
    torch.manual_seed(0)
    backend = AutoTokenizer.from_pretrained(MODEL).backend_tokenizer
    backend.post_processor = TemplateProcessing(single="$A [SEP]", special_tokens=[("[SEP]", 102)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        model_input_names=["input_ids", "attention_mask"],
    )
    heads = max(2, hidden_size // 64)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden_size,
        intermediate_size=3 * hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        head_dim=128 if hidden_size >= 1024 else 64,
    )
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        Qwen3Model(config).to(getattr(torch, dtype)).save_pretrained(folder)
        transformer = Transformer(folder, max_seq_length=512)
    return SentenceTransformer(modules=[transformer, Pooling(hidden_size, "lasttoken"), Normalize()], device=device)


def processor_time() -> float:
    """Seconds, of all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(encode: Callable[[list[str]], Any], texts: list[str]) -> tuple[Any, float, float]:
    """The vectors, the seconds by the clock and those of the processor."""
    before, start = processor_time(), time.perf_counter()
    vectors = encode(texts)
    return vectors.astype(np.float64), time.perf_counter() - start, processor_time() - before


def parts_of(texts: list[str], parts: int, batch_size: int) -> list[list[str]]:
    """The texts in parts that are all like the whole: of the batches, the longest texts first, every so-manieth."""
    ordered = sorted(texts, key=len, reverse=True)
    batches = [ordered[start : start + batch_size] for start in range(0, len(ordered), batch_size)]
    return [list(chain(*batches[first::parts])) for first in range(min(parts, len(batches)))]


def main(
    task: Annotated[list[str], typer.Option(help="The task to measure (repeatable).")],
    hidden_size: Annotated[int, typer.Option(help="Of the model; 1024 is that of Qwen3-Embedding-0.6B.")] = 256,
    layers: Annotated[int, typer.Option(help="Of the model; 28 are those of Qwen3-Embedding-0.6B.")] = 8,
    batch_size: Annotated[int, typer.Option(help="As mteb's.")] = 32,
    device: Annotated[str, typer.Option(help="As torch's.")] = "cpu",
    dtype: Annotated[str, typer.Option(help="Of the weights: float32, bfloat16 or float16.")] = "float32",
    parts: Annotated[int, typer.Option(help="Into how many parts the texts are cut.", min=1)] = 6,
) -> None:
    """Time of all texts of tasks, plainly and with shared beginnings, and how far their vectors are apart."""
    model = causal_model(hidden_size, layers, device, dtype)

    def encode(texts: list[str], batch_size: int = batch_size) -> Any:
        return model.encode(texts, prompt=INSTRUCTION, batch_size=batch_size, show_progress_bar=False)

    def encode_shared(texts: list[str]) -> Any:
        with sharing(model[0].auto_model, batch_size):
            return encode(texts, WIDER * batch_size)

    ways = {"plain": encode, "shared": encode_shared}
    for name in task:
        texts = texts_of(name)
        print(
            f"{name}: {len(texts)} texts, hidden size {hidden_size}, {layers} layers, {dtype} on {device}", flush=True
        )
        encode(texts[:batch_size])  # the warm-up
        seconds: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        farthest = 0.0
        for part in parts_of(texts, parts, WIDER * batch_size):
            found = {}
            for way, encoded in ways.items():
                found[way], *spent = timed(encoded, part)
                seconds[way].append((spent[0], spent[1]))
            plain, shared = (found[way] / np.linalg.norm(found[way], axis=1, keepdims=True) for way in ways)
            farthest = max(farthest, float((1 - (plain * shared).sum(axis=1)).max()))
        for column, clock in enumerate(("clock", "processor")):
            slow, fast = ([spent[column] for spent in seconds[way]] for way in ways)
            ratio = statistics.median(one / other for one, other in zip(slow, fast, strict=True))
            print(
                f"  {clock}: plain {sum(slow):.1f} s, shared {sum(fast):.1f} s, {sum(slow) / sum(fast):.2f} x; "
                f"median of {len(slow)} parts {ratio:.2f} x"
            )
        print(f"  largest cosine distance of the two vectors of a text: {farthest:.1e}", flush=True)


if __name__ == "__main__":
    typer.run(main)
