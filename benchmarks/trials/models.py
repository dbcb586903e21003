"""Encoders that fail while they work, and checkpoints that bring code of their own.

An encoder that gives its vectors back in another order than that of the texts cannot be told from another encoder. That
of sentence-transformers, whose processes share the texts out, keeps the order: right are the scores of one process.
Code that came with a checkpoint is executed by no command, unless the user says so; it would leave a file behind.
"""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
from mteb.models import ModelMeta

from benchmarks.trials.encoders import Planted
from benchmarks.trials.finetuning import tiny_model
from benchmarks.trials.results import FIRST, SECOND, TASK, file_of, main_score, sound
from benchmarks.trials.trial import Trial, Verdict, judge, run, unless_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREA = "encoders at work"


def _raise_on_one(vectors: Any) -> Any:
    raise RuntimeError("planted: out of memory on one text")


FAILING: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "raises an error": (_raise_on_one, ("planted: out of memory on one text",)),
    "zeros for all": (np.zeros_like, (FIRST,)),
    "float16 that overflows": (lambda vectors: (vectors * 1e4).astype(np.float16), (FIRST, "float32")),
    "a row too many": (lambda vectors: np.vstack([vectors, vectors[:1]]), (FIRST, "expected")),
    "a row too few": (lambda vectors: vectors[:-1], (FIRST, "expected")),
    "twice the rows": (lambda vectors: np.vstack([vectors, vectors]), (FIRST, "expected")),
    "NaN in the last row": (lambda vectors: np.vstack([vectors[:-1], vectors[-1:] * np.nan]), (FIRST, "NaN")),
}
"""What is returned in the middle of a folder of results, and what must be said."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "mteb run": ("mteb", "run", "-m", "MODEL", "-t", TASK, "--output-folder", "out"),
    "mteb run, pooled": ("mteb", "run", "-m", "MODEL (pooling=cls)", "-t", TASK, "--output-folder", "out"),
    "finetune-pss": ("harness-ext", "finetune-pss", "-m", "MODEL", "--task", "PolaritySensitivityMini"),
    "sweep": ("harness-ext", "sweep", "--models", "models.txt", "-t", TASK, "--output-folder", "out"),
    "verify --rerun": ("harness-ext", "verify", "out", "--rerun", "--by", "me"),
}
"""What loads a model: MODEL is its folder, which is also called as the model whose results are in `out`."""


def trials() -> Iterator[Trial]:
    """Failing encoders, processes, code of strangers."""
    for kind, (make, names) in FAILING.items():
        yield Trial(AREA, kind, functools.partial(_failing, make, names))
    yield Trial(AREA, "several processes of sentence-transformers", _processes)
    for kind in CHECKPOINTS:
        for name in COMMANDS:
            yield Trial(AREA, f"{name} of {kind}", functools.partial(_with_code, kind, name))


def _failing(make: Callable[[Any], Any], names: tuple[str, ...], folder: Path) -> Verdict:
    """The result that was there stays; the model's own error is passed on as it is."""
    out = sound(folder)
    score = main_score(file_of(out))
    model = Planted(make)
    model.mteb_model_meta = ModelMeta.create_empty({"name": FIRST, "revision": "1"})

    def measure() -> float:
        cache = mteb.ResultCache(out)
        mteb.evaluate(model, mteb.get_task(TASK), cache=cache, overwrite_strategy="always", show_progress_bar=False)
        return main_score(file_of(out))

    def attempt() -> Verdict:
        verdict = judge(measure, lambda _: False, *names)
        if verdict.outcome == "raw" and names[0] in verdict.said and "planted" in names[0]:
            verdict = Verdict("clear", verdict.said)
        return verdict if main_score(file_of(out)) == score else Verdict("silent", "the result was written over")

    return unless_lost(out, attempt)


def _processes(folder: Path) -> Verdict:
    """The vectors that two processes compute, through the task."""
    from sentence_transformers import SentenceTransformer

    tiny = SentenceTransformer(str(tiny_model()), device="cpu")

    def measured(encode: Callable[[list[str]], Any]) -> float:
        class Model(Planted):
            def encode(self, inputs: Any, **kwargs: Any) -> Any:
                return encode([text for batch in inputs for text in batch["text"]])

        task = mteb.get_task("PolaritySensitivityMini")
        (result,) = mteb.evaluate(Model(lambda _: None), task, cache=None, show_progress_bar=False).task_results
        return float(next(iter(result.scores.values()))[0]["main_score"])

    expected = measured(tiny.encode)
    pool = tiny.start_multi_process_pool(["cpu", "cpu"])
    try:
        return judge(
            lambda: measured(lambda texts: tiny.encode(texts, pool=pool, chunk_size=7)),
            lambda score: abs(score - expected) < 1e-6,
        )
    finally:
        tiny.stop_multi_process_pool(pool)


CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
from sentence_transformers.models import Pooling
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
class PlantedPooling(Pooling): pass
"""

CHECKPOINTS = {
    "a model that needs its code": {"model_type": "planted"},
    "a model that has code but does not need it": {"model_type": "bert"},
    "a module of sentence-transformers with code": {},
}
"""What its configuration says, beside where the code is; nothing of the code where only modules.json does."""


def checkpoint(folder: Path, kind: str, marker: Path) -> None:
    """A small BERT with code of its own, as sentence-transformers saves one."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    base = folder.with_name("base")
    base.mkdir(parents=True)
    letters = [f"{hashes}{letter}" for hashes in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz"]
    (base / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]))
    BertTokenizerFast(str(base / "vocab.txt")).save_pretrained(base)
    sizes = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=64, **sizes)).save_pretrained(base)
    transformer = Transformer(str(base))
    SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu").save(str(folder))
    shutil.rmtree(base)
    (folder / "planted_code.py").write_text(CODE.format(marker=str(marker)))
    if said := CHECKPOINTS[kind]:
        config = json.loads((folder / "config.json").read_text())
        code = {"AutoConfig": "planted_code.PlantedConfig", "AutoModel": "planted_code.PlantedModel"}
        (folder / "config.json").write_text(json.dumps({**config, **said, "auto_map": code}))
    else:
        modules = json.loads((folder / "modules.json").read_text())
        modules[1]["type"] = "planted_code.PlantedPooling"
        (folder / "modules.json").write_text(json.dumps(modules))


def _with_code(kind: str, name: str, folder: Path) -> Verdict:
    """Right if the command does without the code, clear if it says that it does not execute it."""
    marker, model = folder / "marker", folder / FIRST
    if name == "verify --rerun":  # before there is a folder of the model's name
        shutil.rmtree(file_of(sound(folder), SECOND).parents[1])
    checkpoint(model, kind, marker)
    (folder / "models.txt").write_text(f"{model}\n")
    line = [part.replace("MODEL", str(model)) for part in COMMANDS[name]]
    done = run(*line, folder=folder, timeout=400, HF_HUB_OFFLINE="1", HF_MODULES_CACHE=str(folder / "modules"))
    if marker.exists():
        return Verdict("silent", "the code was executed")
    said = done.stdout + done.stderr
    last = next((one for one in reversed(said.splitlines()) if one.strip(" │╰─╯")), "")
    if done.returncode == 0:
        return Verdict("right", last)
    traced = line[0] == "harness-ext" and "Traceback (most recent call last)" in said
    told = "trust_remote_code" in said or "could not be run" in said
    return Verdict("clear" if told and not traced else "raw", last)
