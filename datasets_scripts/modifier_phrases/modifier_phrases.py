"""modifier_phrases: every `adjective noun` and `adjective adjective noun` of a small vocabulary.

Carvalho, Manino, Rozanova, Cordeiro, Freitas: Montague semantics and modifier consistency
measurement in neural language models, COLING 2025. Made from vocabulary.csv beside this file, with
the words of the paper. See README.md for the columns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, get_args

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import PhraseRow, Word, WordType
from harness_ext.data.tables import File, Line, read_table

NOUN_TYPE = "N"
_PATTERNS = {
    2: "AN",
    3: "AAN",
}
"""Number of words -> the pattern of the phrase."""
# a misspelt noun in the vocabulary file of the published tables
_RELEASED_SPELLING = {"occurrence": "occurence"}


class ModifierPhrases(PinnedBuilder):
    """The `datasets` builder of `modifier_phrases`; configs `released` and `corrected`, one split
    `test`.
    """

    DEFAULT_CONFIG_NAME = "released"
    PACKAGED = {  # noqa: RUF012
        "released": {"vocabulary": "vocabulary.csv"},
        "corrected": {"vocabulary": "vocabulary.csv"},
    }
    SPLITS = ("test",)
    ROW = PhraseRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[PhraseRow]:
        """Yield all `adjective noun`, then all `adjective adjective noun`, in the order of the
        vocabulary.
        """
        vocabulary = read_vocabulary(files["vocabulary"])
        if self.config.name == "released":
            vocabulary = [_as_released(word) for word in vocabulary]
        return phrase_rows(vocabulary)


def _as_released(word: Word) -> Word:
    spelling = _RELEASED_SPELLING.get(word.word, word.word)
    return word._replace(word=spelling)


def read_vocabulary(file: File) -> list[Word]:
    """Read a CSV file with the columns `word,type,synonym`, one word a line.

    Raises:
        ValueError: As of `vocabulary_of`; or a word is given twice, or the file is not such a CSV
            file.
    """
    columns = ("word", "type", "synonym")
    lines = read_table(file, columns, delimiter=",", unique=["word"])
    return vocabulary_of(lines, str(file))


def vocabulary_of(lines: Iterable[Line], place: str) -> list[Word]:
    """The words of a table with the columns `word`, `type`, `synonym`.

    Raises:
        ValueError: A type is unknown; a word or a synonym is empty; there is no adjective or no
            noun. Names the place.
    """
    words = []
    for line in lines:
        kind: Any = line.choice("type", get_args(WordType))
        word = Word(
            word=_written(line, "word"),
            type=kind,
            synonym=_written(line, "synonym"),
        )
        words.append(word)
    n_nouns = sum(word.type == NOUN_TYPE for word in words)
    if n_nouns in {0, len(words)}:
        raise ValueError(
            f"{place}: at least one adjective and one noun (type {NOUN_TYPE}) are needed"
        )
    return words


def _written(line: Line, column: str) -> str:
    words = line[column].lower().split()
    return " ".join(words)


def phrase_rows(vocabulary: Sequence[Word]) -> Iterator[PhraseRow]:
    """Yield every adjective before every noun, then every ordered pair of different adjectives
    before every noun.
    """
    adjectives = [word for word in vocabulary if word.type != NOUN_TYPE]
    nouns = [word for word in vocabulary if word.type == NOUN_TYPE]
    for n_adjectives in (1, 2):
        for modifiers in permutations(adjectives, n_adjectives):
            for noun in nouns:
                yield _row((*modifiers, noun))


def _row(words: Sequence[Word]) -> PhraseRow:
    texts = [word.word for word in words]
    return {
        "phrase": " ".join(texts),
        "pattern": _PATTERNS[len(words)],
        "words": texts,
        "types": [word.type for word in words],
        "synonyms": [word.synonym for word in words],
    }
