"""sts3k: sentence pairs with people's similarity, among them the same words in other roles.

Fodor, De Deyne, Suzuki: STS3k, as in their repository bmmlab/compositional-semantics-eval. See README.md beside this
file for the columns; the pairs of the config `mini` were written for this project (CC0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import quote

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.readers import number_in, read_cells, read_lines, read_workbook
from harness_ext.data.sources import Source
from harness_ext.datasets_scripts.sts3k.published import SIMILARITY_BLOBS

COMMIT = "c310abbe8a50f38135a67939d3e71a878ef359bb"
REPOSITORY = f"https://raw.githubusercontent.com/bmmlab/compositional-semantics-eval/{COMMIT}"
_DATA = f"{REPOSITORY}/Data-experiment"
_SIMILARITIES = f"{REPOSITORY}/{quote('Data-model/Sentence Similarities')}"

N_PAIRS = 2800
ADVERSARIAL, ORDINARY, NEGATION = "adversarial", "ordinary", "negation"
"""The kinds of pairs: adversarial without negation, not adversarial, adversarial with negation."""

_LIST = Source(f"{_DATA}/STS3k_all.txt", "a9e511d80711ba635760054b153ceae4804fb6f5", rows=N_PAIRS)
_RATINGS_FROM = 3
"""Columns of the workbook: number, kind, pair, then a column for each person, `Mean` and `Std`."""


class PairRow(TypedDict):
    """One pair of sentences; the columns are explained in the dataset card."""

    id: str
    sentence1: str
    sentence2: str
    similarity: float
    kind: str
    group: int
    people: list[int]
    ratings: list[int]


class PublishedRow(TypedDict):
    """The similarities that a published model gives to the pairs; the columns are explained in the dataset card."""

    model: str
    contaminated: bool
    similarities: list[float]


class Sts3k(PinnedBuilder):
    """The `datasets` builder of `sts3k`; configs `pairs`, `published` and `mini`, one split `test`."""

    NAME = "sts3k"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name) for name in ("pairs", "published", "mini")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "pairs"
    SOURCES = {  # noqa: RUF012
        "pairs": {
            "list": _LIST,
            ADVERSARIAL: Source(
                f"{_DATA}/STS3k_adv_noneg_indices.txt", "9c1d6342394e65b6ccc047610f0a5f7e4114ef32", rows=1664
            ),
            ORDINARY: Source(
                f"{_DATA}/STS3k_non_adv_indices.txt", "699cb7172f1f797c85f1b0df5b889745de30bc0a", rows=1065
            ),
            "ratings": Source(
                f"{_DATA}/STS3k_all_participant_data.xlsx", "8dae24e3e9cfbab8540bd6b43afb681e70fce966", rows=N_PAIRS
            ),
        },
        "published": {
            name: Source(f"{_SIMILARITIES}/STS3k_all_{name}_similarities.txt", blob)
            for name, blob in SIMILARITY_BLOBS.items()
        },
    }
    SPLITS = ("test",)
    FEATURES = datasets.Features(
        {
            "id": datasets.Value("string"),
            "sentence1": datasets.Value("string"),
            "sentence2": datasets.Value("string"),
            "similarity": datasets.Value("float64"),
            "kind": datasets.Value("string"),
            "group": datasets.Value("int32"),
            "people": [datasets.Value("int32")],
            "ratings": [datasets.Value("int32")],
        }
    )
    PUBLISHED_FEATURES = datasets.Features(
        {
            "model": datasets.Value("string"),
            "contaminated": datasets.Value("bool"),
            "similarities": [datasets.Value("float64")],
        }
    )

    def rows(self, files: dict[str, Path], split: str) -> Iterator[Mapping[str, Any]]:
        """The pairs in the order of the list; or the published models, in the order of their files' names."""
        if self.config.name == "published":
            for name, file in files.items():
                yield {
                    "model": name,
                    "contaminated": "_ft_" in name and "_ft_STSb_" not in name,
                    "similarities": read_similarities(file, N_PAIRS),
                }
        elif self.config.name == "mini":
            yield from mini_rows()
        else:
            pairs = read_pairs(files["list"])
            places = {kind: read_places(files[kind], len(pairs)) for kind in (ADVERSARIAL, ORDINARY)}
            ratings = read_ratings(files["ratings"], [pair for pair, _ in pairs])
            self.check_rows(
                files,
                {"list": len(pairs), "ratings": len(ratings), **{kind: len(found) for kind, found in places.items()}},
            )
            if both := set(places[ADVERSARIAL]) & set(places[ORDINARY]):
                raise ValueError(f"{files[ORDINARY]}: pair {min(both)} stands in {files[ADVERSARIAL]} too")
            kinds = [NEGATION] * len(pairs)
            for kind, found in places.items():
                for place in found:
                    kinds[place] = kind
            yield from pair_rows(pairs, kinds, ratings, "sts3k")

    def _info(self) -> datasets.DatasetInfo:
        features = self.PUBLISHED_FEATURES if self.config.name == "published" else self.FEATURES
        return datasets.DatasetInfo(features=features)


Pair = tuple[str, str]
Ratings = tuple[list[int], list[int]]
"""Numbers of people from 1, and what each of them rated the pair: 1 (nothing alike) to 7."""


