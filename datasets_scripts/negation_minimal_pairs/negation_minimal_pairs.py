"""negation_minimal_pairs: a sentence with and without its negation, and whether that changes what
    follows from it.

Hartmann, de Lhoneux, Hershcovich, Kementchedjhieva, Nielsen, Qiu, Søgaard 2021: A Multilingual
Benchmark for Probing Negation-Awareness with Minimal Pairs, CoNLL. See README.md beside this file
for the columns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import CuedNegationRow
from harness_ext.data.tables import File, Line, read_table

_SENTENCES = ("sentence1", "sentence2")
_COLUMNS = ("pairID", "version", *_SENTENCES, "gold_label")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_BLANK_BESIDE_OTHER_THAN_LATIN = re.compile(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])")


class NegationMinimalPairs(PinnedBuilder):
    """The `datasets` builder of `negation_minimal_pairs`; a config for each language; one split
    `test`.
    """

    DEFAULT_CONFIG_NAME = "en"
    SPLITS = ("test",)
    ROW = CuedNegationRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[CuedNegationRow]:
        """The modified lines in their order, each beside its original."""
        original: dict[str, Line] = {}
        for line in read_table(files["pairs"], _COLUMNS):
            pair = line["pairID"].rpartition("_")[0]
            if line["version"] == "Orig":
                original[pair] = line
            elif pair in original:
                yield _row(pair, original[pair], line, self.config.name)
            else:
                raise line.refusal("pairID", "an original line before it")


def _row(
    pair: str,
    original: Line,
    line: Line,
    language: str,
) -> CuedNegationRow:
    changed = []
    for name in _SENTENCES:
        if original[name].split() != line[name].split():
            changed.append(name)
    name = changed[0] if changed else _SENTENCES[0]
    before = original[name]
    after = line[name]
    n_words_before = len(before.split())
    n_words_after = len(after.split())
    removed_by = None
    if not changed:
        removed_by = "none_changed"
    elif len(changed) > 1:
        removed_by = "both_changed"
    return {
        "id": f"{language}-{line['pairID']}",
        "pair": pair,
        "before": written(before, language),
        "after": written(after, language),
        "important": line["gold_label"] != original["gold_label"],
        "n_removed": n_words_before - n_words_after,
        "removed_by": removed_by,
        "cue": cue(before, after),
    }


def cue(before: str, after: str) -> str:
    """The words of a sentence that it has lost, in alphabetical order, without punctuation.

    Args:
        before: The sentence, its words apart.
        after: The same without its negation.

    Examples:
        >>> cue("I was never told anything about Anna .", "I was told something about Anna .")
        'anything never'
    """
    lost = _words(before) - _words(after)
    return " ".join(sorted(lost.elements()))


def _words(text: str) -> Counter[str]:
    """How often each word stands in a text whose words are apart."""
    words = [_PUNCTUATION.sub("", word) for word in text.casefold().split()]
    return Counter(word for word in words if word)


def written(text: str, language: str) -> str:
    """The text as people write it: Chinese without the blanks of its segmentation, others as in the
    file.

    Examples:
        >>> written("我 在  New York 。", "zh")
        '我在New York。'
    """
    if language != "zh":
        return text
    one_blank = " ".join(text.split())
    return _BLANK_BESIDE_OTHER_THAN_LATIN.sub("", one_blank)
