"""modifier_phrases: every `adjective noun` and `adjective adjective noun` of a small vocabulary.

Carvalho, Manino, Rozanova, Cordeiro, Freitas: Montague semantics and modifier consistency
measurement in neural language models, COLING 2025. Made from vocabulary.csv beside this file, with
the words of the paper. See README.md for the columns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any, get_args

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import PhraseRow, Word, WordType
from harness_ext.data.tables import File, Line, read_table

NOUN_TYPE = "N"
# a misspelt noun in the vocabulary file of the published tables
_RELEASED_SPELLING = {"occurrence": "occurence"}


class ModifierPhrases(PinnedBuilder):
    """The `datasets` builder of `modifier_phrases`; configs `released` and `corrected`, one split
    `test`.
    """

    DEFAULT_CONFIG_NAME = "released"
    PACKAGED = {config: {"vocabulary": "vocabulary.csv"} for config in ("released", "corrected")}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = PhraseRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[PhraseRow]:
        """Yield all `adjective noun`, then all `adjective adjective noun`, in the order of the
        vocabulary.
        """
        vocabulary = read_vocabulary(files["vocabulary"])
        if self.config.name == "released":
            vocabulary = [
                word._replace(word=_RELEASED_SPELLING.get(word.word, word.word))
                for word in vocabulary
            ]
        return phrase_rows(vocabulary)


def read_vocabulary(file: File) -> list[Word]:
    """Read a CSV file with the columns `word,type,synonym`, one word a line.

    Raises:
        ValueError: As of `vocabulary_of`; or a word is given twice, or the file is not such a CSV
            file.
    """
    return vocabulary_of(
        read_table(file, ("word", "type", "synonym"), delimiter=",", unique=["word"]), str(file)
    )


def vocabulary_of(lines: Iterable[Line], place: str) -> list[Word]:
    """The words of a table with the columns `word`, `type`, `synonym`.

    Raises:
        ValueError: A type is unknown; a word or a synonym is empty; there is no adjective or no
            noun. Names the place.
    """
    words = []
    for line in lines:
        word, synonym = (" ".join(line[column].lower().split()) for column in ("word", "synonym"))
        kind: Any = line.choice("type", get_args(WordType))
        words.append(Word(word, kind, synonym))
    if len({word.type == NOUN_TYPE for word in words}) < 2:
        raise ValueError(
            f"{place}: at least one adjective and one noun (type {NOUN_TYPE}) are needed"
        )
    return words


def phrase_rows(vocabulary: Sequence[Word]) -> Iterator[PhraseRow]:
    """Yield every adjective before every noun, then every ordered pair of different adjectives
    before every noun.
    """
    adjectives = [word for word in vocabulary if word.type != NOUN_TYPE]
    nouns = [word for word in vocabulary if word.type == NOUN_TYPE]
    for n_adjectives, pattern in ((1, "AN"), (2, "AAN")):
        for modifiers, noun in product(permutations(adjectives, n_adjectives), nouns):
            words = (*modifiers, noun)
            yield {
                "phrase": " ".join(word.word for word in words),
                "pattern": pattern,
                "words": [word.word for word in words],
                "types": [word.type for word in words],
                "synonyms": [word.synonym for word in words],
            }
