"""Names: of models, tasks, splits, keys, files; and one's own modules and folders of our names."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import mteb
from datasets import get_dataset_config_names, load_dataset

from benchmarks.trials.encoders import Planted, main_score
from benchmarks.trials.results import SECOND, TASK, sound
from benchmarks.trials.trial import Trial, Verdict, environment, harness_ext, judge, judge_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

AREA = "install and names"

COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "show of a task that there is not": (("show", "OUT", "-t", "Nonsense"), ("Nonsense", "no such task")),
    "show of a task of mteb": (("show", "OUT", "-t", "STS12"), ("STS12", "no such task")),
    "show of a model that there is not": (("show", "OUT", "-m", "no/model"), ("no/model",)),
    "show in a format that there is not": (("show", "OUT", "--format", "xml"), ("xml", "csv")),
    "show without a folder": (("show",), ("results_dir",)),
    "compare with a model that there is not": (("compare", "OUT", "-m", SECOND, "-m", "no/model"), ("no/model",)),
    "compare of one model": (("compare", "OUT", "-m", SECOND), (SECOND, "two")),
    "compare by an axis that there is not": (("compare", "OUT", "--by", "colour"), ("colour", "class")),
    "compare of a task that there is not": (("compare", "OUT", "-t", "Nonsense"), ("Nonsense",)),
    "explain of a key that there is not": (("explain", "auc_nc_vs_d"), ("auc_nc_vs_d", "auc_nc_vs_c")),
    "explain of an empty key": (("explain", ""), ("''",)),
    "explain in a task that there is not": (("explain", "auc_nc_vs_c", "-t", "Nonsense"), ("Nonsense",)),
    "schema of a task that there is not": (("schema", "Nonsense"), ("Nonsense",)),
    "published of a task that there is not": (("published", "Nonsense"), ("Nonsense",)),
    "published of a model that there is not": (
        ("published", "EpsilonCompositionality", "--model", "no/model"),
        ("no/model",),
    ),
    "published of a subset that there is not": (("published", "EpsilonCompositionality", "--subset", "xx"), ("xx",)),
    "export of a dataset that there is not": (("datasets", "export", ".", "--dataset", "Nonsense"), ("Nonsense",)),
    "check of a dataset that there is not": (("datasets", "check", "--dataset", "Nonsense"), ("Nonsense",)),
    "a command that there is not": (("shw",), ("shw",)),
    "an option that there is not": (("show", "OUT", "--detail"), ("--detail",)),
}

MODELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a pooling that there is not": ("a/model (pooling=median)", ("median",)),
    "an empty pooling": ("a/model (pooling=)", ("pooling",)),
    "injected vectors that there are not": ("a/model (injected=/no/such.txt)", ("/no/such.txt",)),
    "states that there are not": ("a/model (lm_states=nonsense)", ("nonsense",)),
    "word vectors that are not here": ("stanfordnlp/glove.6B.300d", ("HARNESS_EXT_VECTORS",)),
}

SPLITS = (
    TASK,
    "NounCompoundAffinityMini",
    "PolaritySensitivityMini",
    "TreeReconstructionMini",
    "MontagueConsistencyFast",
)

DATASETS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "a config that there is not": (lambda: load_dataset("ncimp", "xx"), ("xx",)),
    "a split that there is not": (lambda: load_dataset("compound_mini", split="tset"), ("tset",)),
    "a part of a split": (lambda: load_dataset("compound_mini", split="naturalistic[:10]"), ()),
}

OWN: dict[str, tuple[str, str]] = {
    "a module datasets.py": ("datasets.py", "import datasets; print(datasets.mine)"),
    "a module mteb.py": ("mteb.py", "import mteb; print(mteb.mine)"),
    "a package tasks": ("tasks/__init__.py", "import tasks; print(tasks.mine)"),
    "a package datasets_scripts": (
        "datasets_scripts/__init__.py",
        "import datasets_scripts; print(datasets_scripts.mine)",
    ),
    "a package datasets": ("datasets/__init__.py", "import datasets; print(datasets.mine)"),
}


def trials() -> Iterator[Trial]:
    """Commands, models, splits, datasets, modules, names of planted models."""
    for kind, (arguments, names) in COMMANDS.items():
        yield Trial(AREA, kind, functools.partial(_command, arguments, names))
    for kind, (name, names) in MODELS.items():
        yield Trial(AREA, f"a model with {kind}", functools.partial(_model, name, names))
    for task in SPLITS:
        yield Trial(AREA, f"{task} with a split that there is not", functools.partial(_split, task))
    for kind, (load, names) in DATASETS.items():
        yield Trial(AREA, f"a dataset with {kind}", functools.partial(_dataset, load, names))
    for kind, (file, program) in OWN.items():
        yield Trial(AREA, f"one's own {kind}", functools.partial(_own, file, program))
    yield Trial(AREA, "one's own folder of a dataset's name", _own_folder)
    yield Trial(AREA, "two models without a name", _nameless)
    yield Trial(AREA, "a model of another kind", _no_encoder)
    yield Trial(
        AREA,
        "names of configs",
        lambda folder: judge(lambda: get_dataset_config_names("ncimp"), lambda names: names == ["en", "pt"], "ncimp"),
    )


def _command(arguments: tuple[str, ...], names: tuple[str, ...], folder: Path) -> Verdict:
    out = sound(folder) if "OUT" in arguments else folder
    done = harness_ext(*(out if each == "OUT" else each for each in arguments))
    return judge_command(done, lambda said: False, *names)


def _model(name: str, names: tuple[str, ...], folder: Path) -> Verdict:
    with environment(HARNESS_EXT_VECTORS=None, GENSIM_DATA_DIR=str(folder)):
        return judge(lambda: mteb.get_model(name), lambda model: False, *names)


def _split(task: str, folder: Path) -> Verdict:
    def work() -> Any:
        (found,) = mteb.get_tasks(tasks=[task], eval_splits=["tset"])
        return mteb.evaluate(Planted(lambda vectors: vectors), found, cache=None, show_progress_bar=False)

    return judge(work, lambda result: False, "tset")


def _dataset(load: Callable[[], Any], names: tuple[str, ...], folder: Path) -> Verdict:
    return judge(load, lambda rows: len(rows) == 10, *names)


def _own(file: str, program: str, folder: Path) -> Verdict:
    """It is imported as ever, without a word, also where warnings are errors."""
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text("mine = 'mine'\n")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    return judge_command(done, lambda said: said == "mine\n", file)


def _own_folder(folder: Path) -> Verdict:
    """It wins, with a line; a task is measured on ours."""
    (folder / "ncimp").mkdir()
    (folder / "ncimp" / "train.csv").write_text("a,b\n1,2\n")
    return judge(lambda: load_dataset("ncimp")["train"][0], lambda row: row == {"a": 1, "b": 2}, "ncimp")


def _nameless(folder: Path) -> Verdict:
    """The second does not get the score of the first."""
    from mteb.models import ModelMeta

    def model(sign: bool) -> Planted:
        made = Planted(lambda vectors: vectors, sign)
        made.mteb_model_meta = ModelMeta.create_empty()
        return made

    def score(sign: bool, cache: Any) -> float:
        result = mteb.evaluate(model(sign), mteb.get_task(TASK), cache=cache, show_progress_bar=False)
        return float(result.task_results[0].scores["naturalistic"][0]["main_score"])

    expected = [score(sign, None) for sign in (False, True)]
    cache = mteb.ResultCache(folder)
    return judge(lambda: [score(sign, cache) for sign in (False, True)], lambda found: found == expected, "Planted")


def _no_encoder(folder: Path) -> Verdict:
    """A task of encoders, and a model that searches."""

    class Search:
        mteb_model_meta = Planted(lambda vectors: vectors).mteb_model_meta

    return judge(lambda: main_score(TASK, Search()), lambda score: False, TASK, "Search")
