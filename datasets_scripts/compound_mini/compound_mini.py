"""compound_mini: 60 English noun compounds with hand-written sentences and probes, CC0.

Read from compound_mini.yaml beside this file; see README.md for the columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.compounds import FEATURES, CompoundRow, filled_probe


class CompoundMini(PinnedBuilder):
    """The `datasets` builder of `compound_mini`; one config, one split `naturalistic`."""

    NAME = "compound_mini"
    SPLITS = ("naturalistic",)
    FEATURES = FEATURES

    def rows(self, files: dict[str, Path], split: str) -> Iterator[CompoundRow]:
        """Yield the rows in the order of the file."""
        text = (dataset_folder(self.NAME) / "compound_mini.yaml").read_text(encoding="utf-8")
        for entry in yaml.safe_load(text):
            yield from compound_rows(entry)


def compound_rows(entry: dict[str, Any]) -> Iterator[CompoundRow]:
    """Yield the rows of one compound: one row per sentence, with all its replacements.

    Raises:
        ValueError: A field is missing or has another form than the head of the file defines; names the compound.
    """
    compound = str(entry.get("compound", ""))
    try:
        modifier, head = compound.split()
        words_syn = [
            f"{first} {second}"
            for first, second in zip(entry["modifier_synonyms"], entry["head_synonyms"], strict=True)
        ]
        for context, frame in enumerate(entry["sentences"], start=1):
            target = filled_probe(frame, compound)
            yield {
                "id": f"en-naturalistic-{context}-{compound.replace(' ', '_')}",
                "compound": compound,
                "context": context,
                "surface": target["expression"],
                "class": entry["class"],
                "expert_class": entry["class"],
                "type_score": None,
                "comp": None,
                "token_score": None,
                "sentence": target["sentence"],
                "span": target["span"],
                "syn": filled_probe(frame, entry["gold_synonym"]),
                "head": filled_probe(frame, head),
                "modifier": filled_probe(frame, modifier),
                "words_syn": [filled_probe(frame, expression) for expression in words_syn],
                "rand": [filled_probe(frame, expression) for expression in entry["unrelated"]],
            }
    except (KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"compound_mini.yaml, compound {compound!r}: {error!r}") from error
