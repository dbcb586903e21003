"""The folder of a dataset, and what its card says."""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from harness_ext.data.citations import OF_THIS_PROJECT, cite

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # of yaml; that in C is ten times faster


def dataset_folder(name: str) -> Traversable:
    """Find the folder of the dataset `name` in the installed package: its builder, its card, its
    own data.
    """
    return files("harness_ext.datasets_scripts") / name


@cache  # one for each dataset
def dataset_facts(name: str) -> dict[str, Any]:
    """Read the head of the card of the dataset `name`, such as its `license` and its
    `pretty_name`.
    """
    head, _ = _card(name)
    return yaml.load(head, LOADER)


@cache
def info_of(name: str) -> dict[str, str]:
    """What `DatasetInfo` says of the dataset `name`, by its card: description, license, citation,
    homepage.

    Data that was written for this project has the project's own citation and page; that is empty as
    long as the project has none.
    """
    _, text = _card(name)
    facts = dataset_facts(name)
    of_paper = facts.get("mteb", {})
    _title, first, *_ = re.split(r"\n\s*\n", text.strip())
    cited = of_paper.get("cite", [OF_THIS_PROJECT])
    return {
        "description": " ".join(first.split()),
        "license": facts["license"],
        "citation": cite(*cited),
        "homepage": of_paper.get("reference") or _page_of_this_project(),
    }


def _card(name: str) -> tuple[str, str]:
    """The head of a card, and its text."""
    card = (dataset_folder(name) / "README.md").read_text(encoding="utf-8")
    _, head, text = card.split("---\n", 2)
    return head, text


def _page_of_this_project() -> str:
    """The address of the source, by the file REPOSITORY; empty if there is none."""
    try:
        links = metadata("compositionality-harness").get_all("Project-URL") or []
    except PackageNotFoundError:  # a checkout on the path
        return ""
    by_name = dict(link.split(", ", 1) for link in links)
    return by_name.get("Source", "")
