"""What the accelerator can do: an encoder of the shape of Qwen3-Embedding-0.6B, with random weights."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

if TYPE_CHECKING:
    import torch
    from transformers import Qwen3Config

    from benchmarks.bench.report import Row, Settings

SHAPE = {
    "vocab_size": 151_669,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
"""Of Qwen/Qwen3-Embedding-0.6B, as its config.json has it."""

TINY = {
    **SHAPE,
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
}
"""For a machine without an accelerator, to see that the code runs."""

BATCH_SIZES = (32, 64, 128, 256, 512, 1024)
TEXTS = 8192
INSTRUCTION_TOKENS, TOKENS = 13, (8, 40)
"""Of every text of the ε test: those of the instruction, and the least and the most of the sentence after it."""


def encoder(settings: Settings) -> Iterator[Row]:
    """Texts and tokens per second of an encoder of the shape of Qwen3-Embedding-0.6B, random weights, bfloat16.

    Token numbers drawn at random, 13 for the instruction and 8 to 40 for the text as in the ε test, sorted by length,
    the last token's vector normalised and brought back: everything but the tokenizer. The share is the time in which
    the accelerator computes, as torch's profiler has it, of all the time of a run without the profiler.
    """
    import torch
    from transformers import Qwen3Config

    if torch.cuda.is_available():
        yield from throughput(Qwen3Config(**SHAPE), "cuda", BATCH_SIZES, TEXTS)
    elif settings.quick:
        yield from throughput(Qwen3Config(**TINY), "cpu", (4, 8), 32)
    else:
        yield {"encoder": "Qwen3-Embedding-0.6B's shape, bfloat16", "not measured": "There is no CUDA device here."}


def throughput(config: Qwen3Config, device: str, batch_sizes: Sequence[int], texts: int) -> Iterator[Row]:
    """A row for each batch size, best first.

    Args:
        config: The shape of the encoder.
        device: `cuda` or `cpu`; on the latter nothing is said of how much of the time it computes.
        batch_sizes: Texts per batch; those that do not fit into its memory are left out.
        texts: How many are encoded.
    """
    import torch
    from transformers import AutoModel

    torch.manual_seed(0)
    model = AutoModel.from_config(config, dtype=torch.bfloat16).to(device).eval()
    rng = np.random.default_rng(0)
    lengths = np.sort(INSTRUCTION_TOKENS + rng.integers(*TOKENS, size=texts, endpoint=True))[::-1]
    rows: list[Row] = []
    for batch_size in tqdm(batch_sizes, desc="batch sizes"):
        batches = _batches(lengths, batch_size, config.vocab_size, rng)
        try:
            _encode(model, batches[:2], device)  # warm
            seconds = _seconds(model, batches, device)
        except torch.cuda.OutOfMemoryError:
            break
        rows.append(
            {
                "encoder": f"{sum(each.numel() for each in model.parameters()) / 1e6:,.1f}M parameters, {device}",
                "texts a batch": batch_size,
                "texts a second": texts / seconds,
                "tokens a second": float(lengths.sum()) / seconds,
                "share of the time computing": _computing(model, batches) / seconds if device == "cuda" else None,
            }
        )
    yield from sorted(rows, key=lambda row: -row["texts a second"])


def _batches(
    lengths: np.ndarray[Any, Any], batch_size: int, vocabulary: int, rng: np.random.Generator
) -> list[dict[str, torch.Tensor]]:
    """Token numbers padded on the left to the longest of the batch, as the model's tokenizer pads."""
    import torch

    batches = []
    for start in range(0, len(lengths), batch_size):
        inside = lengths[start : start + batch_size]
        mask = np.arange(inside.max()) >= (inside.max() - inside)[:, None]
        ids = np.where(mask, rng.integers(vocabulary, size=mask.shape), 0)
        batches.append({"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask.astype(int))})
    return batches


def _encode(model: Any, batches: list[dict[str, torch.Tensor]], device: str) -> torch.Tensor:
    """One vector per text, on the host."""
    import torch

    with torch.inference_mode():
        vectors = [
            torch.nn.functional.normalize(
                model(
                    **{name: values.to(device, non_blocking=True) for name, values in batch.items()}, use_cache=False
                ).last_hidden_state[:, -1],
                dim=-1,
            )
            for batch in batches
        ]
        return torch.cat(vectors).cpu()


def _seconds(model: Any, batches: list[dict[str, torch.Tensor]], device: str) -> float:
    start = time.perf_counter()
    _encode(model, batches, device)  # ends when the vectors are on the host
    return time.perf_counter() - start


def _computing(model: Any, batches: list[dict[str, torch.Tensor]]) -> float:
    """Seconds in which kernels run on the accelerator, which runs one after the other."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        _encode(model, batches, "cuda")
    kernels = (each for each in profiler.events() if each.device_type.name == "CUDA")
    return sum(each.time_range.elapsed_us() for each in kernels) / 1e6
