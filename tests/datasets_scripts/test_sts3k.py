"""sts3k: readers and groups by hand, what bad files say, and the authors' own files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.datasets_scripts.sts3k.sts3k import linked_groups, read_pairs, read_ratings
from tests.data.workbooks import workbook

PAIRS = [("a b.", "c d."), ("a b.", "e f.")]
HEADER = ("Main ID", "Adversarial", "Sentence pair", 1, 2, "Mean", "Std")


def test_pairs(tmp_path):
    (tmp_path / "list").write_text("a b.;c d.;0.25\n")
    assert read_pairs(tmp_path / "list") == [(("a b.", "c d."), 0.25)]


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ((1, "ADV", "a b.\nc d.", 7, "", 7, 0), ([1], [7])),
        ((1, "ADV", "a b.\nc x.", 7, 7, 7, 0), ([], [])),  # of other words
    ],
)
def test_ratings_of_people_without_their_mean(tmp_path, first, found):
    path = workbook(tmp_path / "w.xlsx", HEADER, first, (2, "ADV", "a b. e f.", 1, 3, 2, 1))
    assert read_ratings(path, PAIRS) == [found, ([1, 2], [1, 3])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ((3, "ADV", "x\ny", 7, 1, 4, 0), r"w.xlsx, row 2, column 'Main ID': a number from 1 to 2 expected, found '3'"),
        ((1, "ADV", "a b.\nc d.", 7, 9, 4, 0), r"w.xlsx, row 2, column '2': a number from 1 to 7 expected, found '9'"),
    ],
)
def test_a_bad_rating_is_named(tmp_path, line, message):
    with pytest.raises(ValueError, match=message):
        read_ratings(workbook(tmp_path / "w.xlsx", HEADER, line), PAIRS)


def test_pairs_are_linked_by_sentences_in_common():
    assert linked_groups([("a", "b"), ("c", "d"), ("e", "b"), ("f", "f"), ("d", "g")]) == [0, 1, 0, 2, 1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_groups_are_those_of_flooding(numbers):
    pairs = [(str(first), str(second)) for first, second in numbers]
    groups = linked_groups(pairs)
    assert list(dict.fromkeys(groups)) == list(range(len(set(groups))))
    flooded = [set(pair) for pair in pairs]
    for _ in pairs:
        flooded = [set().union(*(other for other in flooded if other & own)) for own in flooded]
    for place, own in enumerate(flooded):
        assert [group == groups[place] for group in groups] == [bool(other & own) for other in flooded]
