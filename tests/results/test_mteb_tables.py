"""What mteb's own tables show of results, as docs/models.md says."""

import mteb
import pytest

from harness_ext.results.load import load_results
from tests.planted import PlantedModel, bag_of_words, entries_of

TASK = "NounCompoundScaledSimilarityMini"


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_a_benchmark_of_mteb_leaves_out_models_that_are_not_in_its_registry(tmp_path):
    """If this fails, mteb has learned to show them: docs/models.md says that it does not."""
    known = "sentence-transformers/all-MiniLM-L6-v2"
    for seed, name in enumerate((known, "local/checkpoint")):
        entries_of(PlantedModel(bag_of_words(seed), name), TASK, tmp_path)
    assert {entry.model for entry in load_results(tmp_path).entries} == {known, "local/checkpoint"}
    benchmark = mteb.get_benchmark("CompositionalityMini")
    results = mteb.ResultCache(tmp_path).load_results(tasks=benchmark, require_model_meta=False)
    assert {known, "local/checkpoint"} <= {*results.to_dataframe().columns}
    assert results.get_benchmark_result()["Model"].tolist() == [known]
