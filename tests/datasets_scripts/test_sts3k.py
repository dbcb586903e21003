"""sts3k: the reader by hand, and the groups."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness_ext.datasets_scripts.sts3k.sts3k import linked_groups, read_pairs


def test_pairs(tmp_path):
    (tmp_path / "list").write_text("a b.;c d.;0.25\n")
    assert read_pairs(tmp_path / "list") == [(("a b.", "c d."), 0.25)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_groups_are_those_of_flooding(numbers):
    pairs = [(str(first), str(second)) for first, second in numbers]
    groups = linked_groups(pairs)
    assert list(dict.fromkeys(groups)) == list(range(len(set(groups))))
    flooded = [set(pair) for pair in pairs]
    for _ in pairs:
        flooded = [set().union(*(other for other in flooded if other & own)) for own in flooded]
    for place, own in enumerate(flooded):
        assert [group == groups[place] for group in groups] == [
            bool(other & own) for other in flooded
        ]
