"""Texts that a model cuts where they differ: counted, said with an example, and in the notes."""

from __future__ import annotations

import logging
from dataclasses import replace

from harness_ext.measures.core.baseline_keys import NOISE, noise_kind_key
from harness_ext.measures.core.same_vector import same_vectors, same_vectors_message
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
from harness_ext.results.load import load_results
from harness_ext.show.beside_references import ScoreRow
from harness_ext.show.interpretation import (
    SAME_VECTORS,
    baseline_and_gain,
    cells,
    cells_in_short,
    notes,
)
from harness_ext.show.result_tables import result_records
from tests.planted import PlantedModel, entries_of, with_noise
from tests.planted_vectors import bag_of_words, vectors_of

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
    assert n > blind.scores["n_texts"] / 100
    assert (
        "Different texts with one vector, so gain and noise may come from texts that are cut: "
        f"CaptionSwapMini ({n:.0f} pairs)."
    ) in notes([blind])
    assert not any("One vector" in note for note in notes([seeing]))
    (said,) = [
        record.getMessage() for record in caplog.records if "same vector" in record.getMessage()
    ]
    assert said.startswith(
        f"CaptionSwapMini, planted/model: {n:.0f} pairs of different texts have the same vector"
    )


def first_words(text):
    """The vector of the first three words."""
    return bag(" ".join(text.split()[:3]))


def test_a_warning_stands_beside_gain_and_noise_of_texts_that_are_cut(tmp_path):
    """In tables, in the end of a run, in the report and the board, in records for programs."""
    with with_noise():
        entries_of(PlantedModel(first_words), "CaptionSwapMini", tmp_path)
    (cut,) = load_results(tmp_path).entries
    of_noise = noise_kind_key("text", cut.measure.main)  # noise as of today
    scores = {**cut.scores, of_noise: cut.scores[NOISE.score_key(cut.measure.main)]}
    cut = replace(cut, scores=scores)
    assert not any(SAME_VECTORS in cell for cell in cells(cut)[:1])
    assert all(cell.endswith(SAME_VECTORS) for cell in cells(cut)[1:])
    assert baseline_and_gain(cut)[1].endswith(SAME_VECTORS)
    assert cells_in_short(cut).count(SAME_VECTORS) == 2
    shown = ScoreRow.of(cut).cells[1:]
    assert all(cell.outcome.endswith(SAME_VECTORS) for cell in shown)
    assert not any(cell.color == "above" for cell in shown)
    (record,) = result_records([cut])
    assert record["vs noise"].endswith(SAME_VECTORS)
    whole = replace(cut, scores={**scores, "n_same_vector": 0})
    assert not any(SAME_VECTORS in cell for cell in cells(whole))
