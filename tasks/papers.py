"""The papers, the encoders that they ran, and what they say of them, read from papers.yaml."""

import re
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from harness_ext.data.card import LOADER

_DATA: dict[str, Any] = yaml.load(
    (files("harness_ext.tasks") / "papers.yaml").read_text(encoding="utf-8"), LOADER
)


class PaperModel(NamedTuple):
    """An encoder that a paper ran.

    Attributes:
        label: The paper's name for it.
        name: The name in mteb.
        language: The ISO 639-3 code of the only language that the paper ran it on, if the task has
            more.
        remark: What to know of the row, such as that it is our reading of the paper; empty if
            nothing.
    """

    label: str
    name: str
    language: str | None = None
    remark: str = ""


def _models(entries: list[list[str]]) -> tuple[PaperModel, ...]:
    return tuple([PaperModel(*entry) for entry in entries])


PAPER_MODELS: dict[str, tuple[PaperModel, ...]] = {
    paper: _models(entries) for paper, entries in _DATA["papers"].items()
}
"""The encoders of each paper whose checkpoints are known and can be had; two of one name are two
readings of it.
"""

PAPERS: dict[str, str] = _DATA["titles"]
"""How sources are called for short -> authors and title."""

PAPER_SAYS = {paper: tuple(map(tuple, said)) for paper, said in _DATA["says"].items()}
"""What each paper says, as it says it, and what runs here."""

PAPER_TERMS: dict[str, dict[str, list[str]]] = _DATA["terms"]
"""Paper -> what it calls a quantity -> the key that has it, and what to know of it."""

AUTHORS_CODE: dict[str, str] = _DATA["code"]
"""Task -> the repository of its measure's authors, where there is one."""

PAPER_TASKS: dict[str, list[str]] = _DATA["tasks"]
"""The tasks that each paper ran its encoders on."""


_SUBSETS = {"eng": "en", "por": "pt"}


def published_as(
    model: str,
    task: str,
    subset: str,
) -> list[str]:
    """The names that a model may have in the papers' tables: its own, the paper's name for it,
    other readings of that.

    Whichever file stands in `(injected=…)`. A label in two languages, which are subsets, means two
    models.
    """
    template = re.sub(r"injected=[^()]+", "injected=FILE", model)
    entries = _models_of_task(task, subset)
    labels = [entry.label for entry in entries if entry.name == template]
    readings = [entry.name for entry in entries if entry.label in labels]
    return list(dict.fromkeys([model, *labels, *readings]))


def _models_of_task(task: str, subset: str) -> list[PaperModel]:
    papers = [paper for paper, tasks in PAPER_TASKS.items() if task in tasks]
    entries = []
    for paper in papers:
        for entry in PAPER_MODELS[paper]:
            if entry.language is None or _SUBSETS[entry.language] == subset:
                entries.append(entry)
    return entries
