"""adjective_inference: people's answers to "is an A N still an N?".

Ross, Davidson, Kim 2024, 2025. The authors encrypt their files against crawlers, and their README prints the password
for readers. So rows hold ids, classes and counts of answers, which `datasets` may keep on disk; `bigram_words` gives
the words, in memory alone. See README.md beside this file; the bigrams of the config `mini` were written for this
project (CC0).
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.readers import read_cells
from harness_ext.data.sources import Source, fetch

COMMIT = "5d0a9e229fb680f469695b941a2d48d66e6620d1"
_FOLDER = f"https://raw.githubusercontent.com/rossh2/artificial-intelligence/{COMMIT}"
_README = Source(f"{_FOLDER}/README.md", "d5b83a73259e43058c6a11e3009f7a4a84a91f30")
_BIGRAMS = Source(f"{_FOLDER}/bigrams.zip", "be1f49103b462da75d41599d1ae99c137829c95c", rows=811)
_RESULTS = Source(f"{_FOLDER}/results.zip", "not recorded")
"""Nobody here has had the published file: a copy in a mirror folder is used as an unverified one."""

ANSWERS = ("Definitely not", "Probably not", "Unsure", "Probably yes", "Definitely yes")
"""The answers people chose from; a rating of 1 is the first."""

_PASSWORD = re.compile(r"password for each ZIP file is `([^`]+)`")
_LISTED, _FREQUENCIES, _CLASSES = (
    f"bigrams/{name}"
    for name in ("experiment_bigrams.txt", "3979_bigrams_with_frequencies.csv", "adjective_classes.csv")
)
_RATED = "results/human/exp2_isa/isa_data_combined.csv"

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

    NAME = "adjective_inference"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name) for name in ("bigrams", "people", "mini")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "people"
    SOURCES = {  # noqa: RUF012
        "bigrams": {"readme": _README, "bigrams": _BIGRAMS},
        "people": {"readme": _README, "bigrams": _BIGRAMS, "results": _RESULTS},
    }
    SPLITS = ("test",)
    FEATURES = datasets.Features(
        {
            **{name: datasets.Value("string") for name in ("id", "adjective", "noun", "adjective_class")},
            "zero_frequency": datasets.Value("bool"),
            "ratings": [datasets.Value("int32")],
        }
    )

    def rows(self, files: dict[str, Path], split: str) -> Iterator[InferenceRow]:
        """The bigrams in the order of the list; in `people` those that were rated."""
        if self.config.name == "mini":
            lines = [cells for _, cells in _mini()]
            answers = [[int(answer == place) for place in ANSWERS] for *_, answer in lines]
            bigrams = [(adjective, noun) for adjective, noun, *_ in lines]
            yield from inference_rows(bigrams, {line[0]: line[2] for line in lines}, {}, answers)
            return
        password = read_password(files["readme"])
        bigrams = read_bigrams(files["bigrams"], password)
        self.check_rows(files, {"bigrams": len(bigrams)})
        classes = {
            cells["Adjective"]: cells["AdjectiveClass"].lower()
            for _, cells in read_table(files["bigrams"], password, _CLASSES, ("Adjective", "AdjectiveClass"))
        }
        counts = {
            (cells["Adjective"], cells["Noun"]): cells["Count"] == "0"
            for _, cells in read_table(files["bigrams"], password, _FREQUENCIES, ("Adjective", "Noun", "Count"))
        }
        ratings = read_ratings(files["results"], password, bigrams) if "results" in files else None
        rows = inference_rows(bigrams, classes, counts, ratings)
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
        bigrams = [(adjective, noun) for _, (adjective, noun, *_) in _mini()]
    else:
        bigrams = read_bigrams(fetch(_BIGRAMS), read_password(fetch(_README)))
    return {_id(number): bigram for number, bigram in enumerate(bigrams)}


def _mini() -> Iterator[tuple[str, tuple[str, ...]]]:
    file = dataset_folder("adjective_inference") / "adjective_nouns.tsv"
    for place, cells in read_cells(file, ("adjective", "noun", "class", "answer")):
        if cells[3] not in ANSWERS:
            raise ValueError(f"{place}: one of {', '.join(ANSWERS)} expected, found {cells[3]!r}")
        yield place, cells


def _id(number: int) -> str:
    return f"bigram-{number:03}"


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


def read_password(readme: Path) -> str:
    """The password that the authors' README gives its readers.

    Raises:
        ValueError: It gives none.
    """
    found = _PASSWORD.search(readme.read_text(encoding="utf-8", errors="replace"))
    if not found:
        raise ValueError(f"{readme}: no password of the ZIP files is printed here, as it is in the published file.")
    return found[1].replace(" ", "")


def read_member(archive: Path, password: str, member: str) -> list[str]:
    """The lines of a file in an encrypted archive, read in memory. No message quotes them.

    Raises:
        ModuleNotFoundError: `pyzipper` is not installed; says how to install it.
        ValueError: The file is no archive, lacks the member, has another password, or is not UTF-8.
    """
    try:
        import pyzipper
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "The authors' files are encrypted; reading them needs pyzipper: "
            "pip install 'compositionality-harness[encrypted]'"
        ) from error
    place = f"{archive}, {member}"
    try:
        with pyzipper.AESZipFile(archive) as opened:
            data: bytes = opened.read(member, pwd=password.encode())
    except KeyError:
        raise ValueError(f"{place}: no such file in the archive") from None
    except RuntimeError:
        raise ValueError(f"{place}: the password that the README beside it prints does not open it") from None
    except (pyzipper.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise ValueError(f"{place}: {error}") from None
    try:
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}, byte {error.start}: not UTF-8") from None


def read_table(
    archive: Path, password: str, member: str, columns: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The place and the cells of each line of a CSV file in an encrypted archive.

    Raises:
        ValueError: As `read_member`; or a column or a cell is missing, without quoting any.
    """
    reader = csv.DictReader(io.StringIO("\n".join(read_member(archive, password, member))))
    if missing := [column for column in columns if column not in (reader.fieldnames or ())]:
        raise ValueError(f"{archive}, {member}: no column {', '.join(map(repr, missing))}")
    for cells in reader:
        place = f"{archive}, {member}, line {reader.line_num}"
        if any(not cells[column] for column in columns):
            raise ValueError(f"{place}: a cell of {', '.join(columns)} is empty")
        yield place, cells


