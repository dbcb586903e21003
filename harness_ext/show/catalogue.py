"""Tables of the tasks and of the datasets, made from their own descriptions."""

import re
from urllib.parse import urlsplit

from harness_ext.common.folders import DATASETS
from harness_ext.data.card import dataset_facts
from harness_ext.show.listing import Listing
from harness_ext.tasks import ENCODER_TASKS


def tasks_table() -> Listing:
    """The tasks: name, dataset with subsets and splits, main score, whose measure it is, what it
    asks.
    """
    rows = []
    for task in ENCODER_TASKS.values():
        subsets = f" ({', '.join(task.subsets)})" if task.has_subsets else ""
        data = f"{task.dataset['path']}{subsets}, {', '.join(task.splits)}"
        question = re.split(r"(?<=[.?]) ", task.description)[0]
        rows.append(
            (
                task.name,
                data,
                task.measure.main,
                _first_citation(task.metadata["bibtex_citation"]),
                question,
            )
        )
    return Listing(("task", "data", "main score", "source", "what it asks"), tuple(rows), prose=2)


def _first_citation(bibtex: str) -> str:
    """The first entry as it is cited in running text; of several, the first is the measure's."""
    entry = bibtex.split("\n@")[0]
    authors, year = (
        re.search(r"author = \{(.+?)\},\n", entry, re.DOTALL),
        re.search(r"year = \{(\d+)\}", entry),
    )
    if authors is None:
        return "this project"
    names = [name.split(",")[0].strip() for name in re.split(r"\s+and\s+", authors[1])]
    who = (
        names[0]
        if len(names) == 1
        else " and ".join(names)
        if len(names) == 2
        else f"{names[0]} et al."
    )
    return f"{who} {year[1]}" if year else who


def datasets_table() -> Listing:
    """The datasets: name, configs, splits, license, where its files are published, what it
    holds.
    """
    # not above: it imports datasets, a table of the tasks does not
    from harness_ext.data.builder import builder_class

    rows = []
    for name in DATASETS:
        builder, card = builder_class(name), dataset_facts(name)
        urls = (
            urlsplit(source.url)
            for sources in builder.SOURCES.values()
            for source in sources.values()
        )
        # owner and name of a repository, else the host
        published = (
            "/".join(url.path.split("/")[1:3]) if url.netloc.startswith("raw.") else url.netloc
            for url in urls
        )
        configs = ", ".join(config.name for config in builder.BUILDER_CONFIGS)
        source = ", ".join(dict.fromkeys(published)) or "in this package"
        rows.append(
            (
                name,
                configs,
                ", ".join(builder.SPLITS),
                str(card["license"]),
                source,
                str(card["pretty_name"]),
            )
        )
    return Listing(
        ("dataset", "configs", "splits", "license", "source", "what it holds"), tuple(rows), prose=2
    )
