"""`MODEL (additive)`: one map for all calls of a task, stock tasks of mteb in two passes, names."""

from itertools import pairwise

import mteb
import numpy as np
import pytest
from datasets import Dataset, DatasetDict
from mteb.models import EncoderProtocol
from mteb.types import PromptType

from harness_ext.data.words import random_strings
from harness_ext.encoders.additive_baseline import SEED
from harness_ext.encoders.models.additive_model import AdditiveEncoder
from harness_ext.store.mteb_files import read_result_file
from tests.encoders import as_mteb
from tests.encoders.test_additive_baseline import drawn_texts
from tests.planted import PlantedModel, drawn, entries_of


class Order(PlantedModel):
    """A weighted bag, and what the order of words adds; a query has another constant than a
    document.
    """

    def __init__(self, order=1.0, query=0.0):
        def vector(text):
            words = text.split()
            of_words = sum(len(word) * drawn(word) for word in words)
            of_pairs = sum(drawn(f"{one} {other}") for one, other in pairwise(words))
            return of_words / len(words) + order * of_pairs

        super().__init__(vector, "planted/order")
        self.query = query

    def encode(self, inputs, *, prompt_type=None, **kwargs):
        vectors = super().encode(inputs)
        if prompt_type == PromptType.query:
            vectors = vectors + self.query * drawn("query")
        return vectors


@pytest.fixture(scope="module")
def pairs():
    generator = np.random.default_rng(0)
    _, texts = drawn_texts(generator, n_texts=600)
    firsts = texts[:250]
    seconds = []
    for first, second in zip(firsts, texts[250:500], strict=True):
        words = first.split()[:4] + second.split()[4:]
        seconds.append(" ".join(words))
    ratings = generator.uniform(0, 5, 250)
    return {"sentence1": firsts, "sentence2": seconds, "score": ratings.tolist()}


def run(model, pairs, folder=None):
    task = mteb.get_task("STSBenchmark")
    task.dataset = DatasetDict(test=Dataset.from_dict(pairs))
    task.data_loaded = True
    entries = entries_of(model, task, folder)
    return entries["test", "default"]["cosine_spearman"]


def called(model, texts, **kwargs):
    metadata = mteb.get_task("STSBenchmark").metadata
    return as_mteb.encode(model, texts, task_metadata=metadata, **kwargs)


def additive_fit(model):
    return model.how_fitted("STSBenchmark", "test", "default")["additive_fit"]


@pytest.mark.slow
def test_a_weighted_bag_is_its_own_baseline_in_a_stock_task(pairs):
    model = AdditiveEncoder(Order(order=0))
    assert run(model, pairs) == pytest.approx(run(model.model, pairs), abs=1e-9)
    assert additive_fit(model) == pytest.approx(1)
    assert model.how_fitted("STSBenchmark", "test", "other") == {}
    model = AdditiveEncoder(Order())
    first = called(model, pairs["sentence1"])
    called(model, pairs["sentence2"])
    again = called(model, pairs["sentence1"])
    np.testing.assert_array_equal(first, again)  # later calls keep the bags of the first


def test_the_order_of_calls_changes_nothing_in_two_passes(pairs):
    """mteb sends one column, then the other; swapped columns come in the other order."""
    swapped = {
        "sentence1": pairs["sentence2"],
        "sentence2": pairs["sentence1"],
        "score": pairs["score"],
    }
    model = AdditiveEncoder(Order())
    score = run(model, pairs)
    texts = {*pairs["sentence1"], *pairs["sentence2"]}
    words = {*" ".join(texts).split()}
    probes = random_strings(sorted(words), 32, SEED).keys() - texts
    n_prompts = 4  # two columns in two passes
    n_asked = sum(map(len, model.model.calls))
    assert n_asked == len(texts) + len(words | probes) + n_prompts
    assert score == pytest.approx(run(model, swapped), abs=1e-9)
    assert score != pytest.approx(run(Order(), pairs), abs=1e-3)
    assert 0.3 < additive_fit(model) < 0.99


def test_mteb_puts_a_model_beside_its_additive_baseline(pairs, tmp_path):
    score = run(Order(), pairs, tmp_path)
    score_of_baseline = run(AdditiveEncoder(Order()), pairs, tmp_path)
    table = mteb.ResultCache(tmp_path).load_results().to_dataframe()
    (row,) = table.to_dict("records")
    rounding = 1e-5  # by mteb
    assert row["planted/order"] == pytest.approx(score, abs=rounding)
    assert row["planted/order (additive)"] == pytest.approx(score_of_baseline, abs=rounding)
    (file,) = tmp_path.glob("results/*additive*/*/STSBenchmark.json")
    (record,) = read_result_file(file).scores["test"]
    assert record.values["additive_signature"] == "probes 32, seed 0"
    assert 0.3 < record.values["additive_fit"] < 0.99


def test_queries_and_documents_have_weights_of_their_own_only_if_prompts_differ(pairs):
    for query, n_vocabularies in ((0, 1), (2, 2)):
        model = AdditiveEncoder(Order(query=query))
        called(model, pairs["sentence1"], prompt_type=PromptType.query)
        called(model, pairs["sentence2"], prompt_type=PromptType.document)
        (vocabularies,) = model._vocabularies.values()
        assert len(vocabularies) == n_vocabularies


def test_names():
    assert isinstance(AdditiveEncoder(Order()), EncoderProtocol)
    assert AdditiveEncoder(Order()).mteb_model_meta.name == "planted/order (additive)"
    meta = mteb.get_model_meta(
        "sentence-transformers/all-MiniLM-L6-v2 (additive)", fetch_from_hf=True
    )
    assert meta.name == "sentence-transformers/all-MiniLM-L6-v2 (additive)"
    assert meta.loader_kwargs == {"plain": "sentence-transformers/all-MiniLM-L6-v2"}
