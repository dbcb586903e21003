"""Intervals of gains in other tasks of mteb, from the predictions that `mteb run --prediction-folder` keeps.

mteb's result files hold no scores of single pairs or queries, its predictions do: the cosines of the pairs of an STS
task, the documents found for the queries of a retrieval task. The gain is computed anew over resampled pairs or
queries, of the model and of its own words with the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mteb
import numpy as np
import pytrec_eval
from mteb.abstasks import AbsTask
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.sts import AbsTaskSTS

from harness_ext.arrays import Floats
from harness_ext.json_files import read_json
from harness_ext.model_name import ModelName
from harness_ext.names import model_and_experiment
from harness_ext.results.other_tasks import OtherTask
from harness_ext.statistics.bootstrap import draw, percentile_interval
from harness_ext.statistics.correlation import rho

_SUFFIX = "_predictions.json"

_TREC = {"ndcg": "ndcg_cut", "map": "map_cut", "recall": "recall", "precision": "P", "hit_rate": "success"}
"""The names of mteb's scores `<name>_at_<k>` in trec_eval, which mteb computes them by."""

_ROUNDING = 1e-4
"""A score that follows from predictions differs from that of its result by less: mteb writes five digits."""

_BLOCK = 100
"""The number of resamples of pairs that are ranked together."""

Resampled = tuple[float, Floats]
"""A score, and its resamples of shape (`N_RESAMPLES`,)."""


def with_intervals(
    results: Iterable[OtherTask], folder: Path, task_of: Callable[[str], AbsTask] = mteb.get_task
) -> Iterator[OtherTask]:
    """Add the 95 % interval of each gain, or the reason why there is none.

    Args:
        results: Of `other_tasks`.
        folder: The predictions of the models and of their own words, in a folder for each, or deeper.
        task_of: Finds a task of mteb by its name.
    """
    files = _files(folder)
    for each in results:
        try:
            yield replace(each, interval=_interval(each, files, task_of(each.task)))
        except (ValueError, OSError) as error:  # data that cannot be loaded is an OSError in mteb
            yield replace(each, no_interval=str(error))


def _files(folder: Path) -> dict[tuple[str, str, str], Path]:
    """Find files of predictions by task, model and revision."""
    files = {}
    for file in sorted(folder.rglob(f"*{_SUFFIX}")):
        meta = read_json(file).get("mteb_model_meta", {})
        files[file.name.removesuffix(_SUFFIX), meta.get("model_name", ""), meta.get("revision", "")] = file
    if not files:
        raise FileNotFoundError(
            f"{folder}: no predictions of mteb, such as STS13{_SUFFIX}. Keep them: mteb run … --prediction-folder "
            f"{folder}/MODEL, and another folder for its own words, as mteb does not put the model into the name."
        )
    return files


def _interval(each: OtherTask, files: Mapping[tuple[str, str, str], Path], task: AbsTask) -> tuple[float, float]:
    units, scored = _scorer(task, each)
    draws = draw(units).astype(np.float64)
    drawn = []
    plain, _ = model_and_experiment(each.model)  # predictions do not name an experiment
    own_words = str(ModelName.parse(plain).but(**{"own words": "own words"}))
    for model, stored in ((plain, each.score), (own_words, each.words)):
        if (file := files.get((each.task, model, each.revision))) is None:
            raise ValueError(f"no predictions of {model}, revision {each.revision}, in {each.task}")
        if (predicted := read_json(file).get(each.subset, {}).get(each.split)) is None:
            raise ValueError(f"{file} has no predictions of subset {each.subset}, split {each.split}")
        value, resamples = scored(predicted, draws)
        if abs(value - stored) > _ROUNDING:
            raise ValueError(f"{file} is of another run: its score is {value:.5f}, that of the result {stored:.5f}")
        drawn.append(resamples)
    return percentile_interval(drawn[0] - drawn[1], len(units))


def _scorer(task: AbsTask, each: OtherTask) -> tuple[Any, Callable[[Any, Floats], Resampled]]:
    """Name the units, and make the function from predictions to their score and its resamples."""
    main = task.metadata.main_score
    name, _, k = main.rpartition("_at_")
    if isinstance(task, AbsTaskSTS) and main == "cosine_spearman":
        rated = np.array(_data(task, each)["score"], dtype=np.float64)
        return np.arange(len(rated)).astype(str), lambda predicted, draws: _correlation(rated, predicted, draws)
    if isinstance(task, AbsTaskRetrieval) and name in _TREC:
        relevant = {query: docs for query, docs in _data(task, each)["relevant_docs"].items() if docs}
        measure = f"{_TREC[name]}.{k}"
        return np.array(list(relevant)), lambda predicted, draws: _retrieved(relevant, measure, predicted, draws)
    raise ValueError(
        f"gains by {main} of {task.metadata.type} tasks have no intervals, only those of STS and retrieval"
    )


def _data(task: AbsTask, each: OtherTask) -> Any:
    """Load the data of a subset and split; a task of one subset may have its splits alone."""
    if not task.data_loaded:
        task.load_data()
    if isinstance(task, AbsTaskRetrieval):
        task.convert_v1_dataset_format_to_v2(num_proc=None)
    dataset: Any = task.dataset
    return dataset[each.subset][each.split] if each.subset in dataset else dataset[each.split]


def _correlation(rated: Floats, predicted: Mapping[str, Any], draws: Floats) -> Resampled:
    """Correlate what people say of pairs with their cosines, each of shape (n,)."""
    cosines = np.array(predicted["cosine_scores"], dtype=np.float64)
    if len(cosines) != len(rated):
        raise ValueError(f"there are predictions of {len(cosines)} pairs, and {len(rated)} pairs")
    blocks = np.array_split(draws, max(1, len(draws) // _BLOCK))
    (value,) = rho(rated, cosines, np.ones((1, len(rated))))
    return float(value), np.concatenate([rho(rated, cosines, block) for block in blocks])


def _retrieved(relevant: Mapping[str, Any], measure: str, predicted: Mapping[str, Any], draws: Floats) -> Resampled:
    """Average what trec_eval gives the documents found for each query."""
    by_query = pytrec_eval.RelevanceEvaluator(relevant, {measure}).evaluate(predicted)
    if unknown := relevant.keys() - by_query.keys():
        raise ValueError(f"there are no predictions of {len(unknown)} queries, such as {min(unknown)}")
    values = np.array([by_query[query][measure.replace(".", "_")] for query in relevant])
    return float(values.mean()), draws @ values / len(values)
