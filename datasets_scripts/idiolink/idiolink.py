"""idiolink: sentences with a literal or idiomatic use of an expression, to be found by others of
    the same use.

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: IdioLink: Retrieving Meaning Beyond Words Across
Idiomatic and Literal Expressions, arXiv 2605.22247. See README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import SearchRow
from harness_ext.data.tables import File, read_table

_QUERY_USAGES = ("literal", "idiomatic")
_USAGES = (*_QUERY_USAGES, "simplification", "sense")


class Idiolink(PinnedBuilder):
    """The `datasets` builder of `idiolink`; config `idiolink`; splits `test`, `val` and `train`."""

    SPLITS = ("test", "val", "train")
    FILES_OF = {split: (f"{split} indexes", f"{split} queries") for split in SPLITS}  # noqa: RUF012
    ROW = SearchRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[SearchRow]:
        """The documents in the order of their file, then the queries."""
        for name, usages in (("indexes", _USAGES), ("queries", _QUERY_USAGES)):
            for line in read_table(files[f"{split} {name}"], unique=("id",)):
                yield {
                    "id": line["id"],
                    "is_query": name == "queries",
                    "expression": line["idiom"],
                    "usage": line.choice("usage", usages),
                    "sentence": line["sentence"],
                }
