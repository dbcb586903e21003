"""adjective_inference: encrypted archives made here, what is said of bad ones, and that no word reaches the disk."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import datasets
import pytest

from harness_ext.data.sources import Source, SourceError
from harness_ext.datasets_scripts.adjective_inference.adjective_inference import AdjectiveInference, bigram_words

pyzipper = pytest.importorskip("pyzipper")

BIGRAMS = [("velvety", "zither"), ("velvety", "gong"), ("sham", "gong")]
README = "# x\nThe password for each ZIP file is `open the door`, except without the spaces.\n"
LISTED = "velvety\tzither\r\nvelvety\tgong\r\nsham\tgong\r\nvelvety\tgong\r\n"
CLASSES = "Adjective,AdjectiveClass\nvelvety,Subsective\nsham,Privative\n"
FREQUENCIES = "Adjective,Noun,Bigram,Count\nvelvety,zither,velvety zither,0\nvelvety,gong,velvety gong,12\n"
RATED = "Bigram,Adjective,Noun,NumRating\nvelvety zither,velvety,zither,5\nx,velvety,zither,4\nx,sham,gong,1\n"


def archive(path: Path, members: dict[str, str | bytes], password: str = "openthedoor") -> Path:
    with pyzipper.AESZipFile(path, "w", encryption=pyzipper.WZ_AES) as opened:
        opened.setpassword(password.encode())
        for name, content in members.items():
            opened.writestr(name, content)
    return path


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The authors' files in small, at the places where a mirror has them."""
    folder = tmp_path / "mirror" / AdjectiveInference.SOURCES["people"]["readme"].relative_path.parent
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(README)
    bigrams = {"experiment_bigrams.txt": LISTED, "adjective_classes.csv": CLASSES}
    bigrams["3979_bigrams_with_frequencies.csv"] = FREQUENCIES
    archive(folder / "bigrams.zip", {f"bigrams/{name}": content for name, content in bigrams.items()})
    archive(folder / "results.zip", {"results/human/exp2_isa/isa_data_combined.csv": RATED})
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    monkeypatch.setattr(Source, "check_rows", lambda *_: None)  # these are not the published files
    return folder


def test_rows_have_ids_and_the_words_are_joined_in_memory(files):
    rows = datasets.load_dataset("adjective_inference", "bigrams", split="test").to_list()
    assert [(row["adjective"], row["noun"], row["zero_frequency"]) for row in rows] == [
        ("adjective-00", "noun-000", True), ("adjective-00", "noun-001", False), ("adjective-01", "noun-001", None),
    ]  # fmt: skip
    assert [row["adjective_class"] for row in rows] == ["subsective", "subsective", "privative"]
    assert {row["ratings"] for row in rows} == {None}
    rated = datasets.load_dataset("adjective_inference", "people", split="test").to_list()
    assert {row["id"]: row["ratings"] for row in rated} == {
        "bigram-000": [0, 0, 0, 1, 1],
        "bigram-002": [1, 0, 0, 0, 0],
    }
    assert list(bigram_words("people").values()) == BIGRAMS
    assert set(bigram_words("people")) >= {row["id"] for row in rated}


def test_no_word_reaches_the_disk_or_a_message(files, tmp_path, caplog):
    cache = tmp_path / "cache"
    datasets.load_dataset("adjective_inference", "people", cache_dir=str(cache))
    archive(
        files / "results.zip",
        {"results/human/exp2_isa/isa_data_combined.csv": RATED.replace("sham,gong", "sham,zither")},
    )
    with pytest.raises(ValueError, match=r"line 4: a rating of a bigram that is not in bigrams") as raised:
        datasets.load_dataset("adjective_inference", "people", cache_dir=str(cache))
    said = f"{raised.value} {caplog.text}"
    written = b"".join(path.read_bytes() for path in cache.rglob("*") if path.is_file())
    assert written
    for word in ("velvety", "zither", "sham", "gong", "openthedoor"):
        assert word.encode() not in written
        assert word not in said


def test_the_published_ratings_are_not_taken_on_trust(files, monkeypatch):
    monkeypatch.delenv("HARNESS_EXT_ALLOW_UNVERIFIED")
    with pytest.raises(SourceError, match=r"is not the file"):
        datasets.load_dataset("adjective_inference", "people", split="test")


def test_a_wrong_password_is_said(files):
    archive(files / "bigrams.zip", {"bigrams/experiment_bigrams.txt": LISTED}, "another")
    with pytest.raises(ValueError, match=r"bigrams.zip, bigrams/experiment_bigrams.txt: the password does not open it"):
        bigram_words("bigrams")


def test_a_readme_without_a_password(files):
    (files / "README.md").write_text("nothing")
    with pytest.raises(ValueError, match=r"README.md: no password"):
        bigram_words("bigrams")


def test_a_damaged_archive_is_named(files):
    (files / "bigrams.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match=r"bigrams.zip, bigrams/experiment_bigrams.txt: "):
        bigram_words("bigrams")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"other.txt": "a"}, r"no such file in the archive"),
        ({"bigrams/experiment_bigrams.txt": "velvety\tzither\nsecret\n"}, r"line 2: adjective TAB noun expected$"),
        ({"bigrams/experiment_bigrams.txt": "velvety\t\n"}, r"line 1, column 'noun': a text expected$"),
        ({"bigrams/experiment_bigrams.txt": b"caf\xe9\tb"}, r"is not a UTF-8 text file.*position 3"),
    ],
)
def test_a_bad_list_is_named_and_not_quoted(files, content, message):
    archive(files / "bigrams.zip", content)
    with pytest.raises(ValueError, match=rf"bigrams.zip, bigrams/experiment_bigrams.txt.*{message}"):
        bigram_words("bigrams")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Adjective,Noun\nsham,gong\n", r"no column 'NumRating'$"),
        ("Adjective,Noun,NumRating\nsham,gong,6\n", r"line 2, column 'NumRating': one of 1, 2, 3, 4, 5 expected$"),
        ("Adjective,Noun,NumRating\nsham,gong,\n", r"line 2, column 'NumRating': one of 1, 2, 3, 4, 5 expected$"),
    ],
)
def test_a_bad_rating_is_named_and_not_quoted(files, content, message):
    archive(files / "results.zip", {"results/human/exp2_isa/isa_data_combined.csv": content})
    with pytest.raises(ValueError, match=rf"results.zip, .*{message}"):
        datasets.load_dataset("adjective_inference", "people")


def test_the_mini_bigrams_are_crossed():
    rows = datasets.load_dataset("adjective_inference", "mini", split="test").to_list()
    assert len(rows) == len({(row["adjective"], row["noun"]) for row in rows}) == 96
    assert Counter(row["adjective"] for row in rows) == {f"adjective-{number:02}": 8 for number in range(12)}
    assert {sum(row["ratings"]) for row in rows} == {1}
    words = bigram_words("mini")
    assert [words[row["id"]] for row in rows[:2]] == [("fake", "sword"), ("fake", "piano")]


@pytest.mark.real_data
def test_the_authors_bigrams(mirror):
    rows = datasets.load_dataset("adjective_inference", "bigrams", split="test").to_list()
    assert (len(rows), len({row["adjective"] for row in rows}), len({row["noun"] for row in rows})) == (811, 17, 118)
    assert Counter(row["zero_frequency"] for row in rows) == {False: 625, True: 180, None: 6}
    assert {row["id"] for row in rows} == set(bigram_words("bigrams"))
