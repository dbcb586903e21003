"""What the tests of the tasks for lm-eval share: a language model that says what the test tells it
to.
"""

from __future__ import annotations

import functools
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import lm_eval
import pytest
import torch.utils.collect_env
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager, _index

from harness_ext.common.folders import lm_eval_tasks

# lm-eval asks for it at each call, and it asks pip and the drivers: four seconds
torch.utils.collect_env.get_pretty_env_info = functools.cache(
    torch.utils.collect_env.get_pretty_env_info
)

# the files of its 14 000 tasks are read anew for each command else: eleven seconds
_index.load_yaml = functools.cache(_index.load_yaml)

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "lm_eval.md"


def guess(context, continuation):
    """A log-likelihood that has nothing to do with the question, the same for the same question."""
    digest = hashlib.sha256(f"{context}\0{continuation}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return -1 - share * 50


def pmi(sample):
    """The PMI of each option of a saved sample, from the answers after the prompt and those after
    the frame.
    """
    answers = [value for value, _ in sample["filtered_resps"]]
    n = len(answers) // 2
    after_prompt = answers[:n]
    after_frame = answers[n:]
    return [value - framed for value, framed in zip(after_prompt, after_frame, strict=True)]


class ScriptedLM(LM):
    """Log-likelihoods are `score(context, continuation)`."""

    def __init__(self, score=guess):
        super().__init__()
        self.score = score
        self.asked = []

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [(self.score(*request.args), False) for request in requests]

    def generate_until(self, requests, disable_tqdm=False):
        raise NotImplementedError

    loglikelihood_rolling = generate_until


def our_tasks():
    return TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)


@pytest.fixture
def evaluate():
    """Run a task as `lm_eval run` does. Returns its scores by metric, and its saved samples.

    Equal requests are asked once; of a small task, a thousand at most.
    """

    def evaluate(task, score=guess, lm=None, **kwargs):
        lm = lm or ScriptedLM(score)
        result = lm_eval.simple_evaluate(
            lm,
            tasks=[task],
            task_manager=our_tasks(),
            bootstrap_iters=0,
            **kwargs,
        )
        scores = {}
        for key, value in result["results"][task].items():
            if key.endswith(",none") and value != "N/A":
                scores[key.removesuffix(",none")] = value
        samples = result["samples"][task]
        arguments = set()
        for sample in samples:
            arguments |= {tuple(pair) for pair in sample["arguments"]}
        assert arguments == {*lm.asked}
        assert len(arguments) == len(lm.asked)
        if task.endswith("_mini"):
            assert len(lm.asked) <= 1_000
        return scores, samples

    return evaluate


@pytest.fixture(scope="session")
def tiny_causal_model(tmp_path_factory):
    """The folder of the causal model with random weights that the documentation makes, by its own
    program.
    """
    text = DOCUMENTATION.read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)[1]
    folder = tmp_path_factory.mktemp("models")
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "tiny-gpt2"


@pytest.fixture(scope="session")
def tasks_of_lm_eval():
    """Its own tasks are known to commands that run in copies of this process."""
    return TaskManager()
