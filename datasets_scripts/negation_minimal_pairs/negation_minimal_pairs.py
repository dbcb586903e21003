"""negation_minimal_pairs: a sentence with and without its negation, and whether that changes what
    follows from it.

Hartmann, de Lhoneux, Hershcovich, Kementchedjhieva, Nielsen, Qiu, Søgaard 2021: A Multilingual
Benchmark for Probing Negation-Awareness with Minimal Pairs, CoNLL. See README.md beside this file
for the columns.
"""

import re
from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import NegationRow
from harness_ext.data.tables import File, Line, read_table

_SENTENCES = ("sentence1", "sentence2")
_BLANK_BESIDE_OTHER_THAN_LATIN = re.compile(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])")


class NegationMinimalPairs(PinnedBuilder):
    """The `datasets` builder of `negation_minimal_pairs`; a config for each language; one split
    `test`.
    """

    DEFAULT_CONFIG_NAME = "en"
    SPLITS = ("test",)
    ROW = NegationRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[NegationRow]:
        """The modified lines in their order, each beside its original."""
        original: dict[str, Line] = {}
        for line in read_table(files["pairs"], ("pairID", "version", *_SENTENCES, "gold_label")):
            pair = line["pairID"].rpartition("_")[0]
            if line["version"] == "Orig":
                original[pair] = line
                continue
            if pair not in original:
                raise line.refusal("pairID", "an original line before it")
            texts = [(original[pair][name], line[name]) for name in _SENTENCES]
            changed = [
                (before, after) for before, after in texts if before.split() != after.split()
            ]
            before, after = changed[0] if changed else texts[0]
            yield {
                "id": f"{self.config.name}-{line['pairID']}",
                "pair": pair,
                "before": written(before, self.config.name),
                "after": written(after, self.config.name),
                "important": line["gold_label"] != original[pair]["gold_label"],
                "n_removed": len(before.split()) - len(after.split()),
                "removed_by": None
                if len(changed) == 1
                else "both_changed"
                if changed
                else "none_changed",
            }


def written(text: str, language: str) -> str:
    """The text as people write it: Chinese without the blanks of its segmentation, others as in the
    file.

    Examples:
        >>> written("我 在  New York 。", "zh")
        '我在New York。'
    """
    return (
        _BLANK_BESIDE_OTHER_THAN_LATIN.sub("", " ".join(text.split())) if language == "zh" else text
    )
