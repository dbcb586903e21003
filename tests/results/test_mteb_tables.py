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
    unknown = "local/checkpoint"
    for seed, name in enumerate((known, unknown)):
        model = PlantedModel(bag_of_words(seed), name)
        entries_of(model, TASK, tmp_path)
    entries = load_results(tmp_path).entries
    assert {entry.model for entry in entries} == {known, unknown}
    benchmark = mteb.get_benchmark("CompositionalityMini")
    cache = mteb.ResultCache(tmp_path)
    results = cache.load_results(tasks=benchmark, require_model_meta=False)
    assert {known, unknown} <= {*results.to_dataframe().columns}
    shown = results.get_benchmark_result()
    assert shown["Model"].tolist() == [known]
