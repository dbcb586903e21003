"""compound_mini: 120 English noun compounds with hand-written sentences and probes, CC0.

Read from compound_mini.yaml beside this file; see README.md for the columns.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import NOT_SCORED, CompoundRow, Probe, compound_row, filled_probe
from harness_ext.data.rows import Row
from harness_ext.data.tables import File, read_text


class CompoundMini(PinnedBuilder):
    """The `datasets` builder of `compound_mini`; one config, one split `naturalistic`."""

    PACKAGED = {"default": {"compounds": "compound_mini.yaml"}}  # noqa: RUF012
    SPLITS = ("naturalistic",)
    ROW = CompoundRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Row]:
        """Yield the rows in the order of the file."""
        _, text = read_text(files["compounds"])
        for entry in yaml.safe_load(text):
            yield from compound_rows(entry)


def compound_rows(entry: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows of one compound: one row per sentence, with all its replacements.

    Raises:
        ValueError: A field is missing or has another form than the head of the file defines; names
            the compound.
    """
    compound = str(entry.get("compound", ""))
    try:
        modifier, head = compound.split()
        synonyms = zip(entry["modifier_synonyms"], entry["head_synonyms"], strict=True)
        words_syn = [f"{first} {second}" for first, second in synonyms]
        scores = {
            **NOT_SCORED,
            "class": entry["class"],
            "expert_class": entry["class"],
        }
        for context, frame in enumerate(entry["sentences"], start=1):
            probes = {
                "syn": filled_probe(frame, entry["gold_synonym"]),
                "head": filled_probe(frame, head),
                "modifier": filled_probe(frame, modifier),
                "words_syn": _filled_probes(frame, words_syn),
                "rand": _filled_probes(frame, entry["unrelated"]),
            }
            target = filled_probe(frame, compound)
            yield compound_row("en-naturalistic", compound, context, target, scores, probes)
    except (KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"compound_mini.yaml, compound {compound!r}: {error!r}") from error


def _filled_probes(frame: str, expressions: Iterable[str]) -> list[Probe]:
    return [filled_probe(frame, expression) for expression in expressions]
