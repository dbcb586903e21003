"""Whatever is named wrongly, the error is the same, and says what was meant."""

from __future__ import annotations

import pytest

from harness_ext import load_results, measure
from harness_ext.data.check import check_sources
from harness_ext.documentation.explain import explain
from harness_ext.names import UnknownNameError
from harness_ext.own_data.fields import own_measure
from harness_ext.results.schema import result_schema
from harness_ext.show.published_tables import select_cells
from harness_ext.sweep.job import Job
from harness_ext.training_evaluator import CompositionalityEvaluator

WRONG = "montagueconsistencyfst"
RIGHT = "MontagueConsistencyFast"


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: measure(len, WRONG), RIGHT),
        (lambda: CompositionalityEvaluator(WRONG), RIGHT),
        (lambda: Job("m", (WRONG,), (), ".", ".").tasks(), RIGHT),
        (lambda: result_schema(WRONG), RIGHT),
        (lambda: explain("auc_nc_vs_c", WRONG), RIGHT),
        (lambda: load_results(".", WRONG), RIGHT),
        (lambda: explain("auc_nc_vs_x"), "auc_nc_vs_c"),
        (lambda: [*check_sources(["ncmip"])], "ncimp"),
        (lambda: own_measure("epsilom"), "epsilon"),
        (lambda: select_cells("EpsilonCompositionalitty"), "EpsilonCompositionality"),
        (lambda: select_cells("EpsilonCompositionality", "bert-base-uncasd (pooling=cls)"), "bert-base-uncased"),
    ],
)
def test_a_wrong_name_is_one_kind_of_error_and_says_what_was_meant(ask, meant):
    with pytest.raises(UnknownNameError, match=f"no such .*Did you mean .*{meant}") as error:
        ask()
    near = str(error.value).partition("Did you mean ")[2].partition("?")[0].split(" or ")
    assert len({*near}) == len(near)
