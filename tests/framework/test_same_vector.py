"""Texts that a model cuts where they differ: counted, said with an example, and in the verdict."""

from __future__ import annotations

import logging

from harness_ext.framework.same_vector import same_vectors, told
from harness_ext.results.load import load_results
from harness_ext.show.verdict import verdict
from harness_ext.tasks.merge_opposites import MERGE_OPPOSITES
from tests.planted import PlantedModel, bag_of_words, entries_of, vectors_of

bag = bag_of_words(weight=lambda place: 1.1**place)


def cut(text):
    """A bag of the first four words."""
    return bag(" ".join(text.split()[:4]))


def test_counted_are_distinct_pairs_of_different_texts():
    long = "the wind turned from west to east", "the wind turned from east to west"
    texts = [long, long[::-1], ("one text", "one text"), ("one text", "another text")]
    rows = [
        {"id": str(number), "source": str(number), "kind": "roles", "first": first, "second": second}
        for number, (first, second) in enumerate(texts)
    ]
    plan = MERGE_OPPOSITES.planned(rows, "")
    assert same_vectors(plan, MERGE_OPPOSITES.fill(plan, vectors_of(bag))) == set()
    pairs = same_vectors(plan, MERGE_OPPOSITES.fill(plan, vectors_of(cut)))
    assert pairs == {long[::-1]}
    assert told(pairs) == (
        "1 pair of different texts has the same vector, such as 'the wind turned from east to west' and "
        "'the wind turned from west to east'. The model cuts longer texts, or does not see what differs."
    )


def test_an_example_is_shown_where_it_differs():
    one, other = ("word " * 300 + end + " word" * 300 for end in ("east", "west"))
    assert "…'word word word word word word east word word" in told({(one, other), ("x", "y z")})
    assert told({(one, other), ("x", "y z")}).startswith("2 pairs of different texts have")


def test_a_model_that_cuts_is_told_in_the_log_the_result_and_the_verdict(tmp_path, caplog, without_own_words):
    with caplog.at_level(logging.WARNING):
        for folder, encode in (("whole", bag), ("cut", cut)):
            entries_of(PlantedModel(encode), "MergeOppositesMini", tmp_path / folder)
    (whole,), (entry,) = (load_results(tmp_path / folder).entries for folder in ("whole", "cut"))
    assert whole.scores["n_same_vector"] == 0
    n = entry.scores["n_same_vector"]
    assert n > 20
    assert f"one vector for {n:.0f} pairs of different texts" in verdict(entry)
    assert "one vector" not in verdict(whole)
    (said,) = [record.getMessage() for record in caplog.records if "same vector" in record.getMessage()]
    assert said.startswith(f"MergeOppositesMini, planted/model: {n:.0f} pairs of different texts have the same vector")
