"""Damaged files of data: right are the rows of the sound file, or, of an edit that nothing tells, a marked revision.

`tests/fuzz` has random damage to small files of each reader.
"""

import functools
import gzip
import io
import itertools
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.data.builder import builder_class
from harness_ext.data.card import dataset_folder
from harness_ext.encoders.models.static import StaticVectors
from tests.hostile.planted_results import TASK, main_score

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
PAGE = b"<!DOCTYPE html><html><body><h1>404: Not Found</h1></body></html>\n"


def in_lines(change):
    return lambda whole: b"".join(change(whole.splitlines(keepends=True)))


def in_middle_line(change):
    """Damage to one line: bytes -> bytes."""

    def changed(lines):
        middle = len(lines) // 2
        return [*lines[:middle], change(lines[middle]), *lines[middle + 1 :]]

    return in_lines(changed)


def zipped(name, content):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(name, content)
    return archive.getvalue()


ANY = {
    "empty": lambda whole: b"",
    "an error page": lambda whole: PAGE,
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "a folder in its place": lambda whole: None,
}
ENCODED = {
    "compressed": gzip.compress,
    "UTF-16": lambda whole: whole.decode("utf-8").encode("utf-16"),
    "a byte of Latin-1": in_middle_line(lambda line: b"\xe9" + line),
    "a byte order mark": lambda whole: b"\xef\xbb\xbf" + whole,
    "line ends of Windows": lambda whole: whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
}
TEXT = {
    **ANY,
    **ENCODED,
    "last line missing": in_lines(lambda lines: lines[:-1]),
    "a line in the middle missing": in_middle_line(lambda line: b""),
    "a line twice": in_middle_line(lambda line: line + line),
}
TABLE = {
    **TEXT,
    "an open quote": in_middle_line(lambda line: b'"' + line),
    "other separators": lambda whole: whole.replace(b",", b";").replace(b"\t", b";"),
    "no header": in_lines(lambda lines: lines[1:]),
    "a cell too many": in_middle_line(lambda line: line.rstrip(b"\r\n") + b",x\tx\n"),
}
ARCHIVE = {
    **ANY,
    "an archive of something else": lambda whole: zipped("readme.txt", b"nothing"),
    "its last bytes missing": lambda whole: whole[:-100],
    "bytes changed in the middle": lambda whole: whole[: len(whole) // 2] + bytes(64) + whole[len(whole) // 2 + 64 :],
}

PUBLISHED = {
    "neutral.csv": ("ncimp", "en", "neutral"),
    "data_en.tsv": ("ncimp", "en", "neutral"),
    "sentids_pt.csv": ("nctti", "pt", "naturalistic"),
    "reference.test.1": ("polarity_pairs", "reference", "pairs"),
    "sentiment.test.0.orgin": ("polarity_pairs", "system", "pairs"),
    "sentiment.test.0": ("polarity_pairs", "reference", "test"),
    "human_compositionality scores.xlsx": ("ncimp", "en", "neutral"),
    "trainDevTestTrees_PTB.zip": ("sentiment_trees", "sst", "dev"),
}
"""File -> dataset, config and split."""

ALIKE = ((TABLE, (".csv", ".tsv")), (TEXT, (".1", ".orgin", ".0")), (ARCHIVE, (".xlsx", ".zip")))
"""Kinds of damage, and how the files end that are damaged so."""

EDITS = {
    "a word changed": lambda whole: whole.replace(b" the ", b" a ", 1),
    "two lines exchanged": in_lines(lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]]),
}
"""What a file of sentences may be without being damaged: its revision is what must tell."""


def dealt_out():
    """(file, kind) of every kind of damage to one of the files that are alike, which are taken in turn."""
    of_each = ((itertools.cycle(file for file in PUBLISHED if file.endswith(ends)), kinds) for kinds, ends in ALIKE)
    return [pair for files, kinds in of_each for pair in zip(files, kinds, strict=False)]


