"""What reads files of others, each with small sound files to damage, and what must hold of whatever it is given.

A reader gives rows, or an error that names one of its files: never a traceback from inside another library, never
silence. `tests/fuzz/test_readers.py` damages the files with hypothesis, `benchmarks/fuzz.py` with atheris.
"""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import openpyxl

from harness_ext.data.tables import read_member
from harness_ext.datasets_scripts.ncimp import tagged
from harness_ext.datasets_scripts.nctti.human_scores import read_human_scores
from harness_ext.datasets_scripts.nctti.nctti import read_published_sentences
from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import reference_pairs, sentence_rows, system_pairs
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import SentimentTrees
from harness_ext.encoders.models.static import load_vectors
from harness_ext.language_models.document_measure import Aggregation, items_of
from harness_ext.language_models.surprisal import EPSILON_SURPRISAL
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.results.load import load_results
from harness_ext.store.item_files import ItemsError
from tests.results.measured import write_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass(frozen=True)
class Reader:
    """A reader and its files.

    Attributes:
        files: Makes sound files, name -> content.
        read: Reads the folder that they are in, checks what it gives, and returns what it said of problems.
        errors: What it may raise, if the message names a file.
        damaged: What the names of those to be damaged end in.
    """

    files: Callable[[], Mapping[str, bytes]]
    read: Callable[[Path], Iterable[str]]
    errors: tuple[type[Exception], ...] = (ValueError,)
    damaged: str = ""


def check(name: str, folder: Path, file: str, data: bytes) -> None:
    """Read sound files of which one has other content.

    Args:
        name: Of the reader.
        folder: Where to write them; one that nothing else is in.
        file: Which.
        data: Its content.

    Raises:
        AssertionError: The reader gave what cannot be, or a message that names no file.
        Exception: Whatever else it raised, which it should not.
    """
    reader = READERS[name]
    for each, content in sound_files(name).items():
        path = folder / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if each == file else content)
    try:
        said = list(reader.read(folder))
    except reader.errors as error:
        said = [str(error)]
    assert all(str(folder) in each for each in said), said


@functools.cache
def sound_files(name: str) -> Mapping[str, bytes]:
    """The sound files of a reader."""
    return READERS[name].files()


def said_of(read: Callable[[], object], *errors: type[Exception]) -> list[str]:
    """The message of an error, if there is one."""
    try:
        read()
    except errors as error:
        return [str(error)]
    return []


SCORES = (
    "compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\n"
    '"car park"\tPC\t4.2\t2.8\t2.55\t2.9\nblack box\tNC\t1.3\t\t1.0\t0\ncafé\tC\t5\t5\t5\t5\n'
).encode()


SHEET = "xl/worksheets/sheet1.xml"
"""A file inside of the workbook of scores."""


def _ncimp_files() -> dict[str, bytes]:
    sentence, tag = "it was a black box .", "[False, False, False, True, True, False]"
    probes = ["synonym for compound", "original head only", "original modifier only", "synonym both"]
    probes += [f"both synonym alt{n}" for n in range(1, 5)] + [f"nc rand freq sentence{n}" for n in range(1, 6)]
    columns = {"compound": "black box", "neutral sentence": sentence, "original sentence_tag": tag}
    columns |= {column: value for probe in probes for column, value in ((probe, sentence), (f"{probe}_tag", tag))}
    csv = "\n".join(",".join(f'"{cell}"' for cell in row) for row in (columns, columns.values()))
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in (
        ("language", "file", "compound", "ClassType", "CompositionalityType", "CompositionalityToken"),
        ("en", "EN/neutral.csv", "black box", "NC", 1.5, 1.25),
    ):
        book.active.append(row)
    book.save(content)
    with zipfile.ZipFile(content) as archive:
        sheet = archive.read(SHEET)
    return {"neutral.csv": csv.encode(), "data_en.tsv": SCORES, SHEET: sheet, "whole.xlsx": content.getvalue()}


