"""Encoders that fail while they work, and checkpoints that bring code of their own.

An encoder that gives its vectors back in another order than that of the texts cannot be told from another encoder. That
of sentence-transformers, whose processes share the texts out, keeps the order: right are the scores of one process.
Code that came with a checkpoint is executed by no command, unless the user says so; it would leave a file behind.
"""

import shutil

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from tests.hostile.judge import PlantedError, command
from tests.hostile.planted_models import CHECKPOINTS, NEEDS_CODE, checkpoint, tiny_model
from tests.hostile.planted_results import FIRST, SECOND, TASK, Planted, file_of, main_score, measure, score_in, sound

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]


def _raise_on_one(vectors):
    raise PlantedError("planted: out of memory on one text")


FAILING = {
    "raises an error": (_raise_on_one, ("planted: out of memory on one text",)),
    "zeros for all": (np.zeros_like, (FIRST,)),
    "float16 that overflows": (lambda vectors: (vectors * 1e4).astype(np.float16), (FIRST, "float32")),
    "a row too few": (lambda vectors: vectors[:-1], (FIRST, "expected")),
    "NaN in the last row": (lambda vectors: np.vstack([vectors[:-1], vectors[-1:] * np.nan]), (FIRST, "NaN")),
}
"""What is returned in the middle of a folder of results, and what must be said."""

COMMANDS = {
    "mteb run": ("mteb", "run", "-m", "MODEL", "-t", TASK, "--output-folder", "out"),
    "mteb run, pooled": ("mteb", "run", "-m", "MODEL (pooling=cls)", "-t", TASK, "--output-folder", "out"),
    "finetune-pss": ("harness-ext", "finetune-pss", "-m", "MODEL", "--task", "PolaritySensitivityMini"),
    "sweep": ("harness-ext", "sweep", "--models", "models.txt", "-t", TASK, "--output-folder", "out"),
    "verify --rerun": ("harness-ext", "verify", "out", "--rerun", "--by", "me"),
}
"""What loads a model: MODEL is its folder, which is also called as the model whose results are in `out`."""


@pytest.mark.parametrize("kind", FAILING)
def test_an_encoder_that_fails_leaves_the_result_that_was_there(kind, tmp_path, judge):
    make, names = FAILING[kind]
    out = sound(tmp_path)
    score = score_in(file_of(out))
    judge(lambda: measure(out, make=make, overwrite_strategy="always"), None, *names, folder=out)
    assert score_in(file_of(out)) == score


def test_several_processes_of_sentence_transformers(judge):
    """The vectors that two processes compute, through the task."""
    tiny = SentenceTransformer(str(tiny_model()), device="cpu")

    def measured(**options):
        class Model(Planted):
            def encode(self, inputs, **kwargs):
                return tiny.encode([text for batch in inputs for text in batch["text"]], **options)

        return main_score("PolaritySensitivityMini", Model())

    expected = measured()
    pool = tiny.start_multi_process_pool(["cpu", "cpu"])
    try:
        judge(lambda: measured(pool=pool, chunk_size=7), lambda score: abs(score - expected) < 1e-6)
    finally:
        tiny.stop_multi_process_pool(pool)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(NEEDS_CODE, name) for name in COMMANDS] + [(kind, "mteb run") for kind in CHECKPOINTS if kind != NEEDS_CODE],
)
def test_code_of_a_checkpoint(kind, name, tmp_path, judge):
    """Right if the command does without the code, clear if it says that it does not execute it."""
    marker, model = tmp_path / "marker", tmp_path / FIRST
    if name == "verify --rerun":  # before there is a folder of the model's name
        shutil.rmtree(file_of(sound(tmp_path), SECOND).parents[1])
    checkpoint(model, kind, marker)
    (tmp_path / "models.txt").write_text(f"{model}\n")
    line = [part.replace("MODEL", str(model)) for part in COMMANDS[name]]
    done = command(*line, HF_HUB_OFFLINE="1", HF_MODULES_CACHE=str(tmp_path / "modules"))
    said = done.stdout + done.stderr
    traced = line[0] == "harness-ext" and "Traceback (most recent call last)" in said
    told = "trust_remote_code" in said or "could not be run" in said
    rerun = "A rerun did not confirm it" in said  # rightly: the result is another encoder's
    assert not marker.exists(), "the code was executed"
    assert done.returncode == 0 or rerun or (told and not traced), said[-300:]