def mirrored(file, damage, folder):
    """A mirror with the sources of the split that a file is of, which is damaged."""
    mirrors = [Path(each) for each in os.environ["HARNESS_EXT_MIRROR"].split(os.pathsep)]
    dataset, config, split = PUBLISHED[file]
    for source in builder_class(dataset).sources(config, split).values():
        sound = next(mirror / source.relative_path for mirror in mirrors if (mirror / source.relative_path).is_file())
        target = folder / "mirror" / source.relative_path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():  # of two sources in one archive
            continue
        if source.name != file:
            target.symlink_to(sound)
        else:
            write(target, damage(sound.read_bytes()))
    return str(folder / "mirror")


def write(path, content):
    """What is None is a folder."""
    path.mkdir() if content is None else path.write_bytes(content)
    return str(path)


@functools.cache
def sound_rows(dataset, config, split):
    return list(load_dataset(dataset, config, split=split))


@pytest.fixture
def damaged_mirror(unverified_mirror, environment, tmp_path):
    """Put a mirror with a damaged file in the place of the mirror; gives its dataset, config, split and sound rows."""

    def damaged_mirror(file, damage, **variables):
        rows = sound_rows(*PUBLISHED[file])
        mirror = mirrored(file, damage, tmp_path)
        environment(HARNESS_EXT_MIRROR=mirror, HARNESS_EXT_CACHE=str(tmp_path / "cache"), **variables)
        return *PUBLISHED[file], rows

    return damaged_mirror


def rows_of(*names, **options):
    return list(load_dataset(*names, cache_dir="prepared", **options))


@pytest.mark.real_data
@pytest.mark.parametrize(("file", "kind"), dealt_out())
def test_published(file, kind, damaged_mirror, judge):
    dataset, config, split, rows = damaged_mirror(file, (TABLE | ARCHIVE)[kind])
    judge(lambda: rows_of(dataset, config, split=split), lambda found: found == rows, file)


@pytest.mark.real_data
@pytest.mark.parametrize("file", PUBLISHED)
def test_published_where_only_the_pinned_file_is_allowed(file, damaged_mirror, judge):
    dataset, config, split, rows = damaged_mirror(file, ANY["cut in half"], HARNESS_EXT_ALLOW_UNVERIFIED=None)
    judge(lambda: rows_of(dataset, config, split=split), lambda found: found == rows, file)


@pytest.mark.real_data
@pytest.mark.parametrize("kind", EDITS)
def test_edited(kind, damaged_mirror, judge):
    dataset, config, split, _ = damaged_mirror("sentiment.test.0", EDITS[kind])

    def suffix():
        rows_of(dataset, config, split=split)
        return builder_class(dataset).revision_suffix(config)

    judge(suffix, lambda found: found == "+unverified", "sentiment.test.0")


VOCABULARY = b"word,type,synonym\nred,S-I,scarlet\nfake,NS-Pr,false\nbox,N,case\ncar,N,automobile\n"
TREE = b"(3 (2 a) (3 (4 lovely) (2 day)))\n"


def word_vectors():
    """A vector for every word of the mini compounds, in word2vec's text format."""
    text = (dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"[a-z]+", text)))
    values = np.random.default_rng(0).normal(size=(len(words), 8)).round(3)
    lines = (f"{word} {' '.join(map(str, row))}" for word, row in zip(words, values, strict=True))
    return "\n".join([f"{len(words)} 8", *lines, ""]).encode()


OWN = {
    "words.csv": (VOCABULARY, lambda file: rows_of("modifier_phrases", split="test", vocabulary=file)),
    "test.txt": (TREE, lambda file: rows_of("sentiment_trees", "sst", split="test", data_dir=str(Path(file).parent))),
    "vectors.txt": (word_vectors(), lambda file: main_score(TASK, StaticVectors(file))),
}
"""A user's own file -> its sound content, and what is read of it. Mistakes inside are tried where its reader is."""


@pytest.mark.parametrize("kind", ANY | ENCODED)
@pytest.mark.parametrize("name", OWN)
def test_own(name, kind, tmp_path, judge):
    content, read = OWN[name]
    for folder in ("sound", "mine"):
        (tmp_path / folder).mkdir()
    sound = read(write(tmp_path / "sound" / name, content))
    mine = write(tmp_path / "mine" / name, (ANY | ENCODED)[kind](content))
    judge(lambda: read(mine), lambda found: found == sound, name)
