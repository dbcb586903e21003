"""Damaged files of data: right are the rows of the sound file, or, of an edit that nothing tells, a marked revision."""

import functools
import gzip
import io
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
AREA = "damaged data"
PAGE = b"<!DOCTYPE html><html><body><h1>404: Not Found</h1></body></html>\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123456\n"


def _lines(change):
    return lambda whole: b"".join(change(whole.splitlines(keepends=True)))


def _zip(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


ANY = {
    "empty": lambda whole: b"",
    "zeros": lambda whole: bytes(len(whole)),
    "an error page": lambda whole: PAGE,
    "a pointer of git-lfs": lambda whole: POINTER,
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "a folder in its place": lambda whole: None,
}
TEXT = {
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
TABLE = {
    **TEXT,
    "an open quote": _lines(lambda lines: [*lines[:20], b'"' + lines[20], *lines[21:]]),
    "other separators": lambda whole: whole.replace(b",", b";").replace(b"\t", b";"),
    "no header": _lines(lambda lines: lines[1:]),
    "a cell too many": _lines(lambda lines: [*lines[:20], lines[20].rstrip(b"\r\n") + b",x\tx\n", *lines[21:]]),
    "a byte order mark": lambda whole: b"\xef\xbb\xbf" + whole,
    "line ends of Windows": lambda whole: whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
}
ARCHIVE = {
    **ANY,
    "text in its place": lambda whole: b"compound,score\nblack box,1.29\n",
    "an archive of something else": lambda whole: _zip({"readme.txt": b"nothing"}),
    "its last bytes missing": lambda whole: whole[:-100],
    "bytes changed in the middle": lambda whole: whole[: len(whole) // 2] + bytes(64) + whole[len(whole) // 2 + 64 :],
}

PUBLISHED = (
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

EDITS = {
    "a word changed": lambda whole: whole.replace(b" the ", b" a ", 1),
    "letters in upper case": _lines(lambda lines: [*lines[:20], lines[20].upper(), *lines[21:]]),
    "two lines exchanged": _lines(lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]]),
}
"""What a file of sentences may be without being damaged: its revision is what must tell."""

PLACES = {file: place for *place, file, _ in PUBLISHED}


def mirrored(file, damage, folder):
    """A mirror with the sources of the split that a file is of, which is damaged."""
    mirrors = [Path(each) for each in os.environ["HARNESS_EXT_MIRROR"].split(os.pathsep)]
    dataset, config, split = PLACES[file]
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
    return str(folder / "mirror")


@functools.cache
def sound_rows(dataset, config, split):
    return list(load_dataset(dataset, config, split=split))


@pytest.fixture
def damaged_mirror(unverified_mirror, environment, tmp_path):
    """Put a mirror with a damaged file in the place of the mirror; gives its dataset, config, split and sound rows."""

    def damaged_mirror(file, damage, **variables):
        rows = sound_rows(*PLACES[file])
        mirror = mirrored(file, damage, tmp_path)
        environment(HARNESS_EXT_MIRROR=mirror, HARNESS_EXT_CACHE=str(tmp_path / "cache"), **variables)
        return *PLACES[file], rows

    return damaged_mirror


def rows_of(*names, **options):
    return list(load_dataset(*names, cache_dir="prepared", **options))


@pytest.mark.real_data
@pytest.mark.parametrize(("file", "kind"), [(file, kind) for *_, file, damages in PUBLISHED for kind in damages])
def test_published(file, kind, damaged_mirror, judge):
    dataset, config, split, rows = damaged_mirror(file, (TABLE | ARCHIVE)[kind])
    judge(lambda: rows_of(dataset, config, split=split), lambda found: found == rows, file)


@pytest.mark.real_data
@pytest.mark.parametrize("file", PLACES)
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


def write(path, content):
    """What is None is not there."""
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


WORDS = "word,type,synonym\nred,S-I,scarlet\nfake,NS-Pr,false\nbox,N,case\ncar,N,automobile\n"
VOCABULARIES = {
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


@pytest.mark.parametrize("kind", VOCABULARIES)
def test_vocabulary(kind, tmp_path, judge):
    sound, mine = write(tmp_path / "sound.csv", WORDS), write(tmp_path / "words.csv", VOCABULARIES[kind])
    rows = rows_of("modifier_phrases", split="test", vocabulary=sound)
    read = functools.partial(rows_of, "modifier_phrases", split="test", vocabulary=mine)
    judge(read, lambda found: found == rows, "words.csv")


TREE = "(3 (2 a) (3 (4 lovely) (2 day)))\n"
TREES = {
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


@pytest.mark.parametrize("kind", TREES)
def test_trees(kind, tmp_path, judge):
    for name, content in (("sound", TREE), ("mine", TREES[kind])):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "test.txt", content)

    def words(name):
        rows = rows_of("sentiment_trees", "sst", split="test", data_dir=str(tmp_path / name))
        return [row["words"] for row in rows]

    sound = words("sound")
    judge(lambda: words("mine"), lambda found: found == sound, str(tmp_path / "mine"))


def word_vectors():
    """A vector for every word of the mini compounds, in word2vec's text format."""
    text = (dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"[a-z]+", text)))
    values = np.random.default_rng(0).normal(size=(len(words), 8)).round(3)
    lines = (f"{word} {' '.join(map(str, row))}" for word, row in zip(words, values, strict=True))
    return "\n".join([f"{len(words)} 8", *lines, ""])


def _in_line(change):
    def changed(text):
        lines = text.split("\n")
        return "\n".join([*lines[:20], change(lines[20]), *lines[21:]])

    return changed


VECTORS = {
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


@pytest.mark.parametrize("kind", VECTORS)
def test_word_vectors(kind, tmp_path, judge):
    name, change = VECTORS[kind]
    sound = main_score(TASK, StaticVectors(write(tmp_path / "sound.txt", word_vectors())))
    mine = write(tmp_path / name, change(word_vectors()))
    judge(lambda: main_score(TASK, StaticVectors(mine)), lambda score: score == sound, name)
