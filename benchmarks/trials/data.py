"""Damaged files of data: right are the rows of the sound file, or, of an edit that nothing tells, a marked revision.

The published files are those of HARNESS_EXT_MIRROR; without it only files of one's own are tried.
"""

from __future__ import annotations

import functools
import gzip
import io
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasets import load_dataset

from benchmarks.trials.encoders import main_score
from benchmarks.trials.trial import Trial, Verdict, environment, judge
from harness_ext.data.builder import builder_class
from harness_ext.data.card import dataset_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Damage = Callable[[bytes], bytes | None]

AREA = "damaged data"
PAGE = b"<!DOCTYPE html><html><body><h1>404: Not Found</h1></body></html>\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123456\n"


def _lines(change: Callable[[list[bytes]], list[bytes]]) -> Damage:
    return lambda whole: b"".join(change(whole.splitlines(keepends=True)))


def _zip(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


ANY: dict[str, Damage] = {
    "empty": lambda whole: b"",
    "zeros": lambda whole: bytes(len(whole)),
    "an error page": lambda whole: PAGE,
    "a pointer of git-lfs": lambda whole: POINTER,
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "a folder in its place": lambda whole: None,
}
TEXT: dict[str, Damage] = {
    **ANY,
    "first line only": _lines(lambda lines: lines[:1]),
    "cut at a line end": _lines(lambda lines: lines[: len(lines) * 3 // 4]),
    "last line missing": _lines(lambda lines: lines[:-1]),
    "a line in the middle missing": _lines(lambda lines: lines[:20] + lines[21:]),
    "a line twice": _lines(lambda lines: [*lines[:20], lines[20], *lines[20:]]),
    "twice in one file": lambda whole: whole + whole,
    "compressed": gzip.compress,
    "UTF-16": lambda whole: whole.decode("utf-8").encode("utf-16"),
    "a byte of Latin-1": _lines(lambda lines: [*lines[:20], b"\xe9" + lines[20], *lines[21:]]),
}
TABLE: dict[str, Damage] = {
    **TEXT,
    "an open quote": _lines(lambda lines: [*lines[:20], b'"' + lines[20], *lines[21:]]),
    "other separators": lambda whole: whole.replace(b",", b";").replace(b"\t", b";"),
    "no header": _lines(lambda lines: lines[1:]),
    "a cell too many": _lines(lambda lines: [*lines[:20], lines[20].rstrip(b"\r\n") + b",x\tx\n", *lines[21:]]),
    "a byte order mark": lambda whole: b"\xef\xbb\xbf" + whole,
    "line ends of Windows": lambda whole: whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
}
ARCHIVE: dict[str, Damage] = {
    **ANY,
    "text in its place": lambda whole: b"compound,score\nblack box,1.29\n",
    "an archive of something else": lambda whole: _zip({"readme.txt": b"nothing"}),
    "its last bytes missing": lambda whole: whole[:-100],
    "bytes changed in the middle": lambda whole: whole[: len(whole) // 2] + bytes(64) + whole[len(whole) // 2 + 64 :],
}

PUBLISHED: tuple[tuple[str, str, str, str, dict[str, Damage]], ...] = (
    ("ncimp", "en", "neutral", "neutral.csv", TABLE),
    ("ncimp", "en", "neutral", "human_compositionality scores.xlsx", ARCHIVE),
    ("ncimp", "en", "neutral", "data_en.tsv", TABLE),
    ("nctti", "pt", "naturalistic", "sentids_pt.csv", TABLE),
    ("polarity_pairs", "reference", "pairs", "reference.test.1", TEXT),
    ("polarity_pairs", "system", "pairs", "sentiment.test.0.orgin", TEXT),
    ("polarity_pairs", "reference", "test", "sentiment.test.0", TEXT),
    ("sentiment_trees", "sst", "dev", "trainDevTestTrees_PTB.zip", ARCHIVE),
)
"""Dataset, config, split, file, and how it is damaged."""

EDITS: dict[str, Damage] = {
    "a word changed": lambda whole: whole.replace(b" the ", b" a ", 1),
    "letters in upper case": _lines(lambda lines: [*lines[:20], lines[20].upper(), *lines[21:]]),
    "two lines exchanged": _lines(lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]]),
}
"""What a file of sentences may be without being damaged: its revision is what must tell."""


def trials() -> Iterator[Trial]:
    """Published files, if they are here, and one's own."""
    if os.environ.get("HARNESS_EXT_MIRROR"):
        yield from _published_trials()
    for kind, text in VOCABULARIES.items():
        yield Trial(AREA, f"a vocabulary of one's own: {kind}", functools.partial(_vocabulary, text))
    for kind, text in TREES.items():
        yield Trial(AREA, f"trees of one's own: {kind}", functools.partial(_trees, text))
    for kind, (name, change) in VECTORS.items():
        yield Trial(AREA, f"word vectors of one's own: {kind}", functools.partial(_vectors, name, change))


def _published_trials() -> Iterator[Trial]:
    for dataset, config, split, file, damages in PUBLISHED:
        for kind, damage in damages.items():
            attempt = functools.partial(_published, dataset, config, split, file, damage, "1")
            yield Trial(AREA, f"{file}, unverified allowed: {kind}", attempt)
        attempt = functools.partial(_published, dataset, config, split, file, damages["cut in half"], None)
        yield Trial(AREA, f"{file}, only the pinned one allowed: cut in half", attempt)
    for kind, damage in EDITS.items():
        attempt = functools.partial(_edited, "polarity_pairs", "reference", "test", "sentiment.test.0", damage)
        yield Trial(AREA, f"sentiment.test.0, unverified allowed: {kind}", attempt)


def _mirrored(dataset: str, config: str, split: str, file: str, damage: Damage, folder: Path) -> Path:
    """A mirror with the sources of the split, of which one is damaged."""
    mirrors = [Path(each) for each in os.environ["HARNESS_EXT_MIRROR"].split(os.pathsep)]
    for source in builder_class(dataset).sources(config, split).values():
        sound = next(mirror / source.relative_path for mirror in mirrors if (mirror / source.relative_path).is_file())
        target = folder / "mirror" / source.relative_path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.name != file:
            target.symlink_to(sound)
        elif (content := damage(sound.read_bytes())) is None:
            target.mkdir()
        else:
            target.write_bytes(content)
    return folder / "mirror"


def _rows(folder: Path, *names: str, **options: Any) -> list[dict[str, Any]]:
    return list(load_dataset(*names, cache_dir=str(folder / "prepared"), **options))


@functools.cache
def _sound_rows(dataset: str, config: str, split: str) -> list[dict[str, Any]]:
    with environment(HARNESS_EXT_ALLOW_UNVERIFIED="1"):
        return list(load_dataset(dataset, config, split=split))


def _published(
    dataset: str, config: str, split: str, file: str, damage: Damage, allowed: str | None, folder: Path
) -> Verdict:
    sound = _sound_rows(dataset, config, split)
    mirror = _mirrored(dataset, config, split, file, damage, folder)
    cache = str(folder / "cache")
    with environment(HARNESS_EXT_MIRROR=str(mirror), HARNESS_EXT_CACHE=cache, HARNESS_EXT_ALLOW_UNVERIFIED=allowed):
        return judge(lambda: _rows(folder, dataset, config, split=split), lambda rows: rows == sound, file)


def _edited(dataset: str, config: str, split: str, file: str, damage: Damage, folder: Path) -> Verdict:
    mirror = _mirrored(dataset, config, split, file, damage, folder)
    with environment(HARNESS_EXT_MIRROR=str(mirror), HARNESS_EXT_ALLOW_UNVERIFIED="1"):
        return judge(
            lambda: (_rows(folder, dataset, config, split=split), builder_class(dataset).revision_suffix(config))[1],
            lambda suffix: suffix == "+unverified",
            file,
        )


WORDS = "word,type,synonym\nred,S-I,scarlet\nfake,NS-Pr,false\nbox,N,case\ncar,N,automobile\n"
VOCABULARIES: dict[str, str | bytes | None] = {
    "not there": None,
    "empty": "",
    "its header only": WORDS[:18],
    "no header": WORDS[18:],
    "other columns": WORDS.replace("synonym", "meaning"),
    "separated by semicolons": WORDS.replace(",", ";"),
    "a type that there is not": WORDS.replace("S-I", "S-X"),
    "an empty word": WORDS.replace("red", ""),
    "an empty synonym": WORDS.replace("scarlet", ""),
    "a word twice": WORDS + "red,S-I,ruby\n",
    "a word that is noun and adjective": WORDS + "red,N,colour\n",
    "no noun": "".join(WORDS.splitlines(keepends=True)[:3]),
    "a cell too many": WORDS.replace("case", "case,crate"),
    "an open quote": WORDS.replace("box", '"box'),
    "UTF-16": WORDS.encode("utf-16"),
    "compressed": gzip.compress(WORDS.encode()),
    "a byte order mark": "\ufeff" + WORDS,
    "line ends of Windows": WORDS.replace("\n", "\r\n"),
}


def _vocabulary(content: str | bytes | None, folder: Path) -> Verdict:
    (folder / "sound.csv").write_text(WORDS)
    path = folder / "words.csv"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    sound = _rows(folder, "modifier_phrases", split="test", vocabulary=str(folder / "sound.csv"))
    return judge(
        lambda: _rows(folder, "modifier_phrases", split="test", vocabulary=str(path)),
        lambda rows: rows == sound,
        "words.csv",
    )


TREE = "(3 (2 a) (3 (4 lovely) (2 day)))\n"
TREES: dict[str, str | bytes | None] = {
    "not there": None,
    "empty": "",
    "blank lines only": "\n\n  \n",
    "a bracket missing": TREE * 3 + TREE.replace(")))", "))"),
    "a bracket too many": TREE * 3 + TREE.replace(")))", "))))"),
    "a label of 5": TREE.replace("4", "5"),
    "a label that is a word": TREE.replace("4", "good"),
    "no label": TREE.replace("4 ", ""),
    "three children": TREE.replace("(2 day)", "(2 sunny) (2 day)"),
    "a node without a word": TREE.replace("lovely", ""),
    "two trees in a line": TREE.strip() * 2,
    "sentences": "a lovely day\n",
    "UTF-16": TREE.encode("utf-16"),
    "compressed": gzip.compress(TREE.encode()),
    "line ends of Windows": TREE.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + TREE,
}


def _trees(content: str | bytes | None, folder: Path) -> Verdict:
    for name, text in (("sound", TREE), ("mine", content)):
        (folder / name).mkdir()
        if text is not None:
            (folder / name / "test.txt").write_bytes(text if isinstance(text, bytes) else text.encode())

    def words(name: str) -> list[list[str]]:
        rows = _rows(folder, "sentiment_trees", "sst", split="test", data_dir=str(folder / name))
        return [row["words"] for row in rows]

    sound = words("sound")
    return judge(lambda: words("mine"), lambda found: found == sound, str(folder / "mine"))


def _word_vectors() -> str:
    """A vector for every word of the mini compounds, in word2vec's text format."""
    import re

    import numpy as np

    text = (dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"[a-z]+", text)))
    values = np.random.default_rng(0).normal(size=(len(words), 8)).round(3)
    lines = (f"{word} {' '.join(map(str, row))}" for word, row in zip(words, values, strict=True))
    return "\n".join([f"{len(words)} 8", *lines, ""])


