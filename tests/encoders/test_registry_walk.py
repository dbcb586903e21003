"""mteb's whole registry, offline: each model gets what an STS task gives it, or our instruction
where it takes one.
"""

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

NOT_RUN = {
    "BMRetriever/": "mteb's wrapper does not load with sentence-transformers 6",
    "Alibaba-NLP/UEmbed- dnotitia/DNA-VL-STEER- Qwen/Qwen3-VL-Embedding- Tevatron/OmniEmbed- tencent/WeMM-Embedding-": (
        "of pictures too: takes the task's instruction by mteb's `get_task_instruction`, but needs "
        "its own files"
    ),
    "facebook/pe-av-": (
        "of sounds and pictures too: asks for the task's modalities only, and needs its own files"
    ),
    "mteb/baseline-bm25s mteb/baseline-bb25": "searches, and encodes nothing",
}
"""How the names of models begin -> why what they send cannot be seen here."""

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


def test_each_model_gets_what_an_sts_task_gives_it_or_our_instruction_and_all_others_are_named(
    found,
):
    not_run = tuple(" ".join(NOT_RUN).split())
    seen = set()
    n_instructed = 0
    wrong = set()
    for name, sent in found.items():
        if isinstance(sent, str):
            assert name.startswith(not_run)
        if not isinstance(sent, dict):
            continue
        seen.add(name)
        with_our_instruction = sent["sts with our instruction"]
        if sent["ours"] != with_our_instruction:
            wrong.add(name)
        if with_our_instruction != sent["sts"]:
            n_instructed += 1
            if name not in SENDS_THE_NAME_OF_THE_TASK:
                assert OURS[:-1] in str(sent["ours"])
    assert len(seen) > 600
    assert n_instructed >= 85
    assert wrong == SENDS_THE_NAME_OF_THE_TASK & seen


def test_by_name(found):
    expected = {
        "nomic-ai/nomic-embed-text-v1.5": ["crocodile", "prompt_name=STS"],
        "ai-forever/FRIDA": ["crocodile", "prompt=paraphrase: "],
        "google/text-embedding-005": ["crocodile", "task_type=SIMILARITY"],
        "jinaai/jina-embeddings-v3": ["crocodile", "task=text-matching"],
        "jinaai/jina-embeddings-v4": ["prompt_name=query", "task=text-matching", "texts=crocodile"],
        "jinaai/jina-embeddings-v5-text-small": [
            "crocodile",
            "prompt=Document: ",
            "task=text-matching",
        ],
        "codefuse-ai/F2LLM-v2-0.6B": ["crocodile", f"prompt=Instruct: {STS}\nQuery: "],
        "Qwen/Qwen3-Embedding-0.6B": ["crocodile", f"prompt=Instruct: {OURS}\nQuery:"],
        "intfloat/multilingual-e5-large-instruct": [
            "crocodile",
            f"prompt=Instruct: {OURS}\nQuery: ",
        ],
        "McGill-NLP/LLM2Vec-Sheared-LLaMA-mntp-supervised": [f"{OURS[:-1]}:", "crocodile"],
    }
    for name, texts in expected.items():
        *_, last_call = found[name]["ours"]
        assert last_call == texts
