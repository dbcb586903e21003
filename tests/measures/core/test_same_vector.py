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


def growing_weight(place):
    return 1.1**place


bag = bag_of_words(weight=growing_weight)


def bag_of_first(n_words):
    """A bag of so many words from the start."""

    def vector(text):
        words = text.split()
        return bag(" ".join(words[:n_words]))

    return vector


def test_counted_are_distinct_pairs_of_different_texts():
    to_east = "the wind turned from west to east"
    to_west = "the wind turned from east to west"
    pairs = [
        (to_east, to_west),
        (to_west, to_east),
        ("one text", "one text"),
        ("one text", "another text"),
    ]
    rows = []
    for number, (first, second) in enumerate(pairs):
        row = {
            "id": str(number),
            "source": str(number),
            "kind": "roles",
            "first": first,
            "second": second,
        }
        rows.append(row)
    plan = MERGE_OPPOSITES.planned(rows, "")
    whole = MERGE_OPPOSITES.fill(plan, vectors_of(bag))
    assert same_vectors(plan, whole) == set()
    cut = MERGE_OPPOSITES.fill(plan, vectors_of(bag_of_first(4)))
    found = same_vectors(plan, cut)
    assert found == {(to_west, to_east)}
    said = same_vectors_message(found)
    assert said.startswith(
        f"1 pair of different texts has the same vector, such as {to_west!r} and"
    )


def test_an_example_is_shown_where_it_differs():
    before = "word " * 300
    after = " word" * 300
    long_pair = (f"{before}east{after}", f"{before}west{after}")
    said = same_vectors_message({long_pair, ("x", "y z")})
    assert said.startswith("2 pairs of different texts have")
    assert "…'word word word word word word east word word" in said


def test_a_model_that_sees_no_order_is_told_in_the_log_the_result_and_the_notes(
    tmp_path, caplog, without_baselines
):
    with caplog.at_level(logging.WARNING):
        for folder, encode in (("seeing", bag), ("blind", bag_of_words())):
            entries_of(PlantedModel(encode), "CaptionSwapMini", tmp_path / folder)
    (seeing,) = load_results(tmp_path / "seeing").entries
    (blind,) = load_results(tmp_path / "blind").entries
    assert seeing.scores["n_same_vector"] == 0
    n = blind.scores["n_same_vector"]
    assert n > 20
    assert n > blind.scores["n_texts"] / 100
    assert (
        "Different texts with one vector, so gain and noise may come from texts that are cut: "
        f"CaptionSwapMini ({n:.0f} pairs)."
    ) in notes([blind])
    for note in notes([seeing]):
        assert "One vector" not in note
    (said,) = [message for message in caplog.messages if "same vector" in message]
    assert said.startswith(
        f"CaptionSwapMini, planted/model: {n:.0f} pairs of different texts have the same vector"
    )


def test_a_warning_stands_beside_gain_and_noise_of_texts_that_are_cut(tmp_path):
    """In tables, in the end of a run, in the report and the board, in records for programs."""
    with with_noise():
        entries_of(PlantedModel(bag_of_first(3)), "CaptionSwapMini", tmp_path)
    (entry,) = load_results(tmp_path).entries
    main = entry.measure.main
    key_of_second_definition = noise_kind_key("text", main)
    scores = {**entry.scores, key_of_second_definition: entry.scores[NOISE.score_key(main)]}
    cut = replace(entry, scores=scores)
    against_chance, *others = cells(cut)
    assert SAME_VECTORS not in against_chance
    for cell in others:
        assert cell.endswith(SAME_VECTORS)
    _, gain = baseline_and_gain(cut)
    assert gain.endswith(SAME_VECTORS)
    assert cells_in_short(cut).count(SAME_VECTORS) == 2
    _, *others = ScoreRow.of(cut).cells
    for cell in others:
        assert cell.outcome.endswith(SAME_VECTORS)
        assert cell.color != "above"
    (record,) = result_records([cut])
    assert record["vs noise"].endswith(SAME_VECTORS)
    whole = replace(cut, scores={**scores, "n_same_vector": 0})
    for cell in cells(whole):
        assert SAME_VECTORS not in cell
