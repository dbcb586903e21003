"""idiolink: sentences with a literal or idiomatic use of an expression, to be found by others of the same use.

Hashiloni, Fadlon, Livyatan, Hefetz, Pei, Bar 2026: IdioLink: Retrieving Meaning Beyond Words Across Idiomatic and
Literal Expressions, arXiv 2605.22247. See README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import SearchRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_table

_URL = (
    "https://raw.githubusercontent.com/Intellexus-DSI/IdioLink/5685658a6725479fbd0186d4ede521586d3472cd/data/{}/{}.json"
)
_FILES = {
    "test": (("aef491b3fdace0e7c47f928462a2717013fdee36", 7500), ("d41901120a1d8c2df67827d08b6ee61166323fc0", 1500)),
    "val": (("77b84d7e5f28f4e5adf18347c83dcbcf039d05ce", 1000), ("25eecb40a892bc77703593ea2b60654aa692d8f4", 200)),
    "train": (("d3e00a9020875ce03fbbadcd4538775bdd313506", 2200), ("26a0ce0d2fc3f5bd9629304299987b4e8e0c031e", 440)),
}
"""Split -> the blob hash and number of rows of its documents and of its queries."""

_QUERY_USAGES = ("literal", "idiomatic")
_USAGES = (*_QUERY_USAGES, "simplification", "sense")


class Idiolink(PinnedBuilder):
    """The `datasets` builder of `idiolink`; config `idiolink`; splits `test`, `val` and `train`."""

    SOURCES = {  # noqa: RUF012
        "idiolink": {
            f"{split} {name}": Source(_URL.format(split, name), *file)
            for split, both in _FILES.items()
            for name, file in zip(("indexes", "queries"), both, strict=True)
        }
    }
    SPLITS = tuple(_FILES)
    FILES_OF = {split: (f"{split} indexes", f"{split} queries") for split in _FILES}  # noqa: RUF012
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
