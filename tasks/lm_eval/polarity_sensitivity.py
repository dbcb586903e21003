"""polarity_sensitivity: is the sentiment of a sentence right, and that of its rewrite with the
opposite one too?
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from harness_ext.measures.language_models.document_task import Document, DocumentTask
from harness_ext.measures.language_models.documents import load_rows
from harness_ext.measures.polarity.answers import LABELS, POLARITY_ANSWERS, SIDES
from harness_ext.measures.polarity.items import DIRECTION

PROMPT = "Review: {text}\nSentiment:"
FRAME = "Review:\nSentiment:"
EXAMPLES = {"reference": "dev", "mini": "train"}
"""Pairs -> the split that few-shot examples come from; no sentence of a pair is in it."""


class PolaritySensitivity(DocumentTask):
    """Two documents per pair, one after the other; examples in turn negative and positive."""

    measure = POLARITY_ANSWERS
    options = LABELS

    def documents(self, name: str) -> Iterator[list[Document] | str]:
        """Ask about the pairs of a config of `polarity_pairs`: `reference` or `mini`."""
        for row in load_rows("polarity_pairs", name, "pairs"):
            yield row["removed_by"] or [_question(row, side) for side in SIDES]

    def examples(self, name: str) -> dict[str, list[Document]]:
        """Take sentences of another split."""
        rows = load_rows("polarity_pairs", name, EXAMPLES[name])
        negative = [_question(row, "original") for row in rows if row["label"] == 0]
        positive = [_question(row, "original") for row in rows if row["label"] == 1]
        in_turn = zip(negative, positive, strict=False)
        return {"examples": list(chain.from_iterable(in_turn))}

    def not_defined(self, name: str) -> tuple[str, ...]:
        """The scores by direction, where all pairs have the same."""
        return ("pss_neg_to_pos", "pss_pos_to_neg") if name == "reference" else ()


def _question(row: dict[str, Any], side: str) -> Document:
    label = row["label"]
    text = row["text"]
    if side == "rewrite":
        label = 1 - label
        text = row["rewrite"]
    return {
        "id": f"{row['id']}-{side}",
        "dataset": row["dataset"],
        "pair": row["id"],
        "direction": list(DIRECTION.values)[row["label"]],
        "side": side,
        "label": label,
        "prompt": PROMPT.format(text=text),
        "frame": FRAME,
        "choices": list(LABELS),
        "gold": label,
    }
