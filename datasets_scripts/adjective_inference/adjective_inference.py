"""adjective_inference: people's answers to "is an A N still an N?".

Ross, Davidson, Kim 2024, 2025. The authors encrypt their files against crawlers, and their README prints the password
for readers. So rows hold ids, classes and counts of answers, which `datasets` may keep on disk; `bigram_words` gives
the words, in memory alone. See README.md beside this file; the bigrams of the config `mini` were written for this
project (CC0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, Line, read_table, read_text

_FOLDER = "https://raw.githubusercontent.com/rossh2/artificial-intelligence/5d0a9e229fb680f469695b941a2d48d66e6620d1"
_BLOB = "be1f49103b462da75d41599d1ae99c137829c95c"
_BIGRAMS = {
    "readme": Source(f"{_FOLDER}/README.md", "d5b83a73259e43058c6a11e3009f7a4a84a91f30"),
    "bigrams": Source(f"{_FOLDER}/bigrams.zip", _BLOB, 816, "bigrams/experiment_bigrams.txt"),
    "classes": Source(f"{_FOLDER}/bigrams.zip", _BLOB, member="bigrams/adjective_classes.csv"),
    "frequencies": Source(f"{_FOLDER}/bigrams.zip", _BLOB, member="bigrams/3979_bigrams_with_frequencies.csv"),
}
_RATINGS = Source(f"{_FOLDER}/results.zip", "not recorded", member="results/human/exp2_isa/isa_data_combined.csv")
"""Nobody here has had the published file: a copy in a mirror folder is used as an unverified one."""

ANSWERS = ("Definitely not", "Probably not", "Unsure", "Probably yes", "Definitely yes")
"""The answers people chose from; a rating of 1 is the first."""

_PASSWORD = re.compile(r"password for each ZIP file is `([^`]+)`")
Bigram = tuple[str, str]
"""An adjective and a noun."""


class InferenceRow(TypedDict):
    """One bigram; the columns are explained in the dataset card."""

    id: str
    adjective: str
    noun: str
    adjective_class: str | None
    zero_frequency: bool | None
    ratings: list[int] | None


class AdjectiveInference(PinnedBuilder):
    """The `datasets` builder of `adjective_inference`; configs `bigrams`, `people`, `mini`; split `test`."""

    DEFAULT_CONFIG_NAME = "people"
    SOURCES = {"bigrams": _BIGRAMS, "people": {**_BIGRAMS, "ratings": _RATINGS}}  # noqa: RUF012
    PACKAGED = {"mini": {"bigrams": "adjective_nouns.tsv"}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = InferenceRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[InferenceRow]:
        """The bigrams in the order of the list; in `people` those that were rated."""
        if self.config.name == "mini":
            lines = _mini_lines(files["bigrams"])
            classes = {line["adjective"]: line["class"] for line in lines}
            answers = [[int(line["answer"] == answer) for answer in ANSWERS] for line in lines]
            yield from inference_rows([_bigram(line) for line in lines], classes, {}, answers)
            return
        password = read_password(files["readme"])
        bigrams = read_bigrams(files["bigrams"], password)
        lines = read_table(files["classes"], ("Adjective", "AdjectiveClass"), password=password)
        classes = {line["Adjective"]: line["AdjectiveClass"].lower() for line in lines}
        lines = read_table(files["frequencies"], ("Adjective", "Noun", "Count"), password=password)
        zero_frequency = {(line["Adjective"], line["Noun"]): line["Count"] == "0" for line in lines}
        ratings = read_ratings(files["ratings"], password, bigrams) if "ratings" in files else None
        rows = inference_rows(bigrams, classes, zero_frequency, ratings)
        yield from (row for row in rows if ratings is None or any(row["ratings"] or ()))


def bigram_words(config: str) -> dict[str, Bigram]:
    """The adjective and the noun of each id, read anew each time and kept nowhere.

    Args:
        config: As in `load_dataset`.

    Raises:
        SourceError: A source file cannot be had.
        ValueError: It is not as expected; names the file.
    """
    if config == "mini":
        lines = _mini_lines(dataset_folder("adjective_inference") / "adjective_nouns.tsv")
        bigrams = [_bigram(line) for line in lines]
    else:
        bigrams = read_bigrams(_BIGRAMS["bigrams"], read_password(_BIGRAMS["readme"]))
    return {_id(place): bigram for place, bigram in enumerate(bigrams)}


def _mini_lines(file: File) -> list[Line]:
    return read_table(file, ("adjective", "noun", "class", "answer"), delimiter="\t", header=False)


def _bigram(line: Line) -> Bigram:
    return line["adjective"], line["noun"]


def _id(place: int) -> str:
    return f"bigram-{place:03}"


def inference_rows(
    bigrams: Sequence[Bigram],
    classes: Mapping[str, str],
    zero_frequency: Mapping[Bigram, bool],
    ratings: Sequence[list[int]] | None,
) -> Iterator[InferenceRow]:
    """The rows, with numbers for words: adjectives and nouns are numbered in the order of their first bigram."""
    numbers = [
        {word: number for number, word in enumerate(dict.fromkeys(bigram[side] for bigram in bigrams))}
        for side in (0, 1)
    ]
    for place, bigram in enumerate(bigrams):
        yield {
            "id": _id(place),
            "adjective": f"adjective-{numbers[0][bigram[0]]:02}",
            "noun": f"noun-{numbers[1][bigram[1]]:03}",
            "adjective_class": classes.get(bigram[0]),
            "zero_frequency": zero_frequency.get(bigram),
            "ratings": None if ratings is None else ratings[place],
        }


def read_password(readme: File) -> str:
    """The password that the authors' README gives its readers.

    Raises:
        ValueError: It gives none.
    """
    place, text = read_text(readme)
    password = _PASSWORD.search(text)
    if not password:
        raise ValueError(f"{place}: no password of the ZIP files is printed here, as it is in the published file.")
    return password[1].replace(" ", "")


def read_bigrams(file: File, password: str) -> list[Bigram]:
    """The distinct bigrams of the experiment, in the order of the list.

    Raises:
        ValueError: As `read_table`; or a line is not adjective TAB noun.
    """
    lines = read_table(file, ("adjective", "noun"), delimiter="\t", header=False, password=password)
    return list(dict.fromkeys(map(_bigram, lines)))


def read_ratings(file: File, password: str, bigrams: Sequence[Bigram]) -> list[list[int]]:
    """How many people gave each of `ANSWERS` to each bigram.

    Raises:
        ValueError: As `read_table`; or a rating is none of 1 to 5, or of a bigram that is not listed.
    """
    counts = {bigram: [0] * len(ANSWERS) for bigram in bigrams}
    for line in read_table(file, ("Adjective", "Noun", "NumRating"), password=password):
        bigram = line["Adjective"], line["Noun"]
        if bigram not in counts:
            raise ValueError(f"{line.place}: a rating of a bigram that is not in {_BIGRAMS['bigrams'].member}")
        counts[bigram][int(line.choice("NumRating", tuple("12345"))) - 1] += 1
    return list(counts.values())
