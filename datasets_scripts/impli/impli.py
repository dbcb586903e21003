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
from harness_ext.data.tables import File, read_table

_HALVES = {
    "idioms": ("idioms_e", "idioms_ne"),
    "antonyms": ("idioms_e", "antonyms_ne"),
    "metaphors": ("metaphors_e", "metaphors_ne"),
    **{name: (f"{name}_e", f"{name}_ne") for name in ("magpie", "pie", "semeval")},
}
"""Split -> the files of the rewrites that follow from their sentence, and of those that do not."""

_BLANK_BEFORE_MARK = re.compile(r"\s+([?.!,;:'’])")


class Impli(PinnedBuilder):
    """The `datasets` builder of `impli`; configs `impli` and `mini`."""

    DEFAULT_CONFIG_NAME = "impli"
    PACKAGED = {"mini": {"rewrites": "verbal_idioms.tsv"}}  # noqa: RUF012
    SPLITS = tuple(_HALVES)
    SPLITS_OF = {"mini": ("idioms", "antonyms")}  # noqa: RUF012
    FILES_OF = _HALVES
    ROW = RewriteRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[Row]:
        """The sentences in the order of the first file, then those of the second alone."""
        if self.config.name == "mini":
            columns = ("sentence", "entailed", "idioms", "antonyms")
            lines = read_table(files["rewrites"], columns, delimiter="\t", header=False)
            halves = [
                [(line["sentence"], line[column]) for line in lines]
                for column in ("entailed", split)
            ]
        else:
            halves = [read_rewrites(files[name]) for name in _HALVES[split]]
        entailed, not_entailed = halves
        yield from triple_rows(entailed, not_entailed, f"{self.config.name}-{split}")


def read_rewrites(file: File) -> list[tuple[str, str]]:
    """The sentence and its rewrite in each line; the semi-automatic files have a third column,
    which is not read.
    """
    lines = read_table(file, ("sentence", "rewrite"), delimiter="\t", header=False)
    return [(line["sentence"], line["rewrite"]) for line in lines]


def normalized(text: str) -> str:
    """The text without the blanks that the tokenisation of some of the files put before `? . ! , ;
    : ' ’`.

    Examples:
        >>> normalized("How have you weathered the storm ?")
        'How have you weathered the storm?'
    """
    return _BLANK_BEFORE_MARK.sub(r"\1", text).strip()


def triple_rows(
    entailed: Iterable[tuple[str, str]], not_entailed: Iterable[tuple[str, str]], prefix: str
) -> Iterator[Row]:
    """Join the rewrites by their normalized sentence; of rewrites of one sentence in one file the
    first counts.

    What has no partner stays as a row without one, and so does a later rewrite. `removed_by` says
    why it is not to be used: `no_entailed`, `no_not_entailed` or `repeated`.
    """
    joined: dict[str, Row] = {}
    repeated: list[Row] = []
    for field, half in (("entailed", entailed), ("not_entailed", not_entailed)):
        for sentence, rewrite in half:
            key, clean = normalized(sentence), normalized(rewrite)
            row = joined.setdefault(key, _row(key))
            if row[field] is not None:
                repeated.append(row := _row(key, "repeated"))
            row[field] = clean
            row["n_changed"] += (key != sentence) + (clean != rewrite)
    for row in joined.values():
        missing = (
            "entailed" if not row["entailed"] else "not_entailed" if not row["not_entailed"] else ""
        )
        row["removed_by"] = f"no_{missing}" if missing else None
    for number, row in enumerate([*joined.values(), *repeated]):
        yield {**row, "id": f"{prefix}-{number}"}


def _row(sentence: str, removed_by: str | None = None) -> Row:
    texts = {"sentence": sentence, "entailed": None, "not_entailed": None}
    return {"id": "", **texts, "removed_by": removed_by, "n_changed": 0}
