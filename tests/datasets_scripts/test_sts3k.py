"""sts3k: the reader by hand, and the groups."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness_ext.datasets_scripts.sts3k.sts3k import linked_groups, read_pairs


def test_pairs(tmp_path):
    file = tmp_path / "list"
    file.write_text("a b.;c d.;0.25\n")
    assert read_pairs(file) == [(("a b.", "c d."), 0.25)]


texts = st.sampled_from("0123456789")


def linked_texts(pair, pairs):
    """All texts that a chain of pairs links to one, by flooding."""
    flooded = set(pair)
    for _ in pairs:
        for other in pairs:
            if flooded & set(other):
                flooded.update(other)
    return flooded


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=12))
def test_groups_are_those_of_flooding(pairs):
    groups = linked_groups(pairs)
    in_order = list(dict.fromkeys(groups))
    assert in_order == list(range(len(in_order)))
    for pair, group in zip(pairs, groups, strict=True):
        flooded = linked_texts(pair, pairs)
        for other, group_of_other in zip(pairs, groups, strict=True):
            is_linked = bool(flooded & set(other))
            assert (group_of_other == group) == is_linked
