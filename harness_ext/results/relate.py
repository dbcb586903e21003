"""Do the scores of this project predict others? Rank correlations over models, resampled by family."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import numpy as np

from harness_ext.arrays import Floats
from harness_ext.catalogue.every_row import CATALOGUE
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.json_files import DamagedFileError, read_json
from harness_ext.names import UNVERIFIED, data_name
from harness_ext.results.entry import Entry
from harness_ext.results.load import mteb_files, result_model
from harness_ext.results.published import published_scores
from harness_ext.statistics.bootstrap import N_RESAMPLES, SEED, percentile_interval
from harness_ext.statistics.correlation import ranks
from harness_ext.store.mteb_files import ModelMetaFile

FEWEST = 8
"""The fewest models to correlate over."""

PUBLIC_SCORES = files("harness_ext.results") / "public_scores" / "mteb_main_scores.csv"


class TooFewModelsError(ValueError):
    """Too few models have both scores; the message says how many, and what to do."""


@dataclass(frozen=True)
class Correlation:
    """A rank correlation over models.

    Attributes:
        rho: Spearman's ρ, in [-1, 1]; NaN where a score does not vary.
        low: Lower end of its 95 % interval, by resampling families; NaN where a resample is not defined.
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
    for name, found in own_scores(own).items() if own else ():
        tasks[name] = {**tasks.get(name, {}), **found}
    types = task_types()
    grouped: dict[str, list[str]] = defaultdict(list)
    for name in tasks:
        grouped[types.get(name, name)].append(name)
    of_types = {f"{kind} (mean)": mean_standing([tasks[name] for name in names]) for kind, names in grouped.items()}
    others = tasks if each else of_types
    controls: dict[str, Mapping[str, float]] = {"parameters": parameters(entries), "STS": of_types["STS (mean)"]}
    relations = []
    most = 0
    for ours, scores in our_scores(entries, published=published).items():
        for name, theirs in others.items():
            models = sorted(scores.keys() & theirs.keys())
            most = max(most, len(models))
            if len(models) < FEWEST:
                continue
            is_sts = types.get(name, name).startswith("STS")
            held = [known for control, known in controls.items() if not (control == "STS" and is_sts)]
            known = [model for model in models if all(model in one for one in held)]
            partial = correlation(known, [scores, theirs, *held]) if len(known) >= FEWEST else None
            relations.append(Relation(ours, name, correlation(models, [scores, theirs]), partial))
    if not relations:
        low, high = what_n_shows(FEWEST)
        raise TooFewModelsError(
            f"At most {most} models have both a score of a task and a public one; at least {FEWEST} are needed. Even "
            f"over {FEWEST}, the interval of a correlation of .5 is {low:.2f} to {high:.2f}. Measure more models that "
            "mteb has results of, or add results of your own with --with FOLDER."
        )
    return relations


