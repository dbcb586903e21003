"""Intervals of gains in stock tasks of mteb, from predictions: pairs of STS, queries of retrieval."""

import json

import mteb
import numpy as np
import pytest
import scipy
from datasets import Dataset, DatasetDict
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.encoders.models.own_words_model import OwnWordsEncoder
from harness_ext.results.other_tasks import OtherTask, other_tasks
from harness_ext.results.predictions import with_intervals
from harness_ext.statistics.bootstrap import draw, percentile_interval
from tests.encoders.models.test_own_words_model import Order

N_PAIRS = 40


@pytest.fixture(scope="module")
def texts():
    generator = np.random.default_rng(1)
    return [" ".join(f"w{n}" for n in generator.integers(0, 12, 6)) for _ in range(2 * N_PAIRS)]


@pytest.fixture(scope="module")
def sts(texts):
    rated = np.random.default_rng(2).uniform(0, 5, N_PAIRS).tolist()
    return {"sentence1": texts[:N_PAIRS], "sentence2": texts[N_PAIRS:], "score": rated}


@pytest.fixture
def task_of(sts, texts, monkeypatch):
    """Tasks of mteb with data of this test, loaded as mteb loads them."""

    def load_pairs(self, **kwargs):
        self.dataset, self.data_loaded = DatasetDict(test=Dataset.from_dict(sts)), True

    def load_documents(self, **kwargs):
        names = [f"d{n}" for n in range(N_PAIRS)]
        corpus = Dataset.from_dict({"id": names, "text": texts[N_PAIRS:], "title": [""] * N_PAIRS})
        queries = Dataset.from_dict({"id": [f"q{n}" for n in range(N_PAIRS)], "text": texts[:N_PAIRS]})
        relevant = {f"q{n}": {f"d{n}": 1, f"d{(n * 7 + 3) % N_PAIRS}": 1} for n in range(N_PAIRS)} | {"q0": {}}
        data = {"corpus": corpus, "queries": queries, "relevant_docs": relevant, "top_ranked": None}
        self.dataset, self.data_loaded = {"default": {"test": data}}, True

    def classify(self, **kwargs):
        raise AssertionError("data of a task without intervals must not be loaded")

    for name, load in (
        ("STSBenchmark", load_pairs),
        ("NFCorpus", load_documents),
        ("Banking77Classification", classify),
    ):
        monkeypatch.setattr(type(mteb.get_task(name)), "load_data", load)
    return mteb.get_task


def measure(folder, task_of, name, order=1.0, **settings):
    """Measure an encoder and its own words as two runs of mteb do, each with a folder of predictions."""
    cache = mteb.ResultCache(folder / "results")
    encoder = Order(order)
    encoder.mteb_model_meta = encoder.mteb_model_meta.model_copy(update={"experiment_kwargs": settings or None})
    for kind, model in (("model", encoder), ("words", OwnWordsEncoder(encoder))):
        mteb.evaluate(
            model, task_of(name), cache=cache, prediction_folder=folder / "kept" / kind, show_progress_bar=False
        )
    return other_tasks(folder / "results")


def predictions(folder, name):
    return [
        json.loads((folder / "kept" / kind / f"{name}_predictions.json").read_text())["default"]["test"]
        for kind in ("model", "words")
    ]


def test_pairs_of_sts_are_resampled_for_both(task_of, sts, tmp_path):
    (result,) = with_intervals(measure(tmp_path, task_of, "STSBenchmark"), tmp_path / "kept", task_of)
    model, words = (np.array(kept["cosine_scores"]) for kept in predictions(tmp_path, "STSBenchmark"))
    rated = np.array(sts["score"])

    def correlation(cosines, times):
        return scipy.stats.spearmanr(np.repeat(rated, times), np.repeat(cosines, times)).statistic

    draws = draw(np.arange(N_PAIRS).astype(str))
    expected = np.array([correlation(model, times) - correlation(words, times) for times in draws])
    assert result.interval == pytest.approx(percentile_interval(expected, N_PAIRS), abs=1e-9)
    assert result.interval[0] < result.gain < result.interval[1]


