"""What each text encoder in mteb's registry sends to its network or its service for one text: a
program, prints JSON.

No weights are loaded. What a wrapper loads (sentence-transformers, transformers' Auto classes,
clients of services, packages that are not installed) is replaced by one object that keeps all
calls; the wrapper itself is mteb's own. In a process of its own, because it pretends that packages
are there.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import inspect
import json
import logging
import os
import random
import re
import sys
import types
import warnings
from abc import ABC
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import MagicMock, patch

import huggingface_hub
import mteb
import numpy as np
import requests
import sentence_transformers
import torch
import transformers
from datasets import Dataset
from mteb.abstasks.sts import AbsTaskSTS
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_implementations import MODEL_REGISTRY
from torch.utils.data import DataLoader

from harness_ext.encoders.batches import as_seen_by_models
from harness_ext.harnesses.mteb.task import PROMPT

TEXT = "crocodile"
INPUTS = DataLoader(Dataset.from_dict({"text": [TEXT]}), batch_size=2)

NOT_INSTALLED = (
    *("boto3", "botocore", "cohere", "google.genai", "openai", "tiktoken", "vertexai", "voyageai"),
    *(
        "av",
        "librosa",
        "open_clip",
        "qwen_omni_utils",
        "qwen_vl_utils",
        "soundfile",
        "torchaudio",
        "torchcodec",
    ),
    *(
        "colpali_engine",
        "flash_attn",
        "gritlm",
        "languagebind",
        "llm2vec",
        "octen",
        "peft",
        "torchvision",
    ),
)

KEYS = (
    *(
        "ARK_API_KEY",
        "CONAN_AK",
        "CONAN_SK",
        "COHERE_API_KEY",
        "DOUBAO_API_KEY",
        "GEEVEC_API_KEY",
        "GEEVEC_BASE_URL",
    ),
    *("MCINEXT_API_KEY", "MTEB_API_KEY", "OPENAI_API_KEY", "VOLCES_AUTH_TOKEN", "VOYAGE_API_KEY"),
)

_PASSED_ON = re.compile(
    r"task_metadata: .*|abstasks.task_metadata|task_metadata=task_metadata|task_metadata\.name\}"
)
"""Imports, parameters, their documentation, arguments, and messages."""

calls = MagicMock()


class Pretended(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that are not installed."""

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        ours = any(name == package or name.startswith(f"{package}.") for package in NOT_INSTALLED)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if ours else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module: Any = types.ModuleType(spec.name)
        module.__path__, module.__version__ = [], "99"
        module.__getattr__ = lambda name: getattr(calls, name)  # which refuses `__names__`
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class Network(MagicMock):
    """In the place of sentence-transformers' models."""

    def encode(self, texts: list[str], **options: Any) -> Any:
        calls.encode(texts, **options)
        return (torch.zeros if options.get("convert_to_tensor") else np.zeros)((len(texts), 8))


def network(*_: Any, **__: Any) -> Network:
    made = Network()
    made.prompts, made.default_prompt_name = {}, None
    return made


def strings(value: Any) -> Iterator[str]:
    """All texts in the arguments of a call, those with a name as `name=text`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inside in sorted(value.items(), key=str):
            yield from (f"{name}={text}" for text in strings(inside))
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from strings(inside)


def sent(model: Any, metadata: Any) -> list[list[str]]:
    """What a model sends for `TEXT`: the texts in each call. What comes back is no vector, so it
    may fail then.
    """
    calls.mock_calls.clear()  # `reset_mock` goes through all that was ever called
    random.seed(0)  # of signed requests
    error: Exception | None = None
    try:
        model.encode(
            INPUTS, task_metadata=metadata, hf_split="test", hf_subset="default", batch_size=2
        )
    except Exception as raised:
        error = raised
    found = [list(strings([call.args, call.kwargs])) for call in calls.mock_calls]
    if not any(TEXT in text for texts in found for text in texts):
        raise LookupError(f"sent no text: {error}")
    return [texts for texts in found if texts]


def loaded(name: str, meta: Any) -> Any:
    options = {"device": "cpu", **meta.loader_kwargs}
    try:
        return meta.loader(name, revision=meta.revision, **options)
    except TypeError:  # of loaders that take no device, or their name by keyword
        options.pop("device")
        return meta.loader(**{"model_name": name, "revision": meta.revision, **options})


def asks_for_the_task(loader: Any) -> bool:
    """Whether the source of a wrapper looks at the metadata of a task, or lets mteb do so."""
    parts = inspect.getmro(loader) if inspect.isclass(loader) else [sys.modules[loader.__module__]]
    sources = [inspect.getsource(part) for part in parts if part not in (AbsEncoder, ABC, object)]
    return any("task_metadata" in _PASSED_ON.sub("", source) for source in sources)


def walk() -> dict[str, Any]:
    """Name -> what it sends by the metadata of a task, or why that cannot be said."""
    sts = mteb.get_task("STSBenchmark").metadata.model_copy(update={"name": "NoModelKnowsMe"})
    asked = {
        "ours": as_seen_by_models(mteb.get_task("EpsilonCompositionalityMini").metadata),
        "sts": sts.model_copy(update={"prompt": AbsTaskSTS.abstask_prompt}),
        "sts with our instruction": sts.model_copy(update={"name": "NorMe", "prompt": PROMPT}),
    }
    found: dict[str, Any] = {}
    for name, meta in MODEL_REGISTRY.items():
        if meta.loader is None or meta.loader.__module__.startswith("harness_ext."):
            continue
        if "text" not in (meta.modalities or ["text"]) or {
            "cross-encoder",
            "late-interaction",
        } & set(meta.model_type):
            continue
        try:
            model = loaded(name, meta)
            found[name] = {which: sent(model, metadata) for which, metadata in asked.items()}
        except Exception as error:
            found[name] = (
                f"{type(error).__name__}: {error}" if asks_for_the_task(meta.loader) else None
            )
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.meta_path.append(Pretended())
    calls.AutoConfig.from_pretrained.return_value.transductive_corpus_size = 4  # of cde
    classes = {name for name in dir(transformers) if name.startswith("Auto")} | {
        "AutoModelForVision2Seq"
    }
    classes |= {
        name
        for name in dir(transformers)
        if name.endswith(("Processor", "ForConditionalGeneration"))
    }
    with ExitStack() as stack:
        for replaced in (
            patch.dict(os.environ, dict.fromkeys(KEYS, "http://none")),
            patch.dict(vars(transformers), {name: getattr(calls, name) for name in classes}),
            patch.object(sentence_transformers, "SentenceTransformer", network),
            patch("sentence_transformers.sparse_encoder.SparseEncoder", network),
            patch.object(requests.sessions.Session, "request", calls.request),
            patch.object(huggingface_hub, "snapshot_download", return_value="/nowhere"),
            patch.object(huggingface_hub, "hf_hub_download", return_value="/nowhere"),
            patch("time.sleep"),
            patch("time.time", return_value=0.0),
            patch("random.SystemRandom", lambda: random),
        ):
            stack.enter_context(replaced)
        found = walk()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
