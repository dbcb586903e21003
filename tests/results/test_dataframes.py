"""Results, comparisons, scores and items as DataFrames, Arrow tables and HTML; the notebook of the
documentation.
"""

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars
import pytest

from harness_ext import compare, load_results, plot
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.measured_scores import Scores
from harness_ext.measures.core.scores import score
from harness_ext.results.entry import Results
from tests.measures.core.test_items import SomeItems, some_items

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "docs" / "example_results"
NOTEBOOK = ROOT / "docs" / "results.ipynb"


@pytest.fixture(scope="module")
def results():
    return load_results(BOARD)


def test_main_scores_have_a_row_per_entry_and_all_scores_one_each(results):
    frame = results.to_pandas()
    assert len(frame) == len(results.entries)
    for row, entry in zip(frame.itertuples(), results.entries, strict=True):
        assert row.model == entry.model
        assert row.task == entry.task
        assert row.score == entry.measure.main
        assert row.value == entry.main_score
        assert (row.low, row.high) == entry.interval()
    every = results.to_pandas(all_scores=True)
    assert every.is_main.sum() == len(frame)
    is_end_of_interval = every.score.str.endswith(("_ci_low", "_ci_high"))
    assert not is_end_of_interval.any()
    main = every[every.is_main].reset_index(drop=True)
    pd.testing.assert_frame_equal(main, frame)
    first = results.entries[0]
    of_model = every[every.model == first.model]
    of_first = of_model[of_model.task == first.task]
    for row in of_first.itertuples():
        assert row.value == first.scores[row.score]
    empty = Results((), ()).to_pandas()
    assert empty.columns.tolist() == frame.columns.tolist()


def test_comparisons(results):
    found = compare(results.entries)
    frame = found.to_pandas()
    assert len(frame) == len(found) > 0
    expected = frame.first_score - frame.second_score
    assert frame.difference.tolist() == pytest.approx(expected.tolist())


def test_items_by_hand_are_the_same_in_pandas_arrow_and_polars():
    items = some_items()
    arrow = items.to_arrow("comparisons")
    frame = items.to_pandas()
    assert frame.columns.tolist() == ["word", "class", "distance", "place", "right"]
    words = ["red", "wild", "red"]
    assert frame.word.tolist() == words
    assert arrow["word"].to_pylist() == words
    read = polars.from_arrow(arrow)
    assert read["class"].to_list() == frame["class"].tolist()
    assert read["place"].to_list() == [0, 1, 2]
    distances = read["distance"].to_numpy()
    assert np.isnan(distances[1])
    assert "wild" in items._repr_html_()
    with pytest.raises(KeyError, match=r"has no table 'compounds'\. There are: comparisons"):
        items.to_pandas("compounds")


def test_scores_leave_out_what_is_not_defined():
    class Two(Measure[SomeItems]):
        name = "two"
        question = "Which is it?"
        items = SomeItems
        unit = "word"
        main = "share"

        @score(
            title="a share",
            formula="a / b",
            range=(0, 1),
            better="higher",
            chance=0.5,
        )
        def share(self, items):
            raise NotImplementedError

        @score(title="another", formula="b / a", range=(0, 1))
        def other(self, items):
            raise NotImplementedError

    scores = Scores(Two(), {"share": 0.25, "other": np.nan})
    frame = scores.to_pandas()
    (row,) = frame.itertuples()
    assert row.Index == "share"
    assert row.value == 0.25
    assert row.chance == 0.5
    assert row.better == "higher"
    assert "a share" in scores._repr_html_()


def test_html_names_problems_and_escapes_them(results):
    entry = results.entries[0]
    with_problem = Results((entry,), ("a<b>.json is damaged.",))
    shown = with_problem._repr_html_()
    assert "a&lt;b&gt;.json is damaged. It is left out." in shown
    assert entry.task in shown
    assert entry.measure.main in entry._repr_html_()
    comparisons = compare(results.entries[:2])
    assert "adjusted_p_value" in comparisons._repr_html_()


@pytest.mark.slow
def test_plots_are_charts_of_the_report(results):
    task = "EpsilonCompositionalityMini"
    of_one_task = [entry for entry in results.entries if entry.task == task]
    columns = {(entry.task, entry.data) for entry in results.entries}
    assert len(columns) > 1
    assert len(plot(results.entries).vconcat) == len(columns)
    assert len(plot(of_one_task).vconcat) == 1
    with pytest.raises(ValueError, match="no entry to draw"):
        plot(())


@pytest.mark.slow
def test_the_notebook_runs_as_it_stands(monkeypatch):
    monkeypatch.chdir(NOTEBOOK.parent)  # where Jupyter runs a notebook
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    here = {}
    shown = 0
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"]
        parsed = ast.parse("".join(cell["source"]))
        *statements, last = parsed.body
        program = compile(ast.Module(statements, []), str(NOTEBOOK), "exec")
        exec(program, here)
        assert isinstance(last, ast.Expr), "every cell shows something"
        expression = compile(ast.Expression(last.value), str(NOTEBOOK), "eval")
        value = eval(expression, here)
        rich = getattr(value, "_repr_html_", None) or value._repr_mimebundle_
        assert rich()
        shown += 1
    assert shown == 8
