"""What the tests of the tasks for lm-eval share: a language model that says what the test tells it to."""

from __future__ import annotations

import functools
import hashlib
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import lm_eval
import pytest
import torch.utils.collect_env
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from harness_ext.names import lm_eval_tasks

# lm-eval asks for it at each call, and it asks pip and the drivers: four seconds
torch.utils.collect_env.get_pretty_env_info = functools.cache(torch.utils.collect_env.get_pretty_env_info)

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "lm_eval.md"


def guess(context, continuation):
    """A log-likelihood that has nothing to do with the question, the same for the same question."""
    digest = hashlib.sha256(f"{context}\0{continuation}".encode()).digest()
    return -1 - int.from_bytes(digest[:8], "big") / 2**64 * 50


def pmi(sample):
    """The PMI of each option of a saved sample, from the answers after the prompt and those after the frame."""
    answers = [value for value, _ in sample["filtered_resps"]]
    n = len(answers) // 2
    return [value - framed for value, framed in zip(answers[:n], answers[n:], strict=True)]


class ScriptedLM(LM):
    """Log-likelihoods are `score(context, continuation)`."""

    def __init__(self, score=guess, rank=0, ranks=None):
        super().__init__()
        self.score = score
        self._rank, self._world_size, self.ranks = rank, ranks.n if ranks else 1, ranks
        self.asked = []

    @property
    def contexts(self):
        return [context for context, _ in self.asked]

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [(self.score(*request.args), False) for request in requests]

    def generate_until(self, requests, disable_tqdm=False):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError

    def all_gather(self, tensor):
        import torch

        return torch.stack(self.ranks.exchange(self._rank, tensor))

    def gather_object(self, obj, dst=0):
        gathered = self.ranks.exchange(self._rank, pickle.dumps(obj))
        return [pickle.loads(part) for part in gathered] if self._rank == dst else None

    def barrier(self):
        self.ranks.exchange(self._rank, None)


class Ranks:
    """Threads in the place of the processes of several GPUs: each gives something and gets what all gave."""

    def __init__(self, n):
        self.n, self.given, self.meeting = n, [None] * n, threading.Barrier(n, timeout=60)

    def exchange(self, rank, given):
        self.given[rank] = given
        self.meeting.wait()
        everything = list(self.given)
        self.meeting.wait()
        return everything


def our_tasks():
    return TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)


@pytest.fixture
def manager():
    return our_tasks()


def scores_and_samples(result, task):
    scores = {
        key.removesuffix(",none"): value
        for key, value in result["results"][task].items()
        if key.endswith(",none") and value != "N/A"
    }
    return scores, result["samples"][task]


@pytest.fixture
def evaluate():
    """Run a task as `lm_eval run` does. Returns its scores by metric, and its saved samples."""

    def evaluate(task, score=guess, lm=None, **kwargs):
        lm = lm or ScriptedLM(score)
        result = lm_eval.simple_evaluate(lm, tasks=[task], task_manager=our_tasks(), bootstrap_iters=0, **kwargs)
        return scores_and_samples(result, task)

    return evaluate


@pytest.fixture
def evaluate_on_ranks():
    """The same on several ranks at once; what the first of them returns, which gathers from the others."""

    def evaluate_on_ranks(task, n, **script):
        ranks, results = Ranks(n), {}
        loaded = [our_tasks().load([task]) for _ in range(n)]

        def run(rank):
            lm = ScriptedLM(rank=rank, ranks=ranks, **script)
            results[rank] = lm_eval.evaluate(lm, loaded[rank], bootstrap_iters=0)

        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return scores_and_samples(results[0], task)

    return evaluate_on_ranks


@pytest.fixture
def scripted_lm():
    return ScriptedLM


@pytest.fixture
def guesses():
    return guess


@pytest.fixture(scope="session")
def tiny_causal_model(tmp_path_factory):
    """The folder of the causal model with random weights that the documentation makes, by its own program."""
    program = re.search(r"```python\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), flags=re.DOTALL)[1]
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    return folder / "tiny-gpt2"
