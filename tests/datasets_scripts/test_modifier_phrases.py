"""modifier_phrases: the published counts, the two spellings, and mistakes in a vocabulary."""

from collections import Counter
from itertools import islice

import pytest

from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import (
    ModifierPhrases,
    read_vocabulary,
)

FILE = dataset_folder("modifier_phrases") / "vocabulary.csv"


def phrases(config, n=None):
    builder = ModifierPhrases(config_name=config)
    rows = builder.rows({"vocabulary": FILE}, "test")
    return list(islice(rows, n))


def test_the_vocabulary_has_the_published_counts():
    vocabulary = read_vocabulary(FILE)
    counts = Counter(word.type for word in vocabulary)
    assert counts == {
        "S-I": 11,
        "S-NI": 6,
        "NS-Pl": 27,
        "NS-Pr": 14,
        "A": 3,
        "N": 12,
    }
    assert ("canadian", "S-I", "north american") in vocabulary


def test_the_phrases_have_the_published_counts_and_the_released_ones_differ_in_one_noun():
    released = phrases("released")
    corrected = phrases("corrected", 5000)
    assert len(released) == 44_652
    assert len({row["phrase"] for row in released}) == 44_652
    patterns = Counter(row["pattern"] for row in released)
    assert patterns == {"AN": 732, "AAN": 43_920}
    for row in released:
        first, second, *_ = row["words"]
        assert first != second
    assert released[3 * 12 + 7] == {
        "phrase": "depressed occurence",
        "pattern": "AN",
        "words": ["depressed", "occurence"],
        "types": ["S-I", "N"],
        "synonyms": ["melancholic", "happening"],
    }
    respelt = [row["phrase"].replace("occurence", "occurrence") for row in released[:5000]]
    assert respelt == [row["phrase"] for row in corrected]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("S-X", "line 2, column 'type': one of S-I, .*, N expected, found 'S-X'"),
        ("S-I", "one adjective and one noun"),
    ],
)
def test_mistakes_in_a_vocabulary_are_named(tmp_path, kind, message):
    file = tmp_path / "words.csv"
    file.write_text(f"word,type,synonym\nred,{kind},crimson\n")
    with pytest.raises(ValueError, match=rf"words\.csv.*{message}"):
        read_vocabulary(file)
