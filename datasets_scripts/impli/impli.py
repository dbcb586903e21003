"""impli: sentences with idioms and metaphors, a rewrite that follows from each, and one that does
    not.

Stowe, Utama, Gurevych 2022: IMPLI: Investigating NLI Models' Performance on Figurative Language,
ACL. See README.md beside this file for the columns; the sentences of the config `mini` were written
for this project (CC0).
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import RewriteRow, Row
from harness_ext.data.tables import File, Line, read_table

_HALVES = {
    "idioms": ("idioms_e", "idioms_ne"),
    "antonyms": ("idioms_e", "antonyms_ne"),
    "metaphors": ("metaphors_e", "metaphors_ne"),
    "magpie": ("magpie_e", "magpie_ne"),
    "pie": ("pie_e", "pie_ne"),
    "semeval": ("semeval_e", "semeval_ne"),
}
"""Split -> the files of the rewrites that follow from their sentence, and of those that do not."""

Rewrite = tuple[str, str]
"""A sentence, and a rewrite of it."""

_BLANK_BEFORE_MARK = re.compile(r"\s+([?.!,;:'’])")


class Impli(PinnedBuilder):
    """The `datasets` builder of `impli`; configs `impli` and `mini`."""

    DEFAULT_CONFIG_NAME = "impli"
    PACKAGED = {"mini": {"rewrites": "verbal_idioms.tsv"}}  # noqa: RUF012
    SPLITS = tuple(_HALVES)
    SPLITS_OF = {"mini": ("idioms", "antonyms")}  # noqa: RUF012
    FILES_OF = _HALVES
    ROW = RewriteRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Row]:
        """The sentences in the order of the first file, then those of the second alone."""
        if self.config.name == "mini":
            columns = ("sentence", "entailed", "idioms", "antonyms")
            lines = read_table(files["rewrites"], columns, delimiter="\t", header=False)
            entailed = _rewrites(lines, "entailed")
            not_entailed = _rewrites(lines, split)
        else:
            entailed_file, not_entailed_file = _HALVES[split]
            entailed = read_rewrites(files[entailed_file])
            not_entailed = read_rewrites(files[not_entailed_file])
        yield from triple_rows(entailed, not_entailed, f"{self.config.name}-{split}")


def read_rewrites(file: File) -> list[Rewrite]:
    """The sentence and its rewrite in each line; the semi-automatic files have a third column,
    which is not read.
    """
    lines = read_table(file, ("sentence", "rewrite"), delimiter="\t", header=False)
    return _rewrites(lines, "rewrite")


def _rewrites(lines: Iterable[Line], column: str) -> list[Rewrite]:
    return [(line["sentence"], line[column]) for line in lines]


def normalized(text: str) -> str:
    """The text without the blanks that the tokenisation of some of the files put before `? . ! , ;
    : ' ’`.

    Examples:
        >>> normalized("How have you weathered the storm ?")
        'How have you weathered the storm?'
    """
    return _BLANK_BEFORE_MARK.sub(r"\1", text).strip()


def triple_rows(
    entailed: Iterable[Rewrite],
    not_entailed: Iterable[Rewrite],
    prefix: str,
) -> Iterator[Row]:
    """Join the rewrites by their normalized sentence; of rewrites of one sentence in one file the
    first counts.

    What has no partner stays as a row without one, and so does a later rewrite. `removed_by` says
    why it is not to be used: `no_entailed`, `no_not_entailed` or `repeated`.
    """
    joined: dict[str, Row] = {}
    repeated: list[Row] = []
    halves = {"entailed": entailed, "not_entailed": not_entailed}
    for field, half in halves.items():
        for sentence, rewrite in half:
            clean_sentence = normalized(sentence)
            clean_rewrite = normalized(rewrite)
            row = joined.setdefault(clean_sentence, _row(clean_sentence))
            if row[field] is not None:
                row = _row(clean_sentence, "repeated")
                repeated.append(row)
            row[field] = clean_rewrite
            row["n_changed"] += clean_sentence != sentence
            row["n_changed"] += clean_rewrite != rewrite
    for row in joined.values():
        if not row["entailed"]:
            row["removed_by"] = "no_entailed"
        elif not row["not_entailed"]:
            row["removed_by"] = "no_not_entailed"
    rows = [*joined.values(), *repeated]
    for number, row in enumerate(rows):
        yield {**row, "id": f"{prefix}-{number}"}


def _row(sentence: str, removed_by: str | None = None) -> Row:
    return {
        "id": "",
        "sentence": sentence,
        "entailed": None,
        "not_entailed": None,
        "removed_by": removed_by,
        "n_changed": 0,
    }