def read_pairs(file: Path) -> list[tuple[Pair, float]]:
    """The pairs of the list and their similarity, in [0, 1].

    Raises:
        ValueError: A line is not two sentences and a number; names file and line.
    """
    cells = read_cells(file, ("sentence1", "sentence2", "similarity"), ";")
    return [((first, second), number_in(cell, place, 0, 1)) for place, (first, second, cell) in cells]


def read_places(file: Path, n_pairs: int) -> list[int]:
    """The places of pairs in the list, counted from 0, one a line.

    Raises:
        ValueError: A line is no such place, or one that was there before; names file and line.
    """
    places: dict[int, None] = {}
    for place, line in read_lines(file):
        number = int(line) if line.strip().isdecimal() else n_pairs
        if number >= n_pairs or number in places:
            problem = "stands twice" if number in places else f"is no place in a list of {n_pairs} pairs"
            raise ValueError(f"{place}: {line!r} {problem}")
        places[number] = None
    return list(places)


def read_similarities(file: Path, n_pairs: int) -> list[float]:
    """A model's similarity of every pair of the list, in its order, one a line.

    Raises:
        ValueError: A line is no number, or there are more or fewer lines than pairs; names the file.
    """
    similarities = [number_in(line, place) for place, line in read_lines(file)]
    if len(similarities) != n_pairs:
        raise ValueError(f"{file}: {len(similarities)} similarities for the {n_pairs} pairs of the list")
    return similarities


def read_ratings(file: Path, pairs: Sequence[Pair]) -> list[Ratings]:
    """Every person's rating of every pair, in the order of the list.

    A pair whose words in the workbook are not those of the list has no ratings: people rated something else.

    Raises:
        ValueError: It is no such workbook, has a pair at a place that the list has not, or a rating is none of 1 to 7;
            names file, row and column.
    """
    (header, *lines) = next(iter(read_workbook(file).values())) or [()]
    if tuple(header[:2]) != ("Main ID", "Adversarial") or tuple(header[-2:]) != ("Mean", "Std"):
        raise ValueError(f"{file}: columns Main ID, Adversarial, ..., Mean, Std expected, found {header[:3]} ...")
    ratings: list[Ratings] = [([], []) for _ in pairs]
    for number, line in enumerate(lines, start=2):
        place = f"{file}, row {number}"
        main_id = line[0]
        if not isinstance(main_id, int) or not 1 <= main_id <= len(pairs):
            raise ValueError(f"{place}: pair {main_id!r} is not in the list, which has {len(pairs)}")
        if str(line[2]).split() != " ".join(pairs[main_id - 1]).split():
            continue
        people, given = ratings[main_id - 1]
        for column, rating in enumerate(line[_RATINGS_FROM:-2], start=_RATINGS_FROM):
            if rating in (None, ""):
                continue
            if rating not in range(1, 8):
                raise ValueError(f"{place}, column {header[column]!r}: a rating from 1 to 7 expected, found {rating!r}")
            people.append(int(header[column]))
            given.append(int(rating))
    if len(lines) != len(pairs):
        raise ValueError(f"{file} has {len(lines)} pairs, the list {len(pairs)}")
    return ratings


def linked_groups(pairs: Sequence[Pair]) -> list[int]:
    """The group of each pair, from 0: pairs are in one group if sentences in common link them."""
    # not scipy's connected_components: builders load where no more than `datasets` is installed
    linked = {sentence: {sentence} for pair in pairs for sentence in pair}
    for first, second in pairs:
        if linked[first] is not linked[second]:
            linked[first] |= linked[second]
            for sentence in linked[second]:
                linked[sentence] = linked[first]
    groups = [id(linked[first]) for first, _ in pairs]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return [numbers[group] for group in groups]


def pair_rows(
    pairs: Sequence[tuple[Pair, float]], kinds: Sequence[str], ratings: Sequence[Ratings], prefix: str
) -> Iterator[PairRow]:
    """The rows; groups are counted within each kind."""
    groups = [0] * len(pairs)
    for kind in dict.fromkeys(kinds):
        places = [place for place, of_kind in enumerate(kinds) if of_kind == kind]
        for place, group in zip(places, linked_groups([pairs[place][0] for place in places]), strict=True):
            groups[place] = group
    for place, ((first, second), similarity) in enumerate(pairs):
        people, given = ratings[place]
        yield {
            "id": f"{prefix}-{place}",
            "sentence1": first,
            "sentence2": second,
            "similarity": similarity,
            "kind": kinds[place],
            "group": groups[place],
            "people": people,
            "ratings": given,
        }


def mini_rows() -> Iterator[PairRow]:
    """The pairs of role_swaps.tsv: each sentence with four others."""
    columns = ("sentence", "reworded", "swapped", "close", "unrelated")
    pairs: list[tuple[Pair, float]] = []
    kinds: list[str] = []
    for _, (sentence, *others) in read_cells(dataset_folder("sts3k") / "role_swaps.tsv", columns):
        for other, kind, similarity in zip(
            others, (ADVERSARIAL, ADVERSARIAL, ORDINARY, ORDINARY), (1.0, 0.5, 1.0, 0.0), strict=True
        ):
            pairs.append(((sentence, other), similarity))
            kinds.append(kind)
    yield from pair_rows(pairs, kinds, [([], [])] * len(pairs), "mini")
