"""The pages of the repository that are made from the code."""

from __future__ import annotations

from pathlib import Path

from harness_ext.documentation.api_page import api_page
from harness_ext.documentation.explain import measures_page
from harness_ext.documentation.tables import models_page, tasks_page, validity_page


def pages(root: Path) -> dict[Path, str]:
    """Each page of the checkout at `root` -> what it should be."""
    docs = root / "docs"
    return {
        docs / "tasks.md": tasks_page((docs / "tasks.md").read_text(encoding="utf-8")),
        docs / "api.md": api_page(),
        docs / "measures.md": measures_page(),
        docs / "validity.md": validity_page((docs / "validity.md").read_text(encoding="utf-8")),
        docs / "models.md": models_page((docs / "models.md").read_text(encoding="utf-8")),
    }
