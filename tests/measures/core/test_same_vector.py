"""Texts that a model cuts where they differ: counted, said with an example, and in the notes."""

from __future__ import annotations

import logging

from harness_ext.measures.core.same_vector import same_vectors, same_vectors_message
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
from harness_ext.results.load import load_results
from harness_ext.show.interpretation import notes
from tests.planted import PlantedModel, bag_of_words, entries_of, vectors_of

bag = bag_of_words(weight=lambda place: 1.1**place)


def cut(text):
    """A bag of the first four words."""
    return bag(" ".join(text.split()[:4]))


def test_counted_are_distinct_pairs_of_different_texts():
    long = "the wind turned from west to east", "the wind turned from east to west"
    texts = [long, long[::-1], ("one text", "one text"), ("one text", "another text")]
    rows = [
        {
            "id": str(number),
            "source": str(number),
            "kind": "roles",
            "first": first,
            "second": second,
        }
        for number, (first, second) in enumerate(texts)
    ]
    plan = MERGE_OPPOSITES.planned(rows, "")
    assert same_vectors(plan, MERGE_OPPOSITES.fill(plan, vectors_of(bag))) == set()
    assert same_vectors(plan, MERGE_OPPOSITES.fill(plan, vectors_of(cut))) == {long[::-1]}
    assert same_vectors_message({long[::-1]}).startswith(
        f"1 pair of different texts has the same vector, such as {long[1]!r} and"
    )


def test_an_example_is_shown_where_it_differs():
    one, other = ("word " * 300 + end + " word" * 300 for end in ("east", "west"))
    said = same_vectors_message({(one, other), ("x", "y z")})
    assert said.startswith("2 pairs of different texts have")
    assert "…'word word word word word word east word word" in said


def test_a_model_that_sees_no_order_is_told_in_the_log_the_result_and_the_notes(
    tmp_path, caplog, without_baselines
):
    with caplog.at_level(logging.WARNING):
        for folder, encode in (("seeing", bag), ("blind", bag_of_words())):
            entries_of(PlantedModel(encode), "CaptionSwapMini", tmp_path / folder)
    (seeing,), (blind,) = (
        load_results(tmp_path / folder).entries for folder in ("seeing", "blind")
    )
    assert seeing.scores["n_same_vector"] == 0
    n = blind.scores["n_same_vector"]
    assert n > 20
    assert f"Different texts with one vector: CaptionSwapMini ({n:.0f} pairs)." in notes([blind])
    assert not any("One vector" in note for note in notes([seeing]))
    (said,) = [
        record.getMessage() for record in caplog.records if "same vector" in record.getMessage()
    ]
    assert said.startswith(
        f"CaptionSwapMini, planted/model: {n:.0f} pairs of different texts have the same vector"
    )