def _in_line(change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        lines = text.split("\n")
        return "\n".join([*lines[:20], change(lines[20]), *lines[21:]])

    return changed


VECTORS: dict[str, tuple[str, Callable[[str], str | bytes | None]]] = {
    "not there": ("vec.txt", lambda text: None),
    "empty": ("vec.txt", lambda text: ""),
    "counts only": ("vec.txt", lambda text: text.split("\n")[0] + "\n"),
    "cut in a line": ("vec.txt", lambda text: text[: len(text) // 2 - 2]),
    "cut at a line end": ("vec.txt", lambda text: "\n".join(text.split("\n")[:200]) + "\n"),
    "a number missing": ("vec.txt", _in_line(lambda line: line.rsplit(" ", 1)[0])),
    "a word missing": ("vec.txt", _in_line(lambda line: line.split(" ", 1)[1])),
    "a letter among the numbers": ("vec.txt", _in_line(lambda line: line.rsplit(" ", 1)[0] + " O.5")),
    "decimal commas": ("vec.txt", lambda text: text.replace(".", ",")),
    "separated by tabs": ("vec.txt", lambda text: text.replace(" ", "\t")),
    "NaN for all": (
        "vec.txt",
        lambda text: "\n".join(f"{line.split(' ')[0]}{' nan' * 8}" for line in text.split("\n")[1:-1]),
    ),
    "UTF-16": ("vec.txt", lambda text: text.encode("utf-16")),
    "compressed under another name": ("vec.txt", lambda text: gzip.compress(text.encode())),
    "not compressed, though so named": ("vec.txt.gz", lambda text: text),
    "compressed, cut in half": ("vec.txt.gz", lambda text: gzip.compress(text.encode())[:2000]),
    "text, though binary by its name": ("vec.bin", lambda text: text),
    "binary, cut": ("vec.bin", lambda text: b"300 8\nword " + bytes(40)),
    "no file of gensim, though so named": ("vec.kv", lambda text: text),
    "empty, though gensim's by its name": ("vec.kv", lambda text: ""),
    "compressed": ("vec.txt.gz", lambda text: gzip.compress(text.encode())),
    "without counts": ("vec.txt", lambda text: text.split("\n", 1)[1]),
}


@functools.cache
def _score_of_vectors(path: Path) -> float:
    from harness_ext.encoders.models.static import StaticVectors

    return main_score("EpsilonCompositionalityMini", StaticVectors(str(path)))


def _vectors(name: str, change: Callable[[str], str | bytes | None], folder: Path) -> Verdict:
    text = _word_vectors()
    (folder / "sound.txt").write_text(text)
    sound = _score_of_vectors(folder / "sound.txt")
    content = change(text)
    if content is not None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return judge(lambda: _score_of_vectors(folder / name), lambda score: score == sound, name)
