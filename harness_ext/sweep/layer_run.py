"""Measures every layer of a checkpoint, with a single pass through the model for the texts of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness_ext.encoders.models.pooled import Pooling


def measure_layers(
    model_name: str,
    task_names: Sequence[str],
    output_folder: Path,
    *,
    pooling: Pooling = "mean",
    splits: Sequence[str] | None = None,
    batch_size: int = 32,
) -> list[str]:
    """Measure tasks on every layer, from the embeddings to the model's output.

    Results are kept as those of `mteb run -m "MODEL (layer=6)"`. A result that is there is not measured again.

    Args:
        model_name: A checkpoint on the Hub, or a folder.
        task_names: The tasks.
        output_folder: As of `mteb run`.
        pooling: A pooling of a single layer, see `harness_ext.encoders.models.pooled.Pooling`.
        splits: The splits to measure; by default those of each task.
        batch_size: Texts per batch.

    Returns:
        The names of the layers as models, in their order.

    Raises:
        KeyError: There is no such task.
        ValueError: As `PooledTransformer`, and for a missing split.
        SourceError: A file of the dataset is not available.
        OSError: There is no such checkpoint.
    """
    import mteb

    from harness_ext.encoders.models.every_layer import EveryLayer
    from harness_ext.encoders.models.pooled import PooledTransformer

    tasks = [mteb.get_task(name, eval_splits=list(splits) if splits else None) for name in task_names]
    cache = mteb.ResultCache(output_folder)
    every = EveryLayer(PooledTransformer(model_name, pooling=pooling, layer=0))
    encoders = every.encoders()
    for task in tasks:
        for encoder in encoders:
            mteb.evaluate(encoder, task, cache=cache, encode_kwargs={"batch_size": batch_size})
        every.forget()
    return [str(encoder.mteb_model_meta.name) for encoder in encoders]
