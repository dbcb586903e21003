"""Scores by layer, as a table and as curves, from entries with values chosen by hand."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.show.figures import layer_curves
from harness_ext.show.result_tables import layer_tables
from tests.results.planted_items import entry_at


def entry(model, value, revision="1"):
    """Its interval is .1 to either side, and so is that of its gain over words that get .5, as chance does."""
    ends = 10 * (value - 0.5) - 1, 10 * (value - 0.5) + 1
    return replace(entry_at("EpsilonCompositionality", "naturalistic", ends, ends), model=model, revision=revision)


ENTRIES = [
    entry("a/b", 0.9),
    entry("a/b (layer=10)", 0.75),
    entry("a/b (layer=2)", 0.55),
    entry("a/b (pooling=cls, layer=2)", 0.4),
    entry("c/d (layer=0)", 0.5),
]


def test_a_table_per_model_in_the_order_of_the_layers():
    tables = list(layer_tables(ENTRIES))
    assert [table.title.rpartition(": ")[2] for table in tables] == ["a/b", "a/b (pooling=cls)", "c/d"]
    assert tables[0].rows == (
        ("2", ".550 [.450, .650]", ".500", ".050 [-.050, .150]", "cannot tell from chance or its words"),
        ("10", ".750 [.650, .850]", ".500", ".250 [.150, .350]", "above chance, beyond its words"),
    )
    assert tables[1].rows[0][-1] == "cannot tell from chance or its words"


def test_revisions_are_told_apart():
    tables = list(layer_tables([entry("a/b (layer=0)", 0.5), entry("a/b (layer=0)", 0.6, revision="2")]))
    assert [table.title.rpartition(": ")[2] for table in tables] == ["a/b @1", "a/b @2"]


def test_curves():
    figure = layer_curves(ENTRIES)
    spec = figure.chart.to_dict()
    (block,) = spec["vconcat"]
    score, gain = block["hconcat"]
    data = [spec["datasets"][panel["data"]["name"]] for panel in (score, gain)]
    ours = [row for row in data[0] if row["model"] == "a/b"]
    assert [(row["layer"], row["value"], row["low"], row["high"], row["words"]) for row in ours] == [
        (2, 0.55, 0.45, 0.65, 0.5),
        (10, 0.75, 0.65, 0.85, 0.5),
    ]
    assert {row["model"] for row in data[1]} == {"a/b", "a/b (pooling=cls)", "c/d"}
    assert [row["value"] for row in data[1] if row["model"] == "a/b"] == [0.05, 0.25]
    assert "rule" in {layer["mark"]["type"] for layer in score["layer"]}  # chance


def test_no_curve_without_layers():
    assert layer_curves([entry("a/b", 0.9), entry("a/b (pooling=cls)", 0.9)]) is None