def workbook(sheet: bytes) -> bytes:
    """The sound workbook with another sheet."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(sound_files("NCIMP")["whole.xlsx"])) as archive,
        zipfile.ZipFile(content, "w") as changed,
    ):
        for name in archive.namelist():
            changed.writestr(name, sheet if name == SHEET else archive.read(name))
    return content.getvalue()


def _ncimp(folder: Path) -> Iterable[str]:
    (folder / "scores.xlsx").write_bytes(workbook((folder / SHEET).read_bytes()))
    yield from said_of(lambda: tagged.read_scores(folder / "whole.xlsx"), ValueError)
    files = {"neutral.csv": "neutral.csv", "scores": "scores.xlsx", "people": "data_en.tsv"}
    for row in tagged.tagged_rows({name: folder / file for name, file in files.items()}, "en", "neutral"):
        for probe in (row, row["syn"], row["head"], row["modifier"], *row["words_syn"], *row["rand"]):
            start, end = probe["span"]
            assert 0 <= start < end <= len(probe["sentence"].split())
        numbers = [row[key] for key in ("type_score", "token_score", "comp") if row[key] is not None]
        assert np.isfinite(numbers).all(), numbers


SENTENCES = b'compound,sentence1,sentence2,sentence3\nblack box,It was a black box .,"The box, black .",sent3: (12)\n'


def _nctti(folder: Path) -> Iterable[str]:
    for scores in read_human_scores(folder / "data_en.tsv").values():
        assert scores.expert_class in {"NC", "PC", "C"}
        assert np.isfinite([number for number in (scores.type_score, *scores.token_scores) if number is not None]).all()
    for (_, context), sentence in read_published_sentences(folder / "sentids_en.csv").items():
        assert context in {1, 2, 3}
        assert sentence is None or isinstance(sentence, str)
    return ()


TREES = "(3 (2 Effective) (2 (2 but) (1 (2 too-tepid) (2 biopic))))\n\n(4 (2 café) (3 -LRB-))\n".encode()


@functools.cache
def _trees_builder() -> SentimentTrees:
    return SentimentTrees(config_name="sst", cache_dir=tempfile.mkdtemp(prefix="fuzz-"))


def _trees_files() -> dict[str, bytes]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trees/dev.txt", TREES)
    return {"dev.txt": TREES, "trees.zip": whole.getvalue()}


def _trees(folder: Path) -> Iterable[str]:
    place = f"{folder / 'trees.zip'}, trees/dev.txt"
    yield from said_of(lambda: read_member(folder / "trees.zip", "trees/dev.txt", place), ValueError)
    for row in _trees_builder().rows({"dev": folder / "dev.txt"}, "dev"):
        assert row["left"].count(-1) == len(row["words"]) == (len(row["node_labels"]) + 1) // 2
        children = zip(row["left"], row["right"], strict=True)
        assert all(left < place and right < place for place, (left, right) in enumerate(children))


def _pairs(folder: Path) -> Iterable[str]:
    one, other = folder / "one.txt", folder / "other.txt"
    for read in (reference_pairs, system_pairs):
        yield from said_of(lambda read=read: list(read(one, other)), ValueError)
    for row in sentence_rows((one, other), "train"):
        assert row["text"].strip()


VECTORS = b"3 2\nblack 0.5 -1\nbox 1e-3 2\n. . 1 0\n"
BINARY = b"2 2\nblack " + np.array([0.5, -1], np.float32).tobytes() + b"\nbox " + bytes(8) + b"\n"


def _vectors(folder: Path) -> Iterable[str]:
    for name in ("vectors.txt", "vectors.bin"):
        try:
            vectors = load_vectors(folder / name)
        except ValueError as error:
            yield str(error)
        else:
            assert len(vectors.index_to_key) == len(vectors.vectors)
            assert vectors.vectors.shape[1] >= 1


TASK = "EpsilonCompositionalityMini"


@functools.cache
def _measured() -> Mapping[str, bytes]:
    """What a run of one small task writes."""
    with tempfile.TemporaryDirectory() as name:
        write_results(Path(name), {"planted/one": 1}, (TASK,))
        files = sorted(path for path in Path(name).rglob("*") if path.suffix in {".json", ".parquet"})
        return {str(path.relative_to(name)): path.read_bytes() for path in files}


def _results(folder: Path) -> Iterable[str]:
    try:
        found = load_results(folder)
    except FileNotFoundError as error:
        return [str(error)]
    said = [*found.problems]
    for entry in found.entries:
        assert all(np.isfinite(value) for value in entry.scores.values())
        low, high = entry.measure.declarations()[entry.measure.main][0].range
        assert low - 1e-5 <= entry.main_score <= high + 1e-5
        try:
            assert entry.items().digest() == entry.digest or entry.digest is None
        except ItemsError as error:
            said.append(str(error))
    return said


@functools.cache
def _sound_score() -> float:
    (content,) = [json.loads(data) for name, data in _measured().items() if name.endswith(f"{TASK}.json")]
    return float(content["scores"]["naturalistic"][0]["main_score"])


def _submissions(folder: Path) -> Iterable[str]:
    """What is not refused has the score that its items give."""
    found = verify(folder)
    if not found.is_refused:
        assert all(abs(cell.entry.main_score - _sound_score()) <= 1e-5 for cell in found.cells)
    return [f"{finding.file}: {finding.message}" for finding in found.findings]


def _lm_eval_files() -> dict[str, bytes]:
    measure, task = EPSILON_SURPRISAL, "surprisal_mini"
    rows = [[f"{n:02}", f"compound {n // 2}", ("NC", "C")[n // 2 % 2], n % 5 / 4, 4, 2, 0, 0, 0] for n in range(48)]
    scores = measure.score(items_of(measure, rows)).flat()
    content = {
        "results": {task: {f"{key},none": value for key, value in scores.items()}
                    | {"main_score,none": scores[measure.main]}},
        "configs": {task: {"metric_list": [{"aggregation": repr(Aggregation(measure, measure.main))}],
                           "test_split": "naturalistic", "output_type": "multiple_choice"}},
        "versions": {task: 1}, "n-shot": {task: 0},
        "n-samples": {task: {"original": len(rows), "effective": len(rows)}},
        "config": {"model_args": {"pretrained": "a/b"}, "limit": None, "model_dtype": "torch.float32"},
        "model_name": "a/b", "model_name_sanitized": "a__b", "model_source": "hf", "lm_eval_version": "0.4.9",
    }  # fmt: skip
    samples = "".join(json.dumps({"doc": {"dataset": "ncimp@1"}, "main_score": row}) + "\n" for row in rows)
    time = "2026-01-01T00-00-00.000001"
    return {
        f"a__b/results_{time}.json": json.dumps(content).encode(),
        f"a__b/samples_{task}_{time}.jsonl": samples.encode(),
    }


READERS: Mapping[str, Reader] = {
    "NCIMP": Reader(_ncimp_files, _ncimp),
    "NCTTI": Reader(lambda: {"data_en.tsv": SCORES, "sentids_en.csv": SENTENCES}, _nctti),
    "trees": Reader(_trees_files, _trees),
    "pairs": Reader(
        lambda: {
            "one.txt": b"the food was great .\tit was bad .\t0\nnever again !\talways !\t0\n",
            "other.txt": b"the food was bad .\tit was good .\t1\nagain !\tno more !\t1\n",
        },
        _pairs,
    ),
    "vectors": Reader(lambda: {"vectors.txt": VECTORS, "vectors.bin": BINARY}, _vectors),
    "items": Reader(_measured, _results, (), ".parquet"),
    "results": Reader(_measured, _results, (), ".json"),
    "submissions": Reader(_measured, _submissions, ()),
    "lm-eval output": Reader(_lm_eval_files, _results, ()),
}
