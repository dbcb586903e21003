"""Converts results to the schema of Every Eval Ever (0.3), a collection of evaluations of all kinds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.evaluators.scores import Score, interval_keys
from harness_ext.statistics.bootstrap import N_RESAMPLES

if TYPE_CHECKING:
    from harness_ext.leaderboard.checks.trust import Trust
    from harness_ext.results.entry import Entry

SCHEMA_VERSION = "0.3.0"


def every_eval_ever(
    entries: Iterable[Entry],
    *,
    retrieved: float,
    source: str,
    organization: str,
    metadata: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
    trust: Mapping[Entry, Trust] | None = None,
) -> Iterator[dict[str, Any]]:
    """Convert results: a record per model and revision, with a result per task, subset, split and score.

    Ends of intervals become the uncertainty of their score, not results of their own.

    Args:
        entries: The results.
        retrieved: The time of reading, in seconds since 1970.
        source: The name of the board or the run.
        organization: The owner of the board.
        metadata: (model, revision) -> the content of its `model_meta.json`, if known.
        trust: Entry -> how far it can be trusted, if checked.

    Yields:
        Records, each for a JSON file of its own.
    """
    by_model: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        by_model[entry.model, entry.revision].append(entry)
    for (model, revision), of_model in by_model.items():
        meta = (metadata or {}).get((model, revision), {})
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"compositionality-harness/{model}/{revision}/{retrieved:.0f}",
            "retrieved_timestamp": f"{retrieved:.0f}",
            "source_metadata": {
                "source_name": source,
                "source_type": "evaluation_run",
                "source_organization_name": organization,
                "evaluator_relationship": "other",  # results do not say who submitted them
            },
            "eval_library": {
                "name": "compositionality-harness",
                "version": version("compositionality-harness"),
                "additional_details": _texts({"mteb_version": _one({_of(entry, "mteb") for entry in of_model})}),
            },
            "model_info": _model_info(model, revision, meta, of_model),
            "evaluation_results": [
                result for entry in of_model for result in _results(entry, (trust or {}).get(entry))
            ],
        }


def result_id(entry: Entry, key: str) -> str:
    """Name a score of an entry among the scores of its model."""
    return f"{entry.task}/{entry.subset}/{entry.split}/{key}"


def _model_info(model: str, revision: str, meta: Mapping[str, Any], entries: list[Entry]) -> dict[str, Any]:
    weights = {True: "open_weights", False: "closed_weights"}.get(meta.get("open_weights"), "unknown")  # type: ignore[arg-type]
    developer = {"developer": model.split("/")[0]} if "/" in model else {}
    backend = _one({_of(entry, "backend") for entry in entries})
    return {
        "name": model,
        "id": model,
        **developer,
        **({"inference_engine": {"name": backend}} if backend not in {"", "unknown"} else {}),
        "additional_details": {
            "deployment_type": "self_deployed" if weights == "open_weights" else "unknown",
            "model_availability": weights,
            **_texts({"revision": revision, "dtype": _one({_of(entry, "dtype") for entry in entries})}),
            **_texts({key: meta.get(key) for key in ("n_parameters", "embed_dim", "max_tokens", "license")}),
        },
    }


def _results(entry: Entry, trust: Trust | None) -> Iterator[dict[str, Any]]:
    declarations = entry.measure.declarations()
    ends = {end for key in declarations for end in interval_keys(key)}
    task = ENCODER_TASKS.get(entry.task)
    dataset = entry.signature.dataset.partition("@")[0] if entry.signature else entry.task
    for key, value in entry.scores.items():
        if key in ends:
            continue
        score, _ = declarations[key]
        yield {
            "evaluation_result_id": result_id(entry, key),
            "evaluation_name": entry.task,
            "source_data": {
                "dataset_name": task.dataset["path"] if task else dataset,
                "source_type": "other",
                "additional_details": _texts(
                    {
                        "revision": entry.dataset_revision,
                        "split": entry.split,
                        "subset": entry.subset,
                        "reference": task.about["reference"] if task else None,
                    }
                ),
            },
            "metric_config": _metric_config(entry, key, score),
            "score_details": {
                "score": value,
                "details": _texts({"signature": entry.signature, "items": entry.digest, "trust": trust}),
                **_uncertainty(entry, key),
            },
        }


def _metric_config(entry: Entry, key: str, score: Score) -> dict[str, Any]:
    low, high = (str(end).replace("inf", "Infinity") if math.isinf(end) else end for end in map(float, score.range))
    return {
        "evaluation_description": score.formula,
        "metric_id": f"compositionality_harness.{entry.measure.name}.{key}",
        "metric_name": score.title,
        "lower_is_better": score.direction == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": _texts(
            {
                "is_main_score": "true" if key == entry.measure.main else "false",
                "direction": score.direction,
                "chance": score.chance,
                "ceiling": score.ceiling,
                "source": score.source,
                "measure_version": entry.measure.version,
            }
        ),
    }


def _uncertainty(entry: Entry, key: str) -> dict[str, Any]:
    if (ends := entry.interval(key)) is None:
        return {}
    interval = {"lower": ends[0], "upper": ends[1], "confidence_level": 0.95, "method": "percentile bootstrap"}
    return {"uncertainty": {"confidence_interval": interval, "num_bootstrap_samples": N_RESAMPLES}}


def _of(entry: Entry, part: str) -> str:
    return str(getattr(entry.signature, part)) if entry.signature else ""


def _one(values: set[str]) -> str:
    return ", ".join(sorted(values - {""}))


def _texts(details: Mapping[str, Any]) -> dict[str, str]:
    """Turn details into texts, as the schema demands; unknown details are left out."""
    return {key: str(value) for key, value in details.items() if value not in (None, "")}
