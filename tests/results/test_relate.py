"""Relations of scores to others: by hand, planted, and refused where there is too little."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from harness_ext.results.relate import correlation, family, public_scores, task_types
from harness_ext.statistics.control import partial_rho
from tests.command_line import harness_ext

TASK, MAIN = "EpsilonCompositionality", "auc_nc_vs_c"


def write_result(folder: Path, model: str, task: str, scores: dict[str, float], parameters: float | None = None):
    """A result file as mteb writes it."""
    home = folder / "results" / model.replace("/", "__") / "1"
    home.mkdir(parents=True, exist_ok=True)
    (home / "model_meta.json").write_text(json.dumps({"name": model, "revision": "1", "n_parameters": parameters}))
    entry = {"hf_subset": "default", "languages": ["eng-Latn"], **scores}
    content = {"task_name": task, "dataset_revision": "1", "scores": {"naturalistic": [entry]}}
    (home / f"{task}.json").write_text(json.dumps(content))


def relate(*arguments):
    return harness_ext("relate", *arguments)


def test_a_partial_correlation_is_that_of_the_residuals_of_ranks():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 30))
    values[0] += values[2]
    ranks = stats.rankdata(values, axis=1)
    held = np.column_stack([np.ones(30), *ranks[2:]])
    one, other = (row - held @ np.linalg.lstsq(held, row, rcond=None)[0] for row in ranks[:2])
    assert partial_rho(*values, np.ones((1, 30)))[0] == pytest.approx(np.corrcoef(one, other)[0, 1])


def test_a_place_that_weighs_twice_is_there_twice():
    values = np.array([[1.0, 2.0, 2.0, 5.0], [3.0, 1.0, 4.0, 4.0]])
    twice = np.repeat(values, [2, 1, 0, 3], axis=1)
    expected = stats.spearmanr(*twice).statistic
    assert partial_rho(*values, np.array([[2.0, 1.0, 0.0, 3.0]]))[0] == pytest.approx(expected)


def test_a_score_that_follows_from_the_controls_has_no_partial_correlation():
    values = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], [10.0, 20.0, 30.0, 40.0]])
    assert np.isnan(partial_rho(*values, np.ones((1, 4)))).all()


def test_the_public_scores_are_those_of_the_models_and_tasks_that_their_note_names():
    tasks = public_scores()
    assert len(tasks) == len(task_types()) == 30
    models = {model for scores in tasks.values() for model in scores}
    assert len(models) == 349
    assert len({family(model) for model in models}) > 100
    values = [value for scores in tasks.values() for value in scores.values()]
    assert -1 <= min(values) <= max(values) <= 1


def test_five_models_are_refused_with_a_reason(tmp_path):
    for number, model in enumerate(sorted(public_scores()["STS12"])[:5]):
        write_result(tmp_path, model, TASK, {"main_score": number / 5, MAIN: number / 5})
    found = relate(tmp_path)
    assert found.exit_code == 1
    assert "At most 5 models" in found.stderr
    assert "at least 8" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Forty models in twenty families; the score is related to that of one other task."""
    folder = tmp_path_factory.mktemp("planted")
    rng = np.random.default_rng(3)
    for number in range(40):
        model = f"family-{number // 2}/model-{number}"
        of_family = np.random.default_rng(number // 2).normal() / 2
        parameters = rng.normal()
        score = of_family + rng.normal()
        other = 0.8 * score + 0.6 * rng.normal()
        main = float(stats.norm.cdf(score))
        write_result(folder, model, TASK, {"main_score": main, MAIN: main}, float(np.exp(20 + 2 * parameters)))
        write_result(folder, model, "PlantedTask", {"main_score": float(other)})
        write_result(folder, model, "UnrelatedTask", {"main_score": float(rng.normal())})
    return folder


def test_a_planted_relation_is_found_and_its_interval_holds(planted):
    found = relate(planted, "--with", planted, "--each", "--format", "json")
    assert found.exit_code == 0, found.stderr
    rows = {row["related to"]: row for row in json.loads(found.stdout)}
    assert rows.keys() == {"PlantedTask", "UnrelatedTask"}
    row = rows["PlantedTask"]
    low, high = map(float, row["95 % interval"].replace("+", "").split(" to "))
    assert (row["models"], row["families"]) == ("40", "20")
    assert 0.4 < low < 0.78 < high < 1  # Spearman's ρ of normal variables of correlation .8 or a little more
    low, high = map(float, rows["UnrelatedTask"]["95 % interval"].replace("+", "").split(" to "))
    assert low < 0 < high


def test_intervals_hold_as_often_as_they_say():
    rng = np.random.default_rng(1)
    truth, hits, repeats = 6 / np.pi * np.arcsin(0.6 / 2), 0, 200
    of_family = np.repeat(np.arange(20), 2)
    for _ in range(repeats):
        x, y = (np.repeat(rng.normal(size=20), 2) + rng.normal(size=40) for _ in range(2))
        y = 0.6 * x + 0.8 * y
        weights = rng.multinomial(20, np.full(20, 1 / 20), 300)[:, of_family].astype(float)
        low, high = np.percentile(partial_rho(x, y, weights), [2.5, 97.5])
        hits += low <= truth <= high
    assert 0.87 < hits / repeats < 0.99


def test_intervals_hold_together_and_few_models_claim_nothing():
    models = [f"family-{number // 3}/{number}" for number in range(36)]
    rng = np.random.default_rng(2)
    x = dict(zip(models, rng.normal(size=36), strict=True))
    y = {model: value + rng.normal() for model, value in x.items()}
    alone, together = (correlation(models, [x, y], n) for n in (1, 20))
    assert together.low < alone.low < alone.rho < alone.high < together.high
    few = correlation(models[:29], [x, y])
    assert np.isnan([few.low, few.high]).all()
    assert np.isfinite(few.rho)
    of_one_family = correlation([model.replace("-", "/") for model in models], *[
        [{model.replace("-", "/"): value for model, value in scores.items()} for scores in (x, y)]
    ])  # fmt: skip
    assert np.isnan(of_one_family.low)


def test_a_folder_without_other_tasks_is_refused(planted, tmp_path):
    write_result(tmp_path, "a/b", TASK, {"main_score": 0.5, MAIN: 0.5})
    found = relate(planted, "--with", tmp_path)
    assert found.exit_code == 1
    assert f"{tmp_path}: no results of other tasks" in found.stderr


def test_a_report_of_enough_models_has_a_page_of_relations(tmp_path):
    models = sorted(public_scores()["STS12"])[:9]
    for number, model in enumerate(models):
        write_result(tmp_path, model, TASK, {"main_score": number / 10, MAIN: number / 10})
    harness_ext("report", tmp_path, "-o", tmp_path / "report")
    page = (tmp_path / "report" / "relate.html").read_text(encoding="utf-8")
    assert "STS (mean)" in page
    assert "With 9 models, a ρ of" in page
