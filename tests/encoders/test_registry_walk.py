"""mteb's whole registry, offline: each model gets what an STS task gives it, or our instruction where it takes one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

SENDS_THE_NAME_OF_THE_TASK = {"jcorners/ingot-8b-r3"}
"""A service gets the name of the task with each text, and may do with it what it likes."""

_WHY = {
    "mteb's wrapper does not load with sentence-transformers 6": (
        "BMRetriever/BMRetriever-1B BMRetriever/BMRetriever-2B BMRetriever/BMRetriever-410M BMRetriever/BMRetriever-7B"
    ),
    "of pictures too: takes the task's instruction by mteb's `get_task_instruction`, but needs its own files": (
        "Alibaba-NLP/UEmbed-2B Alibaba-NLP/UEmbed-4B Alibaba-NLP/UEmbed-9B dnotitia/DNA-VL-STEER-2B "
        "Qwen/Qwen3-VL-Embedding-2B Qwen/Qwen3-VL-Embedding-8B Tevatron/OmniEmbed-v0.1 "
        "tencent/WeMM-Embedding-2B tencent/WeMM-Embedding-4B tencent/WeMM-Embedding-9B"
    ),
    "of sounds and pictures too: asks for the modalities of the task only, and needs its own files": (
        "facebook/pe-av-base facebook/pe-av-base-16-frame facebook/pe-av-large facebook/pe-av-large-16-frame "
        "facebook/pe-av-small facebook/pe-av-small-16-frame"
    ),
    "searches, and encodes nothing": "mteb/baseline-bm25s mteb/baseline-bm25s-subword mteb/baseline-bb25",
}
NOT_RUN = {name: why for why, names in _WHY.items() for name in names.split()}
"""Model -> why what it sends cannot be seen here."""

STS = "Retrieve semantically similar text."
OURS = "Given a sentence, encode its semantic properties."


@pytest.fixture(scope="module")
def found():
    """Name -> what it sends, see `registry_walk`; None if the wrapper never looks at the task."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.encoders.registry_walk"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def sent(found):
    return {name: each for name, each in found.items() if isinstance(each, dict)}


def test_each_model_gets_what_an_sts_task_gives_it(sent):
    wrong = {name for name, each in sent.items() if each["ours"] != each["sts with our instruction"]}
    assert wrong == SENDS_THE_NAME_OF_THE_TASK & sent.keys()
    assert len(sent) > 600


def test_all_others_are_named(found):
    assert {name for name, each in found.items() if isinstance(each, str)} <= NOT_RUN.keys()


def test_the_type_decides_for_dozens_and_a_hundred_take_our_instruction(sent):
    by_type = {name for name, each in sent.items() if each["ours"] != each["ours, of its own type"]}
    instructed = {name for name, each in sent.items() if each["sts with our instruction"] != each["sts"]}
    assert len(by_type) >= 40
    assert len(instructed) >= 85
    assert {name for name in instructed if OURS[:-1] not in str(sent[name]["ours"])} <= SENDS_THE_NAME_OF_THE_TASK
    assert instructed.isdisjoint(by_type)


def test_by_name(sent):
    expected = {
        "nomic-ai/nomic-embed-text-v1.5": ["crocodile", "prompt_name=STS"],
        "jxm/cde-small-v2": ["crocodile", "prompt=classification: "],
        "ai-forever/FRIDA": ["crocodile", "prompt=paraphrase: "],
        "google/text-embedding-005": ["crocodile", "task_type=SIMILARITY"],
        "jinaai/jina-embeddings-v3": ["crocodile", "task=text-matching"],
        "jinaai/jina-embeddings-v4": ["prompt_name=query", "task=text-matching", "texts=crocodile"],
        "jinaai/jina-embeddings-v5-text-small": ["crocodile", "prompt=Document: ", "task=text-matching"],
        "codefuse-ai/F2LLM-v2-0.6B": ["crocodile", f"prompt=Instruct: {STS}\nQuery: "],
        "dmis-lab/UltraBERT-Embed-150M": ["crocodile", f"prompt=Instruct: {STS}\nQuery: "],
        "Qwen/Qwen3-Embedding-0.6B": ["crocodile", f"prompt=Instruct: {OURS}\nQuery:"],
        "intfloat/multilingual-e5-large-instruct": ["crocodile", f"prompt=Instruct: {OURS}\nQuery: "],
        "McGill-NLP/LLM2Vec-Sheared-LLaMA-mntp-supervised": [f"{OURS[:-1]}:", "crocodile"],
    }
    assert {name: sent[name]["ours"][-1] for name in expected} == expected
