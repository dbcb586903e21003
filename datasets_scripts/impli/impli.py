"""impli: sentences with idioms and metaphors, a rewrite that follows from each, and one that does not.

Stowe, Utama, Gurevych 2022: IMPLI: Investigating NLI Models' Performance on Figurative Language, ACL. See README.md
beside this file for the columns; the sentences of the config `mini` were written for this project (CC0).
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import RewriteRow, Row
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_table

_FOLDER = "https://raw.githubusercontent.com/UKPLab/acl2022-impli/d43c272c895c773b311018d51ab65f592c6699bb"


def _source(name: str, blob: str, rows: int) -> Source:
    return Source(f"{_FOLDER}/{name}.tsv", blob, rows)


_SOURCES = {
    "idioms_e": _source("idioms/manual_e", "f199fedf5d7b4446aa7840f06aafd1a4530a876c", 528),
    "idioms_ne": _source("idioms/manual_ne", "5a4ae2ea4a026bd99cf5d62cb96d13999c12e52b", 254),
    "antonyms_ne": _source("idioms/manual_antonyms_ne", "fad87dee2956280815a854f1412735f2aec4ba91", 375),
    "metaphors_e": _source("metaphors/manual_e", "b2e3cd0f109c8e4b654c7154cb76f85f9a37020b", 387),
    "metaphors_ne": _source("metaphors/manual_ne", "7ba194906d8acc520c223ef9eabd96818d0fb32c", 281),
    "magpie_e": _source("idioms/fig_context_magpie_e", "11d281ddac05145c3d88a6ed79e605ed9f38b32b", 15431),
    "magpie_ne": _source("idioms/adversarial_definition_ne_magpie", "3713bc18fa79b7549a842a60efaf6662a3b96879", 5965),
    "pie_e": _source("idioms/fig_context_pie_e", "4109550227831a58d4748e293b03c84205a6d511", 634),
    "pie_ne": _source("idioms/adversarial_definition_ne_pie", "a3dd3f3598b7c339f9ead6f8cef14269998f2834", 92),
    "semeval_e": _source("idioms/fig_context_semeval_e", "dbd746e90a4b7a0f45410b867d66b7df2c6da112", 587),
    "semeval_ne": _source("idioms/adversarial_definition_ne_semeval", "c00450bfc3c9904e82556b5ece9264edf7eb96e3", 59),
}
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
    SOURCES = {"impli": _SOURCES}  # noqa: RUF012
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
            halves = [[(line["sentence"], line[column]) for line in lines] for column in ("entailed", split)]
        else:
            halves = [read_rewrites(files[name]) for name in _HALVES[split]]
        entailed, not_entailed = halves
        yield from triple_rows(entailed, not_entailed, f"{self.config.name}-{split}")


def read_rewrites(file: File) -> list[tuple[str, str]]:
    """The sentence and its rewrite in each line; the semi-automatic files have a third column, which is not read.

    Raises:
        ValueError: A line has no two texts; names file and line.
    """
    lines = read_table(file, ("sentence", "rewrite"), delimiter="\t", header=False)
    return [(line["sentence"], line["rewrite"]) for line in lines]


def normalized(text: str) -> str:
    """The text without the blanks that the tokenisation of some of the files put before `? . ! , ; : ' ’`.

    Examples:
        >>> normalized("How have you weathered the storm ?")
        'How have you weathered the storm?'
    """
    return _BLANK_BEFORE_MARK.sub(r"\1", text).strip()


def triple_rows(
    entailed: Iterable[tuple[str, str]], not_entailed: Iterable[tuple[str, str]], prefix: str
) -> Iterator[Row]:
    """Join the rewrites by their normalized sentence; of rewrites of one sentence in one file the first counts.

    What has no partner stays as a row without one, and so does a later rewrite. `removed_by` says why it is not to be
    used: `no_entailed`, `no_not_entailed` or `repeated`.
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
        missing = "entailed" if not row["entailed"] else "not_entailed" if not row["not_entailed"] else ""
        row["removed_by"] = f"no_{missing}" if missing else None
    for number, row in enumerate([*joined.values(), *repeated]):
        yield {**row, "id": f"{prefix}-{number}"}


def _row(sentence: str, removed_by: str | None = None) -> Row:
    texts = {"sentence": sentence, "entailed": None, "not_entailed": None}
    return {"id": "", **texts, "removed_by": removed_by, "n_changed": 0}
