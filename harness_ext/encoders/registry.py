"""The encoders of the papers: metadata for those that mteb does not know, read from models.yaml.

Imported with every `import mteb`, so it imports nothing heavy; torch and the rest come with the first model that is
loaded. A name is mteb's own `name (option=value)` where the checkpoint's name does not say it all. With `(pooling=…)`
it may be that of any checkpoint, see `pooled_meta`.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from mteb.models.model_meta import ModelMeta
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_ext.encoders.pooled import PooledTransformer
    from harness_ext.encoders.static import StaticVectors

_ITEM_SIZE = {"float32": 4, "float16": 2}


def pooled_transformer(model_name: str, revision: str | None = None, **kwargs: Any) -> PooledTransformer:
    """Loads a `PooledTransformer`."""
    from harness_ext.encoders.pooled import PooledTransformer

    return PooledTransformer(model_name, revision, **kwargs)


def static_vectors(model_name: str, revision: str | None = None, **kwargs: Any) -> StaticVectors:
    """Loads a `StaticVectors`."""
    from harness_ext.encoders.static import StaticVectors

    return StaticVectors(model_name, revision, **kwargs)


def pooled_meta(name: str, revision: str | None = None) -> ModelMeta | None:
    """Metadata of a `PooledTransformer`, from a name alone; None for a name that does not end in ` (pooling=…)`.

    Args:
        name: `checkpoint (pooling=…)`, with a name on the Hub or a folder as checkpoint. Whether there is one, and
            the pooling too, is found out when the model is loaded.
        revision: A commit, branch or tag on the Hub.
    """
    if not (found := re.fullmatch(r"(?P<checkpoint>.+) \(pooling=(?P<pooling>[^()]*)\)", name, re.DOTALL)):
        return None
    facts = {"name": name, "loader": pooled_transformer, "loader_kwargs": {"pooling": found["pooling"]}}
    meta = ModelMeta.create_empty({**facts, "framework": ["PyTorch", "Transformers"]})
    return meta.model_copy(update={"revision": revision})  # where there is none, the above makes one up


def _models(data: dict[str, Any]) -> Iterator[ModelMeta]:
    for entry in data["pooled"]:
        checkpoint, poolings = entry.pop("checkpoint"), entry.pop("poolings")
        dtype = entry.pop("dtype", "float32")
        for pooling in poolings:
            yield _meta(
                {
                    "loader": pooled_transformer,
                    "loader_kwargs": {"pooling": pooling, "dtype": dtype},
                    "name": f"{checkpoint} (pooling={pooling})",
                    "reference": f"https://huggingface.co/{checkpoint}",
                    "framework": ["PyTorch", "Transformers"],
                    "adapted_from": checkpoint,
                    "memory_usage_mb": round(entry["n_parameters"] * _ITEM_SIZE[dtype] / 2**20),
                    **entry,
                }
            )
    for entry in data["sentence_transformers"]:
        yield _meta(
            {
                "loader": SentenceTransformerEncoderWrapper,
                "reference": f"https://huggingface.co/{entry['name']}",
                "framework": ["PyTorch", "Sentence Transformers"],
                "languages": ["eng-Latn"],
                "embed_dim": 768,
                "memory_usage_mb": round(entry["n_parameters"] * _ITEM_SIZE["float32"] / 2**20),
                **entry,
            }
        )
    for entry in data["static"]:
        dimensions = entry.setdefault("embed_dim", 300)
        n_parameters = dimensions * entry.pop("n_words")
        yield _meta(
            {
                "loader": static_vectors,
                "loader_kwargs": {
                    "files": entry.pop("files"),
                    "binary": entry.pop("binary"),
                    "source": entry["reference"],
                },
                "revision": "1",  # each was published once
                "framework": ["NumPy"],
                "languages": ["eng-Latn"],
                "max_tokens": float("inf"),
                "n_parameters": n_parameters,
                "n_embedding_parameters": n_parameters,
                "memory_usage_mb": round(n_parameters * _ITEM_SIZE["float32"] / 2**20),
                **entry,
            }
        )


def _meta(facts: dict[str, Any]) -> ModelMeta:
    common = {
        "revision": None,
        "open_weights": True,
        "similarity_fn_name": "cosine",
        "use_instructions": False,
        "public_training_code": None,
        "public_training_data": None,
        "training_datasets": [],  # none of mteb's
        "model_type": ["dense"],
        "modalities": ["text"],
    }
    facts = common | facts
    known = facts["training_datasets"]
    return ModelMeta(**facts | {"training_datasets": known if known is None else set(known)})


_DATA: dict[str, Any] = yaml.load(
    (files("harness_ext.encoders") / "models.yaml").read_text(encoding="utf-8"),
    Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),  # ten times faster
)

MODELS: tuple[ModelMeta, ...] = tuple(_models(_DATA))
"""The models of the papers that mteb does not know."""


class PaperModel(NamedTuple):
    """An encoder that a paper ran.

    Attributes:
        label: What the paper calls it.
        name: What mteb does.
        language: The ISO 639-3 code of the only language that the paper ran it on, if the task has more.
    """

    label: str
    name: str
    language: str | None = None


PAPER_MODELS: dict[str, tuple[PaperModel, ...]] = {
    paper: tuple(PaperModel(*entry) for entry in entries) for paper, entries in _DATA["papers"].items()
}
"""The encoders of each paper whose checkpoints are known and can be had."""
