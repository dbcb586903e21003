"""What the bench reports: rows of figures, as JSON and as tables."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""Column -> value: what was measured, or the reason under `not measured`. The name of a column has
its unit.
"""

NOT_MEASURED = "not measured"
LIBRARIES = (
    "mteb",
    "sentence-transformers",
    "transformers",
    "torch",
    "datasets",
    "numpy",
    "scipy",
    "scikit-learn",
)


@dataclass(frozen=True)
class Settings:
    """What is measured.

    Attributes:
        model: A sentence-transformers model by its name.
        repeats: Runs of each way, in turn.
        minutes: A task that has run for so long is not repeated again.
        quick: The small tasks alone, once, and everything else at its smallest.
        tasks: Of these tasks alone; empty for all.
    """

    model: str
    repeats: int
    minutes: float
    quick: bool
    tasks: tuple[str, ...] = ()


@dataclass
class Section:
    """The rows, and how they were measured."""

    title: str
    about: str
    rows: list[Row] = field(default_factory=list)

    def markdown(self) -> str:
        """A heading, what is measured, a table, and what is not measured with the reasons."""
        there = [row for row in self.rows if NOT_MEASURED not in row]
        missing = [row for row in self.rows if NOT_MEASURED in row]
        parts = [f"## {self.title}", self.about]
        if there:
            parts.append(table(there))
        if missing:
            parts.append(
                "\n".join(f"- Not measured: {_name(row)}. {_reason(row)}" for row in missing)
            )
        return "\n\n".join(parts)


def table(rows: Sequence[Row]) -> str:
    """In Markdown; a column that no row has a value in is left out."""
    columns: dict[str, str] = {}  # each with its line below the header
    for row in rows:
        for name, value in row.items():
            if value is not None:
                columns[name] = "---" if isinstance(rows[0].get(name), str) else "---:"
    lines = [[*columns], [*columns.values()]]
    for row in rows:
        lines.append([_cell(row.get(name)) for name in columns])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return (
            f"{value:.0f}"
            if abs(value) >= 100
            else f"{value:.1f}"
            if abs(value) >= 10
            else f"{value:.3g}"
        )
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)


def _name(row: Row) -> str:
    values = [value for key, value in row.items() if key != NOT_MEASURED]
    return str(values[0])


def _reason(row: Row) -> str:
    return str(row[NOT_MEASURED]).splitlines()[0]


def machine() -> dict[str, str]:
    """What the figures depend on beside the code: processor, accelerator, threads, Python,
    libraries.
    """
    import torch

    facts = {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "threads of torch": str(torch.get_num_threads()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    return facts | {name: version(name) for name in ("compositionality-harness", *LIBRARIES)}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    for line in lines:
        key, _, name = line.partition(":")
        if key.strip() == "model name":
            return name.strip()
    return platform.processor() or platform.machine()


def markdown(
    facts: dict[str, str],
    settings: dict[str, Any],
    sections: Mapping[str, Section],
) -> str:
    """The whole report."""
    known = {**facts, **settings}.items()
    lines = [f"- {name}: {value}" for name, value in known if value not in ("", [])]
    about = "\n".join(lines)
    parts = [about, *(section.markdown() for section in sections.values())]
    return "\n\n".join(parts) + "\n"


def write(
    folder: Path,
    facts: dict[str, str],
    settings: dict[str, Any],
    sections: Mapping[str, Section],
) -> str:
    """Write bench.json and bench.md, and return what the latter says.

    Args:
        folder: Where to.
        facts: What the figures depend on.
        settings: What was measured.
        sections: Name in the JSON file -> rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = {name: section.rows for name, section in sections.items()}
    content = {"machine": facts, "settings": settings, **rows}
    said = markdown(facts, settings, sections)
    for name, text in (
        ("bench.json", json.dumps(content, indent=1, ensure_ascii=False)),
        ("bench.md", said),
    ):
        (folder / f".{name}").write_text(text, encoding="utf-8")
        (folder / f".{name}").replace(folder / name)
    return said
