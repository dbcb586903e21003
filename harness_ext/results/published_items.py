"""Published similarities as results with items: models that compare with others pair by pair, and are never run.

STS3k comes with the similarities that 46 models gave to its pairs. Their results have the name `published/<model>`;
models that were fine-tuned on the pairs are marked `(contaminated)`. No board takes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from harness_ext.evaluators.pair_similarity import ROLE_SWAP, PairSimilarityItems
from harness_ext.names import PINNED, PUBLISHED, unknown_name
from harness_ext.store.item_files import DIGEST, keep
from harness_ext.store.signature import Signature

TASK = "RoleSwapSimilarity"
"""The task that has published similarities."""


def published_items() -> Iterator[tuple[str, PairSimilarityItems]]:
    """The name of each published model, as results have it, and its items.

    Raises:
        SourceError: A file is not at hand or is not the pinned one.
        ValueError: A file is not as expected; names file and line.
    """
    from datasets import load_dataset  # not above: reading results needs no datasets

    pairs, models = (load_dataset("sts3k", name, split="test", revision=PINNED) for name in ("pairs", "published"))
    plan = ROLE_SWAP.planned(pairs.to_list(), "test")
    for model in models:
        mark = " (contaminated)" if model["contaminated"] else ""
        similarity = np.array(model["similarities"])
        yield (
            f"{PUBLISHED}{model['model']}{mark}",
            replace(plan, pairs=replace(plan.pairs, similarity=similarity)),
        )


def write_published(folder: Path, model: str | None = None) -> list[Path]:
    """Write a result file with items for each published model, as `mteb run` would.

    Args:
        folder: The `--output-folder` of `mteb run`; results of other models in it stay.
        model: Only this one, such as `published/AMR`.

    Returns:
        The result files.

    Raises:
        UnknownNameError: There is no such model; says which there are.
        SourceError: As `published_items`.
        ValueError: As `published_items`.
    """
    import mteb
    from mteb.results import TaskResult

    from harness_ext.tasks.data import data_revision

    task: Any = mteb.get_task(TASK)
    revision = data_revision(task.declared)
    task.set_revision(revision)
    written = []
    published = dict(published_items())
    if model not in {None, *published}:
        raise unknown_name("published model", str(model), published)
    for name, items in published.items() if model is None else [(model, published[model])]:
        about = ("similarity", "", "float64", "published", mteb.__version__, "")
        signature = Signature(
            TASK, f"sts3k@{revision}", "test", "default", f"{ROLE_SWAP.name}-{ROLE_SWAP.version}", name, "1", *about
        )
        scores = {**ROLE_SWAP.flat_scores(items), "signature": str(signature), DIGEST: keep(items)}
        scores["main_score"] = scores[ROLE_SWAP.main]
        file = folder / "results" / name.replace("/", "__").replace(" ", "_") / "1" / f"{TASK}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        TaskResult.from_task_results(task, {"test": {"default": scores}}, evaluation_time=0.0).to_disk(file)
        meta = {"name": name, "revision": "1"}
        file.with_name("model_meta.json").write_text(json.dumps(meta), encoding="utf-8")
        written.append(file)
    return written