def test_a_bag_of_words_gains_nothing(task_of, tmp_path):
    (result,) = with_intervals(measure(tmp_path, task_of, "STSBenchmark", order=0), tmp_path / "kept", task_of)
    assert result.interval == pytest.approx((0, 0), abs=1e-6)


def test_a_model_with_settings_has_own_words_too(task_of, tmp_path):
    """Mteb stores its results in `experiments/`, and predictions under the model's name alone."""
    results = measure(tmp_path, task_of, "STSBenchmark", dtype="float32")
    (result,) = with_intervals(results, tmp_path / "kept", task_of)
    assert (result.model, result.no_interval) == ("planted/order [dtype_float32]", "")
    assert result.interval[0] < result.gain < result.interval[1]


def test_queries_of_retrieval_are_resampled_for_both(task_of, tmp_path):
    """By nDCG@10 written out: documents are relevant or not."""
    (result,) = with_intervals(measure(tmp_path, task_of, "NFCorpus"), tmp_path / "kept", task_of)
    task = task_of("NFCorpus")
    task.load_data()
    relevant = task.dataset["default"]["test"]["relevant_docs"]

    def ndcg(query, found):
        best = sorted(found, key=found.get, reverse=True)[:10]
        gained = sum(1 / np.log2(place + 2) for place, name in enumerate(best) if name in relevant[query])
        return gained / sum(1 / np.log2(place + 2) for place in range(len(relevant[query])))

    model, words = predictions(tmp_path, "NFCorpus")
    asked = [query for query, documents in relevant.items() if documents]
    assert len(asked) == N_PAIRS - 1
    gains = np.array([ndcg(query, model[query]) - ndcg(query, words[query]) for query in asked])
    assert gains.mean() == pytest.approx(result.gain, abs=2e-5)
    expected = percentile_interval(draw(np.array(asked)) @ gains / len(gains), len(gains))
    assert result.interval == pytest.approx(expected, abs=1e-9)


def test_show_prints_intervals_or_why_there_are_none(task_of, tmp_path):
    measure(tmp_path, task_of, "STSBenchmark")
    measure(tmp_path, task_of, "NFCorpus")
    (tmp_path / "kept" / "words" / "NFCorpus_predictions.json").unlink()
    command = ["show", str(tmp_path / "results"), "--predictions", str(tmp_path / "kept")]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    without, with_one = (line for line in shown.stdout.splitlines() if "planted/order " in line and "test" in line)
    assert "[" in with_one and "[" not in without
    assert "no predictions of planted/order (own words), revision 1, in NFCorpus" in shown.stdout
    rows = json.loads(CliRunner().invoke(app, [*command, "--format", "json"]).stdout)
    assert [row["gain_low"] is None for row in rows] == [True, False]


def test_predictions_of_another_run_are_refused(task_of, tmp_path):
    results = measure(tmp_path, task_of, "STSBenchmark")
    file = tmp_path / "kept" / "words" / "STSBenchmark_predictions.json"
    kept = json.loads(file.read_text())
    kept["default"]["test"]["cosine_scores"].reverse()
    file.write_text(json.dumps(kept))
    (result,) = with_intervals(results, tmp_path / "kept", task_of)
    assert result.interval is None
    assert str(file) in result.no_interval and "is of another run: its score is" in result.no_interval
    kept["default"]["test"]["cosine_scores"].pop()
    file.write_text(json.dumps(kept))
    (result,) = with_intervals(results, tmp_path / "kept", task_of)
    assert result.no_interval == f"there are predictions of {N_PAIRS - 1} pairs, and {N_PAIRS} pairs"


def test_a_folder_without_predictions_says_how_to_keep_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="--prediction-folder"):
        list(with_intervals([], tmp_path))


def test_other_kinds_of_tasks_say_so_before_their_data_are_loaded(task_of, tmp_path):
    result = OtherTask("Banking77Classification", "test", "default", "planted/order", "1", 0.5, 0.4)
    (tmp_path / "X_predictions.json").write_text("{}")
    (result,) = with_intervals([result], tmp_path, task_of)
    assert result.no_interval.startswith("gains by accuracy of Classification tasks have no intervals")
