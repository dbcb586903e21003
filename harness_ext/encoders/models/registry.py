"""Metadata of the papers' encoders that mteb does not know, from models.yaml.

Every `import mteb` imports this module, so it imports nothing heavy; loading a model imports torch and the rest. A name
has mteb's form `name (option=value)` if the checkpoint has several variants. With `(pooling=…)` or `(injected=…)` it
may be any checkpoint, see `pooled_meta`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from mteb.models.model_meta import ModelMeta
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

from harness_ext.encoders.models.local_files import files_hash, vectors_hash
from harness_ext.model_name import ModelName

_ITEM_SIZE = {"float32": 4, "float16": 2}


def _loader(name: str, module: str, kind: str) -> Callable[..., Any]:
    """Make a loader that imports its module on the first call. Metadata and pickles know it by its name here."""

    def load(model_name: str, revision: str | None = None, **kwargs: Any) -> Any:
        return getattr(import_module(f"harness_ext.encoders.models.{module}"), kind)(model_name, revision, **kwargs)

    load.__name__ = load.__qualname__ = name
    return load


pooled_transformer = _loader("pooled_transformer", "pooled", "PooledTransformer")
injected_transformer = _loader("injected_transformer", "injected", "InjectedTransformer")
elmo = _loader("elmo", "elmo", "Elmo")
universal_sentence_encoder = _loader(
    "universal_sentence_encoder", "universal_sentence_encoder", "UniversalSentenceEncoder"
)
static_vectors = _loader("static_vectors", "static", "StaticVectors")
reference_encoder = _loader("reference_encoder", "reference", "ReferenceEncoder")


def local_sentence_transformer(
    model_name: str, revision: str | None = None, *, folder: str, **kwargs: Any
) -> SentenceTransformerEncoderWrapper:
    """Load the sentence-transformers model in a folder."""
    return SentenceTransformerEncoderWrapper(folder, **kwargs)


def local_static_vectors(model_name: str, revision: str | None = None, *, file: str, **kwargs: Any) -> Any:
    """Load the word vectors in a file."""
    return static_vectors(file, revision, **kwargs)


def local_meta(place: str) -> ModelMeta | None:
    """Make metadata of a model on this machine, with a hash of its files as revision.

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
    """Make metadata of a `PooledTransformer` or `InjectedTransformer` from its name; None for any other name.

    Args:
        name: `checkpoint (pooling=…, layer=…, injected=FILE)` with at least one of the options; the checkpoint is a
            name on the Hub or a folder. Loading the model checks checkpoint, pooling, layer and file.
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
        checkpoint, dtype = entry.pop("checkpoint"), entry.pop("dtype", "float32")
        for pooling in entry.pop("poolings"):
            yield _meta(
                entry,
                _ITEM_SIZE[dtype],
                loader=pooled_transformer,
                loader_kwargs={"pooling": pooling, "dtype": dtype},
                name=f"{checkpoint} (pooling={pooling})",
                reference=f"https://huggingface.co/{checkpoint}",
                framework=["PyTorch", "Transformers"],
                adapted_from=checkpoint,
            )
    for entry in data["sentence_transformers"]:
        yield _meta(
            entry,
            loader=SentenceTransformerEncoderWrapper,
            reference=f"https://huggingface.co/{entry['name']}",
            framework=["PyTorch", "Sentence Transformers"],
            languages=["eng-Latn"],
            embed_dim=768,
        )
    for entry in data["static"]:
        n_parameters = entry.setdefault("embed_dim", 300) * entry.pop("n_words")
        options = {"files": entry.pop("files"), "binary": entry.pop("binary"), "source": entry["reference"]}
        yield _meta(
            entry,
            loader=static_vectors,
            loader_kwargs=options,
            revision="1",  # each was published once
            framework=["NumPy"],
            languages=["eng-Latn"],
            max_tokens=float("inf"),
            n_parameters=n_parameters,
            n_embedding_parameters=n_parameters,
        )
    for entry in data["elmo"]:
        name, options = entry.pop("name"), {"files": entry.pop("files"), "source": entry["reference"]}
        for layer_pooling in entry.pop("layer_poolings"):
            concatenated = layer_pooling == "concatenate"
            yield _meta(
                entry,
                loader=elmo,
                loader_kwargs={**options, "layer_pooling": layer_pooling},
                name=f"{name} (layer_pooling=concatenate)" if concatenated else name,
                revision="1",  # each was published once
                framework=["TensorFlow"],
                embed_dim=3 * 1024 if concatenated else 1024,
                max_tokens=float("inf"),
            )
    for entry in data["universal_sentence_encoder"]:
        yield _meta(
            entry,
            loader=universal_sentence_encoder,
            loader_kwargs={"handle": entry["reference"]},
            framework=["TensorFlow"],
            max_tokens=float("inf"),
        )
    for entry in data["reference"]:
        unknown = dict.fromkeys(("languages", "release_date", "license", "reference"))
        none = dict.fromkeys(("n_parameters", "n_embedding_parameters", "memory_usage_mb"), 0)
        yield _meta(
            {**unknown, **none, **entry},
            loader=reference_encoder,
            framework=["NumPy"],
            revision="1",
            max_tokens=float("inf"),
        )


def _meta(entry: dict[str, Any], item_size: int = 4, **facts: Any) -> ModelMeta:
    """Make metadata of an entry of models.yaml; `facts` hold for its kind, `item_size` is in bytes per weight."""
    facts = {
        "revision": None,
        "open_weights": True,
        "similarity_fn_name": "cosine",
        "use_instructions": False,
        "public_training_code": None,
        "public_training_data": None,
        "training_datasets": [],  # none of mteb's
        "model_type": ["dense"],
        "modalities": ["text"],
        **facts,
        **entry,
    }
    n_parameters, trained_on = facts["n_parameters"], facts["training_datasets"]
    facts.setdefault("memory_usage_mb", n_parameters and round(n_parameters * item_size / 2**20))
    return ModelMeta(**facts | {"training_datasets": trained_on if trained_on is None else set(trained_on)})


_DATA: dict[str, Any] = yaml.load(
    (files("harness_ext.encoders.models") / "models.yaml").read_text(encoding="utf-8"),
    Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),  # ten times faster
)

MODELS: tuple[ModelMeta, ...] = tuple(_models(_DATA))
"""The models of the papers that mteb does not know, GloVe in other sizes too, and the reference encoders."""
