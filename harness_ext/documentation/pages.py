"""The pages of the repository that are made from the code."""

from __future__ import annotations

from pathlib import Path

from harness_ext.documentation.api_page import api_page
from harness_ext.documentation.commands_page import commands_page
from harness_ext.documentation.explain import items_table, measures_page
from harness_ext.documentation.tables import (
    datasets_page,
    models_page,
    paper_models_page,
    tasks_page,
)

_WITH_TABLES = {
    "tasks.md": tasks_page,
    "datasets.md": datasets_page,
    "models.md": models_page,
    "paper_models.md": paper_models_page,
}


def pages(root: Path) -> dict[Path, str]:
    """Each page of the checkout at `root` -> what it should be."""
    docs = root / "docs"
    return {
        docs / "api.md": api_page(),
        docs / "commands.md": commands_page(),
        docs / "measures.md": measures_page(),
        docs / "items.csv": items_table(),
        **{docs / name: page((docs / name).read_text(encoding="utf-8")) for name, page in _WITH_TABLES.items()},
    }
