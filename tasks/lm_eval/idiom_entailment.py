"""idiom_entailment: which rewrite of a sentence with an idiom or a metaphor follows from it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness_ext.data.documents import load_rows
from harness_ext.language_models.figurative import FIGURATIVE, OPTIONS, SET, SIDES
from harness_ext.tasks.lm_eval.document_task import Document, DocumentTask

FRAME = "Hypothesis: {rewrite}\nDoes the hypothesis follow from the premise? Answer yes or no.\nAnswer:"
PROMPT = f"Premise: {{sentence}}\n{FRAME}"


class IdiomEntailment(DocumentTask):
    """Two documents per sentence: one for each rewrite."""

    measure = FIGURATIVE
    options = OPTIONS

    def documents(self, name: str) -> Iterator[list[Document] | str]:
        """Ask about the rows of a config of `impli`: `impli`, or `mini`, which has no metaphors."""
        for of_set in SET.values:
            for row in load_rows("impli", name, of_set) if (name, of_set) != ("mini", "metaphors") else []:
                if row["removed_by"]:
                    yield "repeated" if row["removed_by"] == "repeated" else "unpaired"
                else:
                    yield [_question(row, of_set, side) for side in SIDES]

    def not_defined(self, name: str) -> list[str]:
        """The scores of metaphors, where there are none."""
        return [key for key in self.measure.scores.by_key() if name == "mini" and key.endswith("_metaphors")]


def _question(row: dict[str, Any], of_set: str, side: str) -> Document:
    return {
        "id": f"{row['id']}-{side}",
        "dataset": row["dataset"],
        "triple": row["id"],
        "set": of_set,
        "side": side,
        "prompt": PROMPT.format(sentence=row["sentence"], rewrite=row[side]),
        "frame": FRAME.format(rewrite=row[side]),
        "choices": list(OPTIONS),
        "gold": SIDES.index(side),
    }
