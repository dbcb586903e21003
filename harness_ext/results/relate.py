"""Do the scores of this project predict others? Rank correlations over models, resampled by family."""

from __future__ import annotations

import csv
import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from harness_ext.framework.gain_keys import gain_key
from harness_ext.names import UNVERIFIED, data_name
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.load import ResultModel
from harness_ext.results.other_tasks import other_scores
from harness_ext.results.published import published_scores
from harness_ext.statistics.bootstrap import SEED, percentile_interval
from harness_ext.statistics.control import partial_rho
from harness_ext.statistics.crossed import draw_counts
from harness_ext.store.mteb_files import ModelMetaFile

FEWEST = 8
"""The fewest models to correlate over."""

FEWEST_MODELS, FEWEST_FAMILIES = 30, 12
"""Over fewer models or families a correlation has no interval: it is shown, and claims nothing."""

PUBLIC_SCORES = files("harness_ext.results") / "public_scores" / "mteb_main_scores.csv"


class TooFewModelsError(ValueError):
    """Too few models have both scores; the message says how many, and what to do."""


@dataclass(frozen=True)
class Correlation:
    """A rank correlation over models.

    Attributes:
        rho: Spearman's ρ, in [-1, 1]; NaN where a score does not vary.
        low: Lower end of its interval, by resampling families; all intervals hold together in 95 %. NaN where a
            resample is not defined, and of fewer than `FEWEST_MODELS` or `FEWEST_FAMILIES`.
        high: Its upper end.
        n_models: Over how many models.
        n_families: In how many families.
    """

    rho: float
    low: float
    high: float
    n_models: int
    n_families: int


@dataclass(frozen=True)
class Relation:
    """How two scores go together.

    Attributes:
        ours: The task, data and key of a score of this project.
        other: The score that it is related to.
        plain: Their correlation.
        partial: The same with the ranks of the log parameters and of the mean STS score held fixed, over the models
            that have them; None for fewer than `FEWEST` models. With an STS score the parameters alone are held fixed.
    """

    ours: tuple[str, str, str]
    other: str
    plain: Correlation
    partial: Correlation | None


def relate(
    entries: Sequence[Entry], *, own: Path | None = None, published: bool = False, each: bool = False
) -> list[Relation]:
    """Correlate main scores and gains with the public scores of mteb, over the models that have both.

    Scores for which less is better are negated. Results on other data than the pinned are left out.

    Args:
        entries: Of a results folder.
        own: A results folder of mteb with scores of other tasks. They replace public scores of the same model and task.
        published: Whether models of the papers' tables count too, where nobody measured them.
        each: Relate to every task, not to the mean of each type of task.

    Returns:
        Relations in the order of the entries.

    Raises:
        TooFewModelsError: No score has `FEWEST` models.
        ValueError: A row of the public scores is no such row.
    """
    tasks = public_scores()
    for name, scores in own_scores(own).items() if own else ():
        tasks[name] = {**tasks.get(name, {}), **scores}
    types = task_types()
    grouped: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for name, scores in tasks.items():
        grouped[types.get(name, name)].append(scores)
    of_types = {f"{kind} (mean)": mean_z_scores(same) for kind, same in grouped.items()}
    controls = {"parameters": parameters(entries), "STS": of_types["STS (mean)"]}
    pairs = [
        (ours, scores, name, theirs, sorted(scores.keys() & theirs.keys()))
        for ours, scores in our_scores(entries, published=published).items()
        for name, theirs in (tasks if each else of_types).items()
    ]
    related = []
    for ours, scores, name, theirs, models in pairs:
        if len(models) < FEWEST:
            continue
        is_sts = types.get(name, name).startswith("STS")
        held = [values for control, values in controls.items() if not (control == "STS" and is_sts)]
        known = [model for model in models if all(model in values for values in held)]
        related.append((ours, name, (models, [scores, theirs]), (known, [scores, theirs, *held])))
    if not related:
        most = max((len(models) for *_, models in pairs), default=0)
        low, high = what_n_shows(FEWEST)
        raise TooFewModelsError(
            f"At most {most} models have both a score of a task and a public one; at least {FEWEST} are needed. Even "
            f"over {FEWEST}, the interval of a correlation of .5 is {low:.2f} to {high:.2f}. Measure more models that "
            "mteb has results of, or add results of your own with --with FOLDER."
        )
    together = sum(_has_interval(models) for *_, plain, partial in related for models, _ in (plain, partial))
    return [
        Relation(ours, name, correlation(*plain, together),
                 correlation(*partial, together) if len(partial[0]) >= FEWEST else None)
        for ours, name, plain, partial in related
    ]  # fmt: skip


def _has_interval(models: Sequence[str]) -> bool:
    return len(models) >= FEWEST_MODELS and len({family(model) for model in models}) >= FEWEST_FAMILIES