def read_bigrams(archive: Path, password: str) -> list[Bigram]:
    """The distinct bigrams of the experiment, in the order of the list.

    Raises:
        ValueError: As `read_member`; or a line is not adjective TAB noun.
    """
    bigrams: dict[Bigram, None] = {}
    for number, line in enumerate(read_member(archive, password, _LISTED), start=1):
        adjective, _, noun = (part.strip() for part in line.partition("\t"))
        if not (adjective and noun):
            raise ValueError(f"{archive}, {_LISTED}, line {number}: adjective TAB noun expected")
        bigrams[adjective, noun] = None
    return list(bigrams)


def read_ratings(archive: Path, password: str, bigrams: Sequence[Bigram]) -> list[list[int]]:
    """How many people gave each of `ANSWERS` to each bigram.

    Raises:
        ValueError: As `read_table`; or a rating is none of 1 to 5, or of a bigram that is not listed.
    """
    counts = {bigram: [0] * len(ANSWERS) for bigram in bigrams}
    for place, cells in read_table(archive, password, _RATED, ("Adjective", "Noun", "NumRating")):
        bigram = cells["Adjective"], cells["Noun"]
        if bigram not in counts:
            raise ValueError(f"{place}: a rating of a bigram that is not in {_LISTED}")
        if cells["NumRating"] not in {"1", "2", "3", "4", "5"}:
            raise ValueError(f"{place}, column 'NumRating': a rating from 1 to 5 expected")
        counts[bigram][int(cells["NumRating"]) - 1] += 1
    return list(counts.values())
