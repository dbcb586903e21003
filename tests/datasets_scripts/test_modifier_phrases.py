"""modifier_phrases: the published counts, the two spellings, and other vocabularies."""

from collections import Counter

import pytest
from datasets import load_dataset

from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import phrase_rows, read_vocabulary

VOCABULARY = read_vocabulary(dataset_folder("modifier_phrases") / "vocabulary.csv")


@pytest.fixture
def write(tmp_path):
    def write_vocabulary(*lines):
        path = tmp_path / "words.csv"
        path.write_text("\n".join(["word,type,synonym", *lines]) + "\n", encoding="utf-8")
        return path

    return write_vocabulary


def test_the_vocabulary_has_the_published_counts():
    counts = Counter(word.type for word in VOCABULARY)
    assert counts == {"S-I": 11, "S-NI": 6, "NS-Pl": 27, "NS-Pr": 14, "A": 3, "N": 12}
    assert all(word.word == word.word.lower() and word.synonym == word.synonym.lower() for word in VOCABULARY)
    assert ("canadian", "S-I", "north american") in VOCABULARY


def test_the_phrases_have_the_published_counts():
    rows = list(phrase_rows(VOCABULARY))
    assert len(rows) == len({row["phrase"] for row in rows}) == 44_652
    assert Counter(row["pattern"] for row in rows) == {"AN": 732, "AAN": 43_920}
    assert all(len(row["words"]) == len(row["types"]) == len(row["synonyms"]) == len(row["pattern"]) for row in rows)
    assert not any(row["words"][0] == row["words"][1] for row in rows)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
def test_the_two_configs_differ_in_one_noun(cache):
    released, default, corrected = (
        load_dataset("modifier_phrases", *name, split="test", cache_dir=cache)
        for name in (["released"], [], ["corrected"])
    )
    assert released[:] == default[:]
    assert len(released) == len(corrected) == 44_652
    assert released[3 * 12 + 7] == {
        "phrase": "depressed occurence",
        "pattern": "AN",
        "words": ["depressed", "occurence"],
        "types": ["S-I", "N"],
        "synonyms": ["melancholic", "happening"],
    }
    respelt = [phrase.replace("occurence", "occurrence") for phrase in released["phrase"]]
    assert respelt == list(corrected["phrase"])
    assert sum(old != new for old, new in zip(released["phrase"], corrected["phrase"], strict=True)) == 61 + 61 * 60
    assert released["synonyms"][:] == corrected["synonyms"][:]


def test_phrases_of_other_words(write):
    rows = list(
        phrase_rows(read_vocabulary(write("Red,S-I,crimson", "  big ,A,very  large", "", "occurrence,N,event")))
    )
    assert [row["phrase"] for row in rows] == [
        "red occurrence", "big occurrence", "red big occurrence", "big red occurrence"
    ]  # fmt: skip
    assert rows[3] == {
        "phrase": "big red occurrence",
        "pattern": "AAN",
        "words": ["big", "red", "occurrence"],
        "types": ["A", "S-I", "N"],
        "synonyms": ["very large", "crimson", "event"],
    }


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["red,S-X,crimson", "dog,N,canine"], "line 2, column 'type': one of S-I, .*, N expected, found 'S-X'"),
        (["red,S-I,crimson", "", "Red,N,scarlet"], "line 4, column 'word': another value than in .*line 2.*'Red'"),
        (["red,S-I,crimson", "dog,N, "], "line 3, column 'synonym': a text expected, found ''"),
        (["red,S-I,crimson"], "at least one adjective and one noun"),
    ],
)
def test_mistakes_in_a_vocabulary_are_named_with_their_line(write, lines, message):
    with pytest.raises(ValueError, match=rf"words\.csv.*{message}"):
        read_vocabulary(write(*lines))
