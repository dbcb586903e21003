"""Names that several rooms share: datasets, their revisions, keys of results, the folder of the tasks for lm-eval."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path


def _folder(package: str) -> Path:
    """The folder of a package, which is not imported: in a wheel inside this one, in a checkout beside it."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None, package
    return Path(spec.origin).parent


DATASETS = tuple(
    sorted(
        folder.name
        for folder in _folder("harness_ext.datasets_scripts").glob("*")
        if (folder / f"{folder.name}.py").is_file()
    )
)
"""Every dataset of this project, by the name under which `load_dataset` knows it: the folders with a builder."""

PINNED = "pinned"
"""As a `revision`: the dataset of this project, whatever folder of its name there is."""

UNVERIFIED = "+unverified"
"""Part of a dataset revision that says: some files differ from the pinned files."""

OWN_ROWS = "+own"
"""Part of a dataset revision that says: the rows of the task are not those of its dataset."""

REFERENCE_MODELS = (
    "compositionality/random-words",
    "compositionality/letters",
    "compositionality/trigrams",
    "compositionality/length",
    "mteb/baseline-random-encoder",
)
"""The encoders that know nothing: they are never ranked."""

OWN = "own/"
"""How names of tasks begin that are on a user's own data."""


EXPERIMENT_OF_PROMPT = "prompt"
"""The setting of a model in mteb that holds the name of an instruction: its results are those of `prompt_NAME`."""

WITHOUT_VECTOR = "n_compounds_without_vector"
"""The key of a result for how many compounds have no injected vector."""

INTERRUPTED = 130
"""The exit status after Ctrl-C, as that of a shell."""

ALL_TASKS = "`harness-ext tasks` lists them all."
"""Where the names of tasks are."""


class UnknownNameError(KeyError):
    """There is nothing of a name; the message says what there is, the nearest names first."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError puts it in quotes


def unknown_name(kind: str, name: str, known: Iterable[str], more: str = "") -> UnknownNameError:
    """The error for a name that is none of those known.

    Args:
        kind: Of what it is the name, such as `task`.
        name: The name.
        known: All names.
        more: Where all names are listed; they are in the message if this is empty and no name is near.
    """
    known = [*dict.fromkeys(known)]
    meant = did_you_mean(name, known)
    there = "" if meant or more else f"There are: {', '.join(known)}."
    return UnknownNameError(" ".join(filter(None, (f"{name}: no such {kind}.", meant, there, more))))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the nearest known names, whatever the case of letters: one is a part of the other, or they are alike.

    Returns:
        Such as `Did you mean EpsilonCompositionality?`; empty if none is near.
    """
    by_small_letters, small = {word.lower(): word for word in known}, name.lower()
    parts = [word for word in by_small_letters if min(len(word), len(small)) > 3 and (small in word or word in small)]
    near = [*dict.fromkeys([*difflib.get_close_matches(small, by_small_letters, n=3), *parts])][:3]
    return f"Did you mean {' or '.join(by_small_letters[word] for word in near)}?" if near else ""


def file_name(task: str) -> str:
    """The name of a task in names of files, which have no `/`."""
    return task.replace("/", "-")


def pinned_revision(revision: str) -> str:
    """A dataset revision up to `UNVERIFIED`."""
    return revision.partition(UNVERIFIED)[0]


def name_in_experiment(model: str, experiment: str) -> str:
    """The name of a model in an experiment of mteb, its settings: `MODEL [EXPERIMENT]`; none is an empty string."""
    return f"{model} [{experiment}]" if experiment else model


def model_and_experiment(name: str) -> tuple[str, str]:
    """Split the result of `name_in_experiment` into the model and its experiment."""
    model, _, experiment = name.partition(" [")
    return model, experiment.removesuffix("]")


def prompt_of_experiment(experiment: str) -> str | None:
    """The name of the instruction, where the experiment is that of `sweep --prompts`; None for another."""
    setting, _, name = experiment.partition("_")
    return name if setting == EXPERIMENT_OF_PROMPT else None


def data_name(subset: str, split: str) -> str:
    """The name of the data of a result in tables: the split, after the subset where there are several."""
    return split if subset == "default" else f"{subset} {split}"


def lm_eval_tasks() -> Path:
    """The folder of the tasks for lm-eval: the argument of `--include_path`.

    Raises:
        FileNotFoundError: The installation lacks it.
    """
    folder = _folder("harness_ext.tasks") / "lm_eval"
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: the tasks for lm-eval are not there. Install the package again.")
    return folder
