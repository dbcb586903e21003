"""Damaged files of a user's own: right is what the sound file gives.

`tests/fuzz` has random damage to small files of each reader, `tests/data/test_sources.py` other files than the pinned.
"""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.data.card import dataset_folder
from harness_ext.encoders.models.static import StaticVectors
from tests.hostile.planted_results import TASK, main_score

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
PAGE = b"<!DOCTYPE html><html><body><h1>404: Not Found</h1></body></html>\n"


def in_middle_line(change):
    """Damage to one line: bytes -> bytes."""

    def changed(whole):
        lines = whole.splitlines(keepends=True)
        middle = len(lines) // 2
        return b"".join([*lines[:middle], change(lines[middle]), *lines[middle + 1 :]])

    return changed


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


def write(path, content):
    """What is None is a folder."""
    path.mkdir() if content is None else path.write_bytes(content)
    return str(path)


def rows_of(*names, **options):
    return list(load_dataset(*names, cache_dir="prepared", **options))


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
