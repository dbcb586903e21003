"""`MODEL (own words)`: one map for all calls of a task, stock tasks of mteb in two passes, names."""

import csv
import io
from itertools import pairwise

import mteb
import numpy as np
import pytest
from datasets import Dataset, DatasetDict
from mteb.models import EncoderProtocol, ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.types import PromptType
from torch.utils.data import DataLoader
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.encoders.models.own_words_model import OwnWordsEncoder
from harness_ext.encoders.own_words import VERSION
from harness_ext.model_name import ModelName
from harness_ext.results.other_tasks import other_tasks
from harness_ext.show.numbers import formatted
from tests.planted import drawn
from tests.tasks.test_own_words import bag


class Order(AbsEncoder):
    """A weighted bag, and what the order of its words adds; a query has another constant than a document."""

    def __init__(self, order=1.0, query=0.0):
        self.order, self.query, self.n_texts = order, query, 0
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": "planted/order", "revision": "1"})

    def encode(self, inputs, *, prompt_type=None, **kwargs):
        texts = [text for batch in inputs for text in batch["text"]]
        self.n_texts += len(texts)
        vectors = np.array([self.vector(text) for text in texts])
        return vectors + self.query * drawn("query") * (prompt_type == PromptType.query)

    def vector(self, text):
        words = text.split()
        added = sum(len(word) * drawn(word) for word in words) / len(words)
        return added + self.order * sum(drawn(f"{one} {other}") for one, other in pairwise(words))


@pytest.fixture(scope="module")
def pairs():
    generator = np.random.default_rng(0)
    words = [f"{'wordletters'[: 1 + number % 9]}{number}" for number in range(150)]
    frequencies = 1 / np.arange(1, len(words) + 1)

    def drawn():
        return [" ".join(generator.choice(words, 8, p=frequencies / frequencies.sum())) for _ in range(300)]

    one, other = drawn(), drawn()
    other = [" ".join(a.split()[:4] + b.split()[4:]) for a, b in zip(one, other, strict=True)]
    return {"sentence1": one, "sentence2": other, "score": generator.uniform(0, 5, 300).tolist()}


def task_of(pairs):
    task = mteb.get_task("STSBenchmark")
    task.dataset, task.data_loaded = DatasetDict(test=Dataset.from_dict(pairs)), True
    return task


def run(model, pairs):
    (result,) = mteb.evaluate(model, task_of(pairs), cache=None, show_progress_bar=False).task_results
    return result.scores["test"][0]["cosine_spearman"]


def called(model, *calls, **kwargs):
    place = {"task_metadata": mteb.get_task("STSBenchmark").metadata, "hf_split": "test", "hf_subset": "default"}
    return [
        model.encode(DataLoader(Dataset.from_dict({"text": texts}), batch_size=32), **place, **kwargs)
        for texts in calls
    ]


def test_a_weighted_bag_is_its_own_words_in_a_stock_task(pairs):
    model = OwnWordsEncoder(Order(order=0))
    assert run(model, pairs) == pytest.approx(run(model.model, pairs), abs=1e-9)
    assert model.how_fitted("STSBenchmark", "test", "default")["words_fit"] == pytest.approx(1)
    assert model.how_fitted("STSBenchmark", "test", "other") == {}


def test_the_order_of_calls_changes_nothing_in_two_passes(pairs):
    """mteb sends one column, then the other; swapped columns come in the other order."""
    swapped = {**pairs, "sentence1": pairs["sentence2"], "sentence2": pairs["sentence1"]}
    model = OwnWordsEncoder(Order())
    one, other = run(model, pairs), run(model, swapped)
    assert one == pytest.approx(other, abs=1e-9)
    assert one != pytest.approx(run(Order(), pairs), abs=1e-3)
    assert 0.3 < model.how_fitted("STSBenchmark", "test", "default")["words_fit"] < 0.99


def test_a_fit_that_does_not_settle_is_a_warning(pairs, monkeypatch, caplog):
    monkeypatch.setattr("harness_ext.encoders.own_words.MAX_ROUNDS", 1)
    called(OwnWordsEncoder(Order()), pairs["sentence1"])
    assert "STSBenchmark: the fit of own words has not settled in 1 rounds." in caplog.text


def test_every_text_is_encoded_once_and_every_word(pairs):
    model = OwnWordsEncoder(Order())
    run(model, pairs)
    texts = {*pairs["sentence1"], *pairs["sentence2"]}
    words = {word for text in texts for word in text.split()}
    n_calls = 4  # two columns in two passes, each with a probe of its prompt
    assert model.model.n_texts == len(texts) + len(words) + n_calls


def test_show_puts_a_model_beside_its_own_words(pairs, tmp_path):
    order, cache = Order(), mteb.ResultCache(tmp_path)
    for model in (order, OwnWordsEncoder(order)):
        mteb.evaluate(model, task_of(pairs), cache=cache, show_progress_bar=False)
    (result,) = other_tasks(tmp_path)
    assert (result.task, result.split, result.model) == ("STSBenchmark", "test", "planted/order")
    assert result.score == pytest.approx(run(order, pairs), abs=1e-5)  # mteb rounds
    assert result.words == pytest.approx(run(OwnWordsEncoder(order), pairs), abs=1e-5)
    shown = CliRunner().invoke(app, ["show", str(tmp_path), "--format", "csv"])
    assert shown.exit_code == 0
    (row,) = csv.DictReader(io.StringIO(shown.stdout))
    assert (row["model"], row["value"], row["gain"]) == ("planted/order", str(result.score), str(result.gain))
    assert (row["words_fit"], row["words_signature"]) == (str(result.words_fit), f"weights {VERSION}")
    assert 0.3 < result.words_fit < 0.99
    (line,) = (
        line for line in CliRunner().invoke(app, ["show", str(tmp_path)]).stdout.splitlines() if "planted" in line
    )
    assert line.split()[-4:] == [*map(formatted, (result.score, result.words, result.gain, result.words_fit))]


def test_later_calls_keep_the_bags_of_the_first(pairs):
    model = OwnWordsEncoder(Order(order=0))
    first, _ = called(model, pairs["sentence1"], pairs["sentence2"])
    (again,) = called(model, pairs["sentence1"])
    np.testing.assert_array_equal(first, again)


def test_queries_and_documents_have_weights_of_their_own_only_if_prompts_differ(pairs):
    for query, n_vocabularies in ((0, 1), (2, 2)):
        model = OwnWordsEncoder(Order(query=query))
        called(model, pairs["sentence1"], prompt_type=PromptType.query)
        called(model, pairs["sentence2"], prompt_type=PromptType.document)
        (vocabularies,) = model._vocabularies.values()
        assert len(vocabularies) == n_vocabularies


def test_names():
    model = OwnWordsEncoder(bag())
    assert isinstance(model, EncoderProtocol)
    assert model.mteb_model_meta.name == "planted/bag (own words)"
    meta = mteb.get_model_meta("sentence-transformers/all-MiniLM-L6-v2 (own words)", fetch_from_hf=True)
    assert meta.name == "sentence-transformers/all-MiniLM-L6-v2 (own words)"
    assert meta.loader_kwargs == {"plain": "sentence-transformers/all-MiniLM-L6-v2"}
    parsed = ModelName.parse("a/b (pooling=cls, own words)")
    assert (parsed.checkpoint, dict(parsed.options)) == ("a/b", {"pooling": "cls", "own words": "own words"})
