"""The encoders of the papers: metadata, from models.yaml, for encoders that mteb does not know.

Imported with every `import mteb`, so it imports nothing heavy; the first loaded model imports torch and the rest. A
name has mteb's form `name (option=value)` if the checkpoint has several variants. With `(pooling=…)` or `(injected=…)`
it may be any checkpoint, see `pooled_meta`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from mteb.models.model_meta import ModelMeta
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

from harness_ext.encoders.models.local_files import files_hash, vectors_hash
from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_ext.encoders.models.elmo import Elmo
    from harness_ext.encoders.models.injected import InjectedTransformer
    from harness_ext.encoders.models.pooled import PooledTransformer
    from harness_ext.encoders.models.reference import ReferenceEncoder
    from harness_ext.encoders.models.static import StaticVectors
    from harness_ext.encoders.models.universal_sentence_encoder import UniversalSentenceEncoder

_ITEM_SIZE = {"float32": 4, "float16": 2}


def pooled_transformer(model_name: str, revision: str | None = None, **kwargs: Any) -> PooledTransformer:
    """Loads a `PooledTransformer`."""
    from harness_ext.encoders.models.pooled import PooledTransformer

    return PooledTransformer(model_name, revision, **kwargs)


def injected_transformer(model_name: str, revision: str | None = None, **kwargs: Any) -> InjectedTransformer:
    """Loads an `InjectedTransformer`."""
    from harness_ext.encoders.models.injected import InjectedTransformer

    return InjectedTransformer(model_name, revision, **kwargs)


def elmo(model_name: str, revision: str | None = None, **kwargs: Any) -> Elmo:
    """Loads an `Elmo`."""
    from harness_ext.encoders.models.elmo import Elmo

    return Elmo(model_name, revision, **kwargs)


def universal_sentence_encoder(model_name: str, revision: str | None = None, **kwargs: Any) -> UniversalSentenceEncoder:
    """Loads a `UniversalSentenceEncoder`."""
    from harness_ext.encoders.models.universal_sentence_encoder import UniversalSentenceEncoder

    return UniversalSentenceEncoder(model_name, revision, **kwargs)


def static_vectors(model_name: str, revision: str | None = None, **kwargs: Any) -> StaticVectors:
    """Loads a `StaticVectors`."""
    from harness_ext.encoders.models.static import StaticVectors

    return StaticVectors(model_name, revision, **kwargs)


def reference_encoder(model_name: str, revision: str | None = None, **kwargs: Any) -> ReferenceEncoder:
    """Loads a `ReferenceEncoder`."""
    from harness_ext.encoders.models.reference import ReferenceEncoder

    return ReferenceEncoder(model_name, revision, **kwargs)


def local_sentence_transformer(
    model_name: str, revision: str | None = None, *, folder: str, **kwargs: Any
) -> SentenceTransformerEncoderWrapper:
    """Loads the sentence-transformers model in a folder."""
    return SentenceTransformerEncoderWrapper(folder, **kwargs)


def local_static_vectors(model_name: str, revision: str | None = None, *, file: str, **kwargs: Any) -> StaticVectors:
    """Loads the word vectors in a file."""
    return static_vectors(file, revision, **kwargs)


def local_meta(place: str) -> ModelMeta | None:
    """Metadata of a model on this machine, with a hash of its files as revision.

    Args:
        place: The folder of a sentence-transformers model, or a file of word vectors, see
            `harness_ext.encoders.models.static.load_vectors`.

    Returns:
        None if there is no such folder or file.
    """
    path = Path(place)
    if path.is_dir():
        facts = {
            "name": f"local/{path.resolve().name}",
            "revision": files_hash([path]),
            "loader": local_sentence_transformer,
            "loader_kwargs": {"folder": place},
            "framework": ["PyTorch", "Sentence Transformers"],
        }
    elif path.is_file():
        facts = {
            "name": f"local/{path.name}",
            "revision": vectors_hash(path),
            "loader": local_static_vectors,
            "loader_kwargs": {"file": place},
            "framework": ["NumPy"],
        }
    else:
        return None
    return ModelMeta.create_empty(facts)


def pooled_meta(name: str, revision: str | None = None) -> ModelMeta | None:
    """Metadata of a `PooledTransformer` or `InjectedTransformer`, from its name; None for another name.

    Args:
        name: `checkpoint (pooling=…, layer=…, injected=FILE)`, or one or two of the three, with a name on the Hub or a
            folder as checkpoint. Checkpoint, pooling, layer and file are checked when the model is loaded.
        revision: A commit, branch or tag on the Hub.
    """
    options: dict[str, Any] = dict(ModelName.parse(name).options)
    if not options or not options.keys() <= {"pooling", "layer", "injected"}:
        return None
    if "layer" in options:
        options["layer"] = int(options["layer"])
    loader = injected_transformer if "injected" in options else pooled_transformer
    facts = {"name": name, "loader": loader, "loader_kwargs": options}
    meta = ModelMeta.create_empty({**facts, "framework": ["PyTorch", "Transformers"]})
    return meta.model_copy(update={"revision": revision})  # create_empty replaces None by a placeholder


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
    for entry in data["elmo"]:
        n_parameters, name = entry["n_parameters"], entry.pop("name")
        options = {"files": entry.pop("files"), "source": entry["reference"]}
        for layer_pooling in entry.pop("layer_poolings"):
            concatenated = layer_pooling == "concatenate"
            yield _meta(
                {
                    "loader": elmo,
                    "loader_kwargs": {**options, "layer_pooling": layer_pooling},
                    "name": f"{name} (layer_pooling=concatenate)" if concatenated else name,
                    "revision": "1",  # each was published once
                    "framework": ["TensorFlow"],
                    "embed_dim": 3 * 1024 if concatenated else 1024,
                    "max_tokens": float("inf"),
                    "memory_usage_mb": n_parameters and round(n_parameters * _ITEM_SIZE["float32"] / 2**20),
                    **entry,
                }
            )
    for entry in data["universal_sentence_encoder"]:
        n_parameters = entry["n_parameters"]
        yield _meta(
            {
                "loader": universal_sentence_encoder,
                "loader_kwargs": {"handle": entry["reference"]},
                "framework": ["TensorFlow"],
                "max_tokens": float("inf"),
                "memory_usage_mb": n_parameters and round(n_parameters * _ITEM_SIZE["float32"] / 2**20),
                **entry,
            }
        )
    for entry in data["reference"]:
        yield _meta(
            {
                "loader": reference_encoder,
                "framework": ["NumPy"],
                "revision": "1",
                "languages": None,
                "release_date": None,
                "license": None,
                "n_parameters": 0,
                "n_embedding_parameters": 0,
                "memory_usage_mb": 0,
                "max_tokens": float("inf"),
                "reference": None,
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
    (files("harness_ext.encoders.models") / "models.yaml").read_text(encoding="utf-8"),
    Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),  # ten times faster
)

MODELS: tuple[ModelMeta, ...] = tuple(_models(_DATA))
"""The models of the papers that mteb does not know, GloVe in other sizes too, and the reference encoders."""
