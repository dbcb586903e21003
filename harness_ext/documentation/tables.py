"""Tables of what there is, made from the tasks' and datasets' own descriptions."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import rich.table
from huggingface_hub import DatasetCard, DatasetCardData

from harness_ext.data.builder import builder_class, dataset_folder
from harness_ext.plugin import DATASETS
from harness_ext.tasks import TASKS


@dataclass(frozen=True)
class Listing:
    """A table of texts, for a terminal or for a Markdown file."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def rich(self) -> rich.table.Table:
        """The table for a terminal."""
        table = rich.table.Table()
        for column in self.header:
            table.add_column(column, overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """The table for a Markdown file."""
        lines = (self.header, ("---",) * len(self.header), *self.rows)
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tasks_table() -> Listing:
    """The tasks: name, dataset with subsets and splits, main score, what it asks."""
    rows = []
    for task in TASKS:
        about = task.metadata
        subsets = "" if about.hf_subsets == ["default"] else f" ({', '.join(about.hf_subsets)})"
        data = f"{about.dataset['path']}{subsets}, {', '.join(about.eval_splits)}"
        question = re.split(r"(?<=[.?]) ", about.description)[0]
        rows.append((about.name, data, about.main_score, question))
    return Listing(("task", "data", "main score", "what it asks"), tuple(rows))


def datasets_table() -> Listing:
    """The datasets: name, configs, splits, licence, what it holds."""
    rows = []
    for name in DATASETS:
        builder = builder_class(name)
        card = DatasetCard((dataset_folder(name) / "README.md").read_text(encoding="utf-8")).data
        assert isinstance(card, DatasetCardData)
        configs = ", ".join(config.name for config in builder.BUILDER_CONFIGS) or "default"
        rows.append((name, configs, ", ".join(builder.SPLITS), str(card.license), str(card.pretty_name)))
    return Listing(("dataset", "configs", "splits", "licence", "what it holds"), tuple(rows))


def write_tables(markdown: str) -> str:
    """Put the tables between the marks `<!-- tasks -->`, `<!-- datasets -->` and their `<!-- end -->`."""
    return _write_table(_write_table(markdown, "tasks", tasks_table()), "datasets", datasets_table())


def _write_table(markdown: str, name: str, listing: Listing) -> str:
    before, mark, rest = markdown.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not (mark and end):
        raise ValueError(f"no place for the table of {name}: <!-- {name} --> ... <!-- end -->, each on its own line")
    return f"{before}{mark}{listing.markdown()}\n{end}{after}"


if __name__ == "__main__":  # make tables
    path = Path(sys.argv[1])
    path.write_text(write_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
