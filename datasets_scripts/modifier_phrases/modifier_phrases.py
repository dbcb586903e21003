"""modifier_phrases: every `adjective noun` and `adjective adjective noun` of a small vocabulary.

Carvalho, Manino, Rozanova, Cordeiro, Freitas: Montague semantics and modifier consistency measurement in neural
language models, COLING 2025. Made from vocabulary.csv beside this file, with the words of the paper, or from your own
file: `load_dataset("modifier_phrases", vocabulary="my_words.csv")`. See README.md for the columns.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import datasets
from datasets import Features, Value

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder

ADJECTIVE_TYPES = ("S-I", "S-NI", "NS-Pl", "NS-Pr", "A")
"""Subsective intersective, subsective non-intersective, non-subsective plain, non-subsective privative, ambiguous."""

NOUN_TYPE = "N"

_RELEASED_SPELLING = {"occurrence": "occurence"}
"""A misspelt noun in the vocabulary file of the published tables."""

_COLUMNS = ["word", "type", "synonym"]


class Word(NamedTuple):
    """A word of the vocabulary; `word` and `synonym` are lower-cased, `synonym` may be several words."""

    word: str
    type: str
    synonym: str


class PhraseRow(TypedDict):
    """One phrase; the columns are explained in the dataset card."""

    phrase: str
    pattern: str
    words: list[str]
    types: list[str]
    synonyms: list[str]


@dataclass
class ModifierPhrasesConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """A config of `modifier_phrases`.

    Attributes:
        vocabulary: Path of a CSV file `word,type,synonym`, to use instead of the published words.
    """

    vocabulary: str | None = None


class ModifierPhrases(PinnedBuilder):
    """The `datasets` builder of `modifier_phrases`; configs `released` and `corrected`, one split `test`."""

    NAME = "modifier_phrases"
    BUILDER_CONFIG_CLASS = ModifierPhrasesConfig
    BUILDER_CONFIGS = [ModifierPhrasesConfig(name=name) for name in ("released", "corrected")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "released"
    SPLITS = ("test",)
    FEATURES = Features(
        {
            "phrase": Value("string"),
            "pattern": Value("string"),
            "words": [Value("string")],
            "types": [Value("string")],
            "synonyms": [Value("string")],
        }
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if vocabulary := kwargs.get("vocabulary"):
            path = Path(vocabulary).expanduser().absolute()
            if not path.is_file():
                raise FileNotFoundError(
                    f"There is no vocabulary file {path}; a CSV file word,type,synonym is expected."
                )
            kwargs["vocabulary"] = str(path)
            # The path alone would not show that the file was edited.
            kwargs["hash"] = (kwargs.get("hash") or "") + hashlib.sha256(path.read_bytes()).hexdigest()
        super().__init__(*args, **kwargs)

    def rows(self, files: dict[str, Path], split: str) -> Iterator[PhraseRow]:
        """Yield all `adjective noun`, then all `adjective adjective noun`, in the order of the vocabulary."""
        if self.config.vocabulary:
            return phrase_rows(read_vocabulary(Path(self.config.vocabulary)))
        vocabulary = read_vocabulary(dataset_folder(self.NAME) / "vocabulary.csv")
        if self.config.name == "released":
            vocabulary = [word._replace(word=_RELEASED_SPELLING.get(word.word, word.word)) for word in vocabulary]
        return phrase_rows(vocabulary)


def read_vocabulary(path: Path | Traversable) -> list[Word]:
    """Read a CSV file with the columns `word,type,synonym`, one word a line.

    Raises:
        ValueError: A type is unknown; a word is empty, given twice, or both noun and adjective; a synonym is empty;
            there is no adjective or no noun; or the file is not such a CSV file. Names the file and the line.
    """
    vocabulary: dict[str, Word] = {}
    try:
        lines = csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True)
        header = [column.strip() for column in next(lines, [])]
        if header != _COLUMNS:
            raise ValueError(f"{path}, line 1: the columns are {','.join(header)!r}, not {','.join(_COLUMNS)!r}")
        for cells in lines:
            if cells:
                word = _read_word(cells, vocabulary, f"{path}, line {lines.line_num}")
                vocabulary[word.word] = word
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a UTF-8 CSV file: {error}") from error
    if len({word.type == NOUN_TYPE for word in vocabulary.values()}) < 2:
        raise ValueError(f"{path}: at least one adjective and one noun (type {NOUN_TYPE}) are needed")
    return list(vocabulary.values())


def _read_word(cells: list[str], known: dict[str, Word], place: str) -> Word:
    if len(cells) != len(_COLUMNS):
        raise ValueError(f"{place}: {len(cells)} cells, not {len(_COLUMNS)} ({','.join(_COLUMNS)})")
    text, word_type, synonym = (" ".join(cell.split()) for cell in cells)
    word = Word(text.lower(), word_type, synonym.lower())
    if not word.word:
        raise ValueError(f"{place}: the word is empty")
    if word_type not in {*ADJECTIVE_TYPES, NOUN_TYPE}:
        expected = f"{', '.join(ADJECTIVE_TYPES)} for adjectives, {NOUN_TYPE} for nouns"
        raise ValueError(f"{place}: the type {word_type!r} of {text!r} is unknown; {expected}")
    if not word.synonym:
        raise ValueError(f"{place}: the synonym of {text!r} is empty")
    if other := known.get(word.word):
        if (other.type == NOUN_TYPE) != (word_type == NOUN_TYPE):
            raise ValueError(f"{place}: {text!r} is both a noun and an adjective")
        raise ValueError(f"{place}: {text!r} occurs twice")
    return word


def phrase_rows(vocabulary: Sequence[Word]) -> Iterator[PhraseRow]:
    """Yield every adjective before every noun, then every ordered pair of different adjectives before every noun."""
    adjectives = [word for word in vocabulary if word.type != NOUN_TYPE]
    nouns = [word for word in vocabulary if word.type == NOUN_TYPE]
    for n_adjectives, pattern in ((1, "AN"), (2, "AAN")):
        for modifiers in permutations(adjectives, n_adjectives):
            for noun in nouns:
                words = (*modifiers, noun)
                yield {
                    "phrase": " ".join(word.word for word in words),
                    "pattern": pattern,
                    "words": [word.word for word in words],
                    "types": [word.type for word in words],
                    "synonyms": [word.synonym for word in words],
                }
