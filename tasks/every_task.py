"""Every task of this project for mteb, as the catalogue has them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from harness_ext.catalogue.every_row import ENCODER_TASKS

if TYPE_CHECKING:
    from harness_ext.tasks.abstask import AbsTaskCompositionality

TASKS: tuple[type[AbsTaskCompositionality], ...] = tuple(
    getattr(import_module(f"harness_ext.tasks.{row.module}"), row.name) for row in ENCODER_TASKS.values()
)
"""Every task of this project, in the order of the documentation."""
