"""idiolink: sentences with a literal or idiomatic use of an expression, to be found by others of
    the same use.

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: IdioLink: Retrieving Meaning Beyond Words Across
Idiomatic and Literal Expressions, arXiv 2605.22247. See README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import SearchRow
from harness_ext.data.tables import File, Line, read_table

_QUERY_USAGES = ("literal", "idiomatic")
_DOCUMENT_USAGES = (*_QUERY_USAGES, "simplification", "sense")


class Idiolink(PinnedBuilder):
    """The `datasets` builder of `idiolink`; config `idiolink`; splits `test`, `val` and `train`."""

    SPLITS = ("test", "val", "train")
    FILES_OF = {split: (f"{split} indexes", f"{split} queries") for split in SPLITS}  # noqa: RUF012
    ROW = SearchRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[SearchRow]:
        """The documents in the order of their file, then the queries."""
        documents = read_table(files[f"{split} indexes"], unique=("id",))
        for line in documents:
            yield _row(line, _DOCUMENT_USAGES, is_query=False)
        queries = read_table(files[f"{split} queries"], unique=("id",))
        for line in queries:
            yield _row(line, _QUERY_USAGES, is_query=True)


def _row(
    line: Line,
    usages: tuple[str, ...],
    is_query: bool,
) -> SearchRow:
    return {
        "id": line["id"],
        "is_query": is_query,
        "expression": line["idiom"],
        "usage": line.choice("usage", usages),
        "sentence": line["sentence"],
    }
