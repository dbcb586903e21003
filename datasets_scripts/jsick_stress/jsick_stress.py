"""jsick_stress: Japanese sentence pairs, one sentence with its case particles exchanged, scrambled or deleted.

Yanaka, Mineshima 2022: Compositional Evaluation on Japanese Textual Entailment and Similarity, TACL 10. See README.md
beside this file for the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_table

_FILE = Source(
    "https://raw.githubusercontent.com/verypluming/JSICK/b3034994192fae2f41b5937bcf69544e4282fc39/jsick-stress/"
    "jsick-stress-all-annotations.tsv",
    "0b341d71d573a5570f0145ccf58640b9f4401ecc",
    900,
)
_KINDS = {"c": "swap", "o": "scrambling", "d": "deletion"}


class StressRow(TypedDict):
    """A pair of sentences before and after; the columns are explained in the dataset card."""

    id: str
    pair: str
    particle: str
    kind: str
    original: str
    changed: str
    other: str
    original_rating: float
    changed_rating: float
    ratings: list[float]


class JsickStress(PinnedBuilder):
    """The `datasets` builder of `jsick_stress`; config `ja`; one split `test`."""

    SOURCES = {"ja": {"pairs": _FILE}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = StressRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[StressRow]:
        """The pairs in the order of the file."""
        for line in read_table(files["pairs"], ("pair_ID", "case_particles", "rephrase_type"), unique=("pair_ID",)):
            rating = "relatedness_score_Ja"
            yield {
                "id": line["pair_ID"],
                "pair": line["pair_ID"].rsplit("_", 2)[0],
                "particle": line["case_particles"],
                "kind": _KINDS[line.choice("rephrase_type", tuple(_KINDS))],
                "original": line["sentence_A_Ja_origin"],
                "changed": line["sentence_A_Ja"],
                "other": line["sentence_B_Ja"],
                "original_rating": line.number(f"{rating}_origin", 1, 5),
                "changed_rating": line.number(rating, 1, 5),
                "ratings": [line.number(f"{rating}{rater}", 1, 5) for rater in (1, 2, 3)],
            }
