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
    # services
    "boto3",
    "botocore",
    "cohere",
    "google.genai",
    "openai",
    "tiktoken",
    "vertexai",
    "voyageai",
    # sounds and pictures
    "av",
    "librosa",
    "open_clip",
    "qwen_omni_utils",
    "qwen_vl_utils",
    "soundfile",
    "torchaudio",
    "torchcodec",
    "torchvision",
    # models and their adapters
    "colpali_engine",
    "flash_attn",
    "gritlm",
    "languagebind",
    "llm2vec",
    "octen",
    "peft",
)

KEYS = (
    "ARK_API_KEY",
    "CONAN_AK",
    "CONAN_SK",
    "COHERE_API_KEY",
    "DOUBAO_API_KEY",
    "GEEVEC_API_KEY",
    "GEEVEC_BASE_URL",
    "MCINEXT_API_KEY",
    "MTEB_API_KEY",
    "OPENAI_API_KEY",
    "VOLCES_AUTH_TOKEN",
    "VOYAGE_API_KEY",
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
        for package in NOT_INSTALLED:
            if name == package or name.startswith(f"{package}."):
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        def attribute(name: str) -> Any:
            return getattr(calls, name)  # which refuses `__names__`

        module: Any = types.ModuleType(spec.name)
        module.__path__ = []
        module.__version__ = "99"
        module.__getattr__ = attribute
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class Network(MagicMock):
    """In the place of sentence-transformers' models."""

    def encode(self, texts: list[str], **options: Any) -> Any:
        calls.encode(texts, **options)
        shape = (len(texts), 8)
        if options.get("convert_to_tensor"):
            return torch.zeros(shape)
        return np.zeros(shape)


def network(*_: Any, **__: Any) -> Network:
    made = Network()
    made.prompts = {}
    made.default_prompt_name = None
    return made


def strings(value: Any) -> Iterator[str]:
    """All texts in the arguments of a call, those with a name as `name=text`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inside in sorted(value.items(), key=str):
            for text in strings(inside):
                yield f"{name}={text}"
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
    found = []
    for call in calls.mock_calls:
        texts = list(strings([call.args, call.kwargs]))
        if texts:
            found.append(texts)
    if TEXT not in str(found):
        raise LookupError(f"sent no text: {error}")
    return found


def loaded(name: str, meta: Any) -> Any:
    options = {"revision": meta.revision, "device": "cpu", **meta.loader_kwargs}
    try:
        return meta.loader(name, **options)
    except TypeError:  # of loaders that take no device, or their name by keyword
        options.pop("device")
        return meta.loader(**{"model_name": name, **options})


def asks_for_the_task(loader: Any) -> bool:
    """Whether the source of a wrapper looks at the metadata of a task, or lets mteb do so."""
    parts: list[Any] = [sys.modules[loader.__module__]]
    if inspect.isclass(loader):
        parts = [part for part in loader.__mro__ if part not in (AbsEncoder, ABC, object)]
    for part in parts:
        source = inspect.getsource(part)
        if "task_metadata" in _PASSED_ON.sub("", source):
            return True
    return False


def walk() -> dict[str, Any]:
    """Name -> what it sends by the metadata of a task, or why that cannot be said."""
    ours = mteb.get_task("EpsilonCompositionalityMini").metadata
    sts = mteb.get_task("STSBenchmark").metadata
    prompt_of_sts = {"name": "NoModelKnowsMe", "prompt": AbsTaskSTS.abstask_prompt}
    our_instruction = {"name": "NorMe", "prompt": PROMPT}
    asked = {
        "ours": as_seen_by_models(ours),
        "sts": sts.model_copy(update=prompt_of_sts),
        "sts with our instruction": sts.model_copy(update=our_instruction),
    }
    found: dict[str, Any] = {}
    for name, meta in MODEL_REGISTRY.items():
        if not is_text_encoder(meta):
            continue
        try:
            model = loaded(name, meta)
            found[name] = {which: sent(model, metadata) for which, metadata in asked.items()}
        except Exception as error:
            found[name] = None
            if asks_for_the_task(meta.loader):
                found[name] = f"{type(error).__name__}: {error}"
    return found


def is_text_encoder(meta: Any) -> bool:
    """Whether a model of mteb's own encodes single texts."""
    if meta.loader is None or meta.loader.__module__.startswith("harness_ext."):
        return False
    reads_pairs = {"cross-encoder", "late-interaction"} & set(meta.model_type)
    return "text" in (meta.modalities or ["text"]) and not reads_pairs


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.meta_path.append(Pretended())
    calls.AutoConfig.from_pretrained.return_value.transductive_corpus_size = 4  # of cde
    keys = dict.fromkeys(KEYS, "http://none")
    classes = {"AutoModelForVision2Seq": calls.AutoModelForVision2Seq}
    for name in dir(transformers):
        if name.startswith("Auto") or name.endswith(("Processor", "ForConditionalGeneration")):
            classes[name] = getattr(calls, name)

    def system_random() -> Any:
        return random

    with ExitStack() as stack:
        for replaced in (
            patch.dict(os.environ, keys),
            patch.dict(vars(transformers), classes),
            patch.object(sentence_transformers, "SentenceTransformer", network),
            patch("sentence_transformers.sparse_encoder.SparseEncoder", network),
            patch.object(requests.sessions.Session, "request", calls.request),
            patch.object(huggingface_hub, "snapshot_download", return_value="/nowhere"),
            patch.object(huggingface_hub, "hf_hub_download", return_value="/nowhere"),
            patch("time.sleep"),
            patch("time.time", return_value=0.0),
            patch("random.SystemRandom", system_random),
        ):
            stack.enter_context(replaced)
        found = walk()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
