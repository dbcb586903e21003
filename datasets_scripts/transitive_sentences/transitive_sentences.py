"""transitive_sentences: pairs of subject-verb-object sentences with people's similarity.

GS2011 (Grefenstette and Sadrzadeh 2011) and KS2013 (Kartsaklis and Sadrzadeh 2013), as cleaned and
averaged in the repository of STS3k. See README.md beside this file for the columns; the pairs of
the config `mini` were written for this project (CC0).
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import RatedVerbsRow
from harness_ext.data.tables import File, read_table


class TransitiveSentences(PinnedBuilder):
    """The `datasets` builder of `transitive_sentences`; configs `gs2011`, `ks2013` and `mini`, one
    split `test`.
    """

    DEFAULT_CONFIG_NAME = "gs2011"
    PACKAGED = {"mini": {"pairs": "transitive_pairs.csv"}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = RatedVerbsRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[RatedVerbsRow]:
        """The pairs in the order of the file: `sentence1;sentence2;similarity`, with similarities
        in [0, 1].
        """
        pair = ("sentence1", "sentence2")
        lines = read_table(
            files["pairs"], (*pair, "similarity"), delimiter=";", header=False, unique=pair
        )
        for place, line in enumerate(lines):
            sentence1 = line["sentence1"]
            sentence2 = line["sentence2"]
            yield {
                "id": f"{self.config.name}-{place}",
                "sentence1": sentence1,
                "sentence2": sentence2,
                "similarity": line.number("similarity", 0, 1),
                "verbs": None if self.config.name == "ks2013" else _verbs(sentence1, sentence2),
            }


def _verbs(sentence1: str, sentence2: str) -> str:
    """The verbs of both sentences, which are the third words: *the man runs the shop*."""
    first = sentence1.split()[2]
    second = sentence2.split()[2]
    return f"{first} {second}"
