"""Idiom paraphrase on IMPLI and on this project's own small dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.idiom_paraphrase import (
    IDIOM_PARAPHRASE,
    IdiomParaphraseItems,
    RemovedRows,
    idiom_paraphrase_items,
)
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsIdiomParaphrase(AbsTaskCompositionality):
    measure = IDIOM_PARAPHRASE
    label_column = "removed_by"

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> IdiomParaphraseItems:
        """See the base class."""
        table = TextTable()
        used = [row for row in rows if not row["removed_by"]]
        texts = ("sentence", "entailed", "not_entailed")
        comparisons = [[table.add(row[text]) for text in texts] for row in used]
        return idiom_paraphrase_items(
            encode(table.texts),
            np.array(comparisons, dtype=np.intp).reshape(-1, 3),
            np.array([row["id"] for row in used], dtype=str),
            np.array([row["n_changed"] for row in used], dtype=np.intp),
            RemovedRows(
                np.array([row["id"] for row in rows if row["removed_by"]], dtype=str),
                np.array([row["removed_by"] for row in rows if row["removed_by"]], dtype=str),
            ),
        )


class IdiomParaphrase(_AbsIdiomParaphrase):
    """Idiom paraphrase on IMPLI."""

    metadata = task_metadata("IdiomParaphrase")


class IdiomParaphraseMini(_AbsIdiomParaphrase):
    """Idiom paraphrase on 60 idioms written for this project."""

    metadata = task_metadata("IdiomParaphraseMini")
