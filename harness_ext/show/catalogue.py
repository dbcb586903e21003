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
    rows: list[tuple[str, ...]] = []
    for task in ENCODER_TASKS.values():
        subsets = f" ({', '.join(task.subsets)})" if task.has_subsets else ""
        data = f"{task.dataset['path']}{subsets}, {', '.join(task.splits)}"
        question = re.split(r"(?<=[.?]) ", task.description)[0]
        source = _first_citation(task.metadata["bibtex_citation"])
        rows.append((task.name, data, task.measure.main, source, question))
    header = ("task", "data", "main score", "source", "what it asks")
    return Listing(header, tuple(rows), prose=2)


def _first_citation(bibtex: str) -> str:
    """The first entry as it is cited in running text; of several, the first is the measure's."""
    entry = bibtex.split("\n@")[0]
    authors = re.search(r"author = \{(.+?)\},\n", entry, re.DOTALL)
    year = re.search(r"year = \{(\d+)\}", entry)
    if authors is None:
        return "this project"
    names = re.split(r"\s+and\s+", authors[1])
    family_names = [name.split(",")[0].strip() for name in names]
    cited = " and ".join(family_names)
    if len(family_names) > 2:
        cited = f"{family_names[0]} et al."
    return f"{cited} {year[1]}" if year else cited


def datasets_table() -> Listing:
    """The datasets: name, configs, splits, license, where its files are published, what it
    holds.
    """
    # not above: it imports datasets, a table of the tasks does not
    from harness_ext.data.builder import builder_class

    rows: list[tuple[str, ...]] = []
    for name in DATASETS:
        builder = builder_class(name)
        card = dataset_facts(name)
        places: list[str] = []
        for sources in builder.SOURCES.values():
            places += [_publisher(source.url) for source in sources.values()]
        rows.append(
            (
                name,
                ", ".join(config.name for config in builder.BUILDER_CONFIGS),
                ", ".join(builder.SPLITS),
                str(card["license"]),
                ", ".join(dict.fromkeys(places)) or "in this package",
                str(card["pretty_name"]),
            )
        )
    header = ("dataset", "configs", "splits", "license", "source", "what it holds")
    return Listing(header, tuple(rows), prose=2)


def _publisher(url: str) -> str:
    """Owner and name of the repository of a file, else its host."""
    parts = urlsplit(url)
    if parts.netloc.startswith("raw."):
        return "/".join(parts.path.split("/")[1:3])
    return parts.netloc