def our_scores(entries: Iterable[Entry], *, published: bool = False) -> dict[tuple[str, str, str], dict[str, float]]:
    """(Task, data, key) -> model -> main score or gain, the more the better where the score has a better end."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    of_pinned = [entry for entry in entries if UNVERIFIED not in entry.dataset_revision and not entry.is_part]
    for (task, subset, split), same in groupby(of_pinned, key=lambda entry: (entry.task, entry.subset, entry.split)):
        measure = CATALOGUE[task].measure
        here = list(same)
        papers = published_scores(task) if published else {}
        for key in (measure.main, gain_key(measure.main)):
            score = measure.declarations().get(key)
            sign = -1 if score and score[0].direction == "lower" else 1
            printed = {
                place.model: sign * cells[key].value
                for place, cells in papers.items()
                if (place.subset, place.split) == (subset, split) and key in cells and not cells[key].note
            }
            measured = {entry.model: sign * entry.scores[key] for entry in here if key in entry.scores}
            if measured:
                found[task, data_name(subset, split), key] = {**printed, **measured}
    return found


def _rows() -> Iterator[dict[str, str]]:
    with PUBLIC_SCORES.open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def public_scores() -> dict[str, dict[str, float]]:
    """Task of mteb -> model -> main score, as shipped; where a model has several, the last row counts."""
    found: dict[str, dict[str, float]] = {}
    for row in _rows():
        found.setdefault(row["task"], {})[row["model"]] = float(row["main_score"])
    return found


def task_types() -> dict[str, str]:
    """Task of mteb -> its type, such as `STS`."""
    return {row["task"]: row["type"] for row in _rows()}


def own_scores(folder: Path) -> dict[str, dict[str, float]]:
    """Task of mteb -> model -> the mean of the main scores in its result file; files of our tasks are left out.

    Raises:
        FileNotFoundError: There is no such file in the folder; names it.
    """
    found: dict[str, dict[str, float]] = {}
    for file in mteb_files(folder):
        if file.stem in CATALOGUE or file.stem == "model_meta":
            continue
        try:
            content = read_json(file)
            values = [float(one["main_score"]) for split in content["scores"].values() for one in split]
        except (DamagedFileError, KeyError, TypeError, ValueError, AttributeError):
            continue  # another program's file
        if values:
            found.setdefault(file.stem, {})[result_model(file)[0]] = float(np.mean(values))
    if not found:
        raise FileNotFoundError(
            f"{folder}: no results of other tasks in it. Name the --output-folder of "
            "`mteb run -m MODEL -t STSBenchmark`."
        )
    return found


def parameters(entries: Iterable[Entry]) -> dict[str, float]:
    """Model -> the logarithm of its number of parameters, where its metadata has it."""
    found = {}
    for folder, model in {(entry.file.parent, entry.model) for entry in entries}:
        try:
            known = ModelMetaFile.known(read_json(folder / "model_meta.json")).n_parameters
        except DamagedFileError:
            continue
        if known:
            found[model] = float(np.log(known))
    return found


def mean_standing(tasks: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Model -> its mean z-score over the tasks that it has, which are at least half of them."""
    found: dict[str, list[float]] = defaultdict(list)
    for scores in tasks:
        values = np.array([*scores.values()])
        spread = values.std() or 1.0
        for model, value in scores.items():
            found[model].append((value - values.mean()) / spread)
    return {model: float(np.mean(values)) for model, values in found.items() if 2 * len(values) >= len(tasks)}


def family(model: str) -> str:
    """The family of a model: who published it, or itself where its name does not say.

    Examples:
        >>> family("intfloat/e5-base"), family("glove")
        ('intfloat', 'glove')
    """
    return model.partition("/")[0]


def correlation(models: Sequence[str], scores: Sequence[Mapping[str, float]]) -> Correlation:
    """Spearman's ρ of the first two scores, the ranks of the others held fixed, with an interval over families.

    Args:
        models: All have every score.
        scores: Model -> value; two to correlate, and any number of controls.
    """
    values = np.array([[one[model] for model in models] for one in scores])
    names, of_family = np.unique([family(model) for model in models], return_inverse=True)
    drawn = np.random.default_rng(SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), N_RESAMPLES)
    (rho,) = partial_rho(values, np.ones((1, len(models))))
    low, high = percentile_interval(partial_rho(values, drawn[:, of_family].astype(float)), len(names))
    return Correlation(float(rho), low, high, len(models), len(names))


def partial_rho(values: Floats, weights: Floats) -> Floats:
    """Spearman's ρ of the first two rows, the ranks of the others held fixed, each place as often as it weighs.

    Args:
        values: Shape (2 + controls, n).
        weights: How often each place was drawn, shape (resamples, n).

    Returns:
        In [-1, 1], shape (resamples,); NaN where a score does not vary, or follows from the controls.

    Examples:
        >>> partial_rho(np.array([[1.0, 2.0, 3.0], [1.0, 9.0, 4.0]]), np.ones((1, 3))).round(3)
        array([0.5])
    """
    ranked = np.stack([ranks(row, weights) for row in values], axis=1)
    total = weights.sum(axis=1)[:, None, None]
    centred = ranked - (ranked * weights[:, None]).sum(axis=2, keepdims=True) / total
    covariance = np.einsum("rin,rjn,rn->rij", centred, centred, weights) / total
    both, across, held = covariance[:, :2, :2], covariance[:, :2, 2:], covariance[:, 2:, 2:]
    left = both - across @ np.linalg.pinv(held) @ across.swapaxes(1, 2)
    tiny = 1e-9 * both[:, [0, 1], [0, 1]]
    spread = left[:, [0, 1], [0, 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = left[:, 0, 1] / np.sqrt(np.where(spread > tiny, spread, np.nan).prod(axis=1))
    return found


def what_n_shows(n_models: int, rho: float = 0.5) -> tuple[float, float]:
    """The 95 % interval of a correlation over independent models, by Fisher's z.

    Examples:
        >>> [round(end, 2) for n in (20, 50) for end in what_n_shows(n)]
        [0.07, 0.77, 0.26, 0.68]
    """
    middle, half = np.arctanh(rho), 1.959964 / np.sqrt(n_models - 3)
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))
