"""A model of sentence-transformers with its weights in another dtype, or spread over devices, as
`MODEL (dtype=bfloat16)` and `MODEL (device_map=auto)`.
"""

from typing import Any

import mteb
import torch

from harness_ext.encoders.identity.facts import dtype_of


def weights(
    model_name: str,
    revision: str | None = None,
    *,
    plain: str,
    dtype: str = "",
    device_map: str = "",
    **kwargs: Any,
) -> Any:
    """Load the model `plain` as mteb does, with weights as asked.

    Args:
        model_name: With the options, for messages.
        revision: Of the model.
        plain: A name or a place as `mteb run -m` takes it.
        dtype: torch's name of the dtype; that of the files if empty.
        device_map: How transformers spreads the weights over devices, such as `auto`; on one device
            if empty.
        **kwargs: As mteb gives them to the loader of the model.

    Raises:
        ValueError: The model has its weights in another dtype all the same, or none.
    """
    meta = mteb.get_model_meta(plain, revision, fetch_from_hf=True)
    model_kwargs: dict[str, Any] = {**meta.loader_kwargs.get("model_kwargs", {})}
    if dtype:
        model_kwargs.pop("dtype", None)
        model_kwargs["torch_dtype"] = getattr(torch, dtype)
    if device_map:
        model_kwargs["device_map"] = device_map
        kwargs.pop("device", None)  # the map says where
    model: Any = meta.load_model(**kwargs, model_kwargs=model_kwargs)
    found = dtype_of(model)
    if dtype and found != dtype:
        has = f"has weights in {found}" if found else "has no weights of torch"
        raise ValueError(
            f"{model_name}: {plain} {has}, whatever dtype is asked. Name it without dtype={dtype}."
        )
    return model