def our_scores(entries: Iterable[Entry], *, published: bool = False) -> dict[tuple[str, str, str], dict[str, float]]:
    """(Task, data, key) -> model -> main score or gain, the more the better where the score has a better end."""
    scores: dict[tuple[str, str, str], dict[str, float]] = {}
    of_pinned = [entry for entry in entries if UNVERIFIED not in entry.dataset_revision and not entry.is_part]
    for same in by_data(of_pinned):
        (task, subset, split), measure = same[0].place, same[0].measure
        papers = published_scores(task) if published else {}
        for key in (measure.main, gain_key(measure.main)):
            declared = measure.declarations().get(key)
            sign = -1 if declared and declared[0].direction == "lower" else 1
            printed = {
                place.model: sign * cells[key].value
                for place, cells in papers.items()
                if (place.subset, place.split) == (subset, split) and key in cells and not cells[key].note
            }
            measured = {entry.model: sign * entry.scores[key] for entry in same if key in entry.scores}
            if measured:
                scores[task, data_name(subset, split), key] = {**printed, **measured}
    return scores


@functools.cache
def _public_rows() -> list[dict[str, str]]:
    return list(csv.DictReader(PUBLIC_SCORES.read_text(encoding="utf-8").splitlines()))


def public_scores() -> dict[str, dict[str, float]]:
    """Task of mteb -> model -> main score, as shipped; where a model has several, the last row counts."""
    scores: dict[str, dict[str, float]] = {}
    for row in _public_rows():
        scores.setdefault(row["task"], {})[row["model"]] = float(row["main_score"])
    return scores


def task_types() -> dict[str, str]:
    """Task of mteb -> its type, such as `STS`."""
    return {row["task"]: row["type"] for row in _public_rows()}


def own_scores(folder: Path) -> dict[str, dict[str, float]]:
    """Task of mteb -> model -> the mean of the main scores in its result file; files of our tasks are left out.

    Raises:
        FileNotFoundError: There is no such file in the folder; names it.
    """
    values: dict[tuple[str, ResultModel], list[float]] = defaultdict(list)
    for (task, _, _), model, scores_of_model in other_scores(folder):
        values[task, model].append(scores_of_model["main_score"])
    scores: dict[str, dict[str, float]] = {}
    for (task, model), of_model in values.items():
        scores.setdefault(task, {})[model.name] = float(np.mean(of_model))
    if not scores:
        raise FileNotFoundError(
            f"{folder}: no results of other tasks in it. Name the --output-folder of "
            "`mteb run -m MODEL -t STSBenchmark`."
        )
    return scores


def parameters(entries: Iterable[Entry]) -> dict[str, float]:
    """Model -> the logarithm of its number of parameters, where its metadata has it."""
    counts = {entry.model: ModelMetaFile.beside(entry.file).n_parameters for entry in entries}
    return {model: float(np.log(count)) for model, count in counts.items() if count}


def mean_z_scores(tasks: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Model -> its mean z-score over the tasks that it has, which are at least half of them."""
    z_scores: dict[str, list[float]] = defaultdict(list)
    for scores in tasks:
        values = np.array([*scores.values()])
        spread = values.std() or 1.0
        for model, value in scores.items():
            z_scores[model].append((value - values.mean()) / spread)
    return {model: float(np.mean(values)) for model, values in z_scores.items() if 2 * len(values) >= len(tasks)}


def family(model: str) -> str:
    """The family of a model: who published it, or itself where its name does not say.

    Examples:
        >>> family("intfloat/e5-base"), family("glove")
        ('intfloat', 'glove')
    """
    return model.partition("/")[0]


def correlation(models: Sequence[str], scores: Sequence[Mapping[str, float]], together: int = 1) -> Correlation:
    """Spearman's ρ of the first two scores, the ranks of the others held fixed, with an interval over families.

    Args:
        models: All have every score.
        scores: Model -> value; two to correlate, and any number of controls.
        together: How many intervals hold together in 95 % (Bonferroni).
    """
    values = np.array([[of_models[model] for model in models] for of_models in scores])
    names, of_family = np.unique([family(model) for model in models], return_inverse=True)
    (rho,) = partial_rho(*values, np.ones((1, len(models))))
    low = high = math.nan
    if _has_interval(models):
        drawn = draw_counts(np.random.default_rng(SEED), len(names))
        low, high = percentile_interval(partial_rho(*values, drawn[of_family].T), len(names), 1 - 0.05 / together)
    return Correlation(float(rho), low, high, len(models), len(names))


def what_n_shows(n_models: int, rho: float = 0.5) -> tuple[float, float]:
    """The 95 % interval of a correlation over independent models, by Fisher's z.

    Examples:
        >>> [round(end, 2) for n in (20, 50) for end in what_n_shows(n)]
        [0.07, 0.77, 0.26, 0.68]
    """
    middle, half = np.arctanh(rho), 1.959964 / np.sqrt(n_models - 3)
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))
