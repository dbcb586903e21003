"""Measures every layer of a checkpoint in a single pass through the model."""

from collections.abc import Sequence
from pathlib import Path

from harness_ext.common.model_name import ModelName
from harness_ext.own_data.task import add_own_tasks


def measure_layers(
    model_name: str,
    task_names: Sequence[str],
    output_folder: Path,
    *,
    pooling: str = "mean",
    splits: Sequence[str] | None = None,
    batch_size: int = 32,
    gain: bool = False,
) -> list[str]:
    """Measure tasks on every layer, from the embeddings to the model's output.

    Results are stored as if `mteb run -m "MODEL (layer=6)"` had measured them. Existing results are
    not measured again. With `gain`, the additive baseline of every layer is measured, not only that
    of the first and the last.

    Returns:
        The model name of each layer.

    Raises:
        UnknownNameError: A task or the checkpoint does not exist.
        ValueError: As for `PooledTransformer`, or a split does not exist.
        SourceError: A file of the dataset is not available.
    """
    import mteb

    from harness_ext.encoders.models.every_layer import EveryLayer
    from harness_ext.encoders.models.pooled import PooledTransformer
    from harness_ext.harnesses.mteb.registration import not_loaded, task_named
    from harness_ext.harnesses.mteb.task import AbsTaskCompositionality

    first_layer = ModelName.parse(model_name).but(layer="0")
    first_layer.check()
    add_own_tasks(output_folder, task_names)
    tasks = []
    for name in task_names:
        eval_splits = list(splits) if splits else None
        tasks.append(task_named(name, eval_splits=eval_splits))
    cache = mteb.ResultCache(output_folder)
    try:
        transformer = PooledTransformer(model_name, pooling=pooling, layer=0)
        every = EveryLayer(transformer)
    except OSError as error:
        raise not_loaded(model_name, error) from None
    except ValueError as error:
        if "Unrecognized model" not in str(error):  # of transformers
            raise
        raise ValueError(
            f"{model_name} has no layers: it is no transformer, such as word vectors."
        ) from error
    encoders = every.encoders()
    ends = (encoders[0], encoders[-1])
    for task in tasks:
        for encoder in encoders:
            if isinstance(task, AbsTaskCompositionality):
                task.with_baselines = gain or encoder in ends
            mteb.evaluate(
                encoder,
                task,
                cache=cache,
                encode_kwargs={"batch_size": batch_size},
            )
        every.forget()
    return [str(encoder.mteb_model_meta.name) for encoder in encoders]
