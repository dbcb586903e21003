"""Completes results that were made without own words: encodes the texts again, and the words.

Called before mteb (2.26) looks at what a folder has of a task: mteb knows a result by its main score, and would leave
one without own words as it is.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mteb.models import ModelMeta
from mteb.timing import TimingStack

from harness_ext.store.item_files import DIGEST, WORDS_DIGEST, ItemsError, read_items
from harness_ext.store.result_files import entries
from harness_ext.store.signature import Signature

if TYPE_CHECKING:
    from mteb.cache import ResultCache
    from mteb.models import MTEBModels

    from harness_ext.harnesses.mteb.task import AbsTaskCompositionality

logger = logging.getLogger(__name__)


def complete(
    task: AbsTaskCompositionality,
    model: MTEBModels | ModelMeta,
    meta: ModelMeta,
    cache: ResultCache,
    encode_kwargs: dict[str, Any],
) -> MTEBModels | ModelMeta:
    """Add own words and gain to what the cache has of the task, where there are items without them.

    Args:
        task: Its splits and subsets are looked at, and no others.
        model: Loaded only if there is something to add.
        meta: Whose results they are.
        cache: Where they are.
        encode_kwargs: As `mteb.evaluate` has them.

    Returns:
        The model, loaded if it had to be.
    """
    if not task.measures_own_words:
        return model
    result = cache.load_task_result(task.metadata.name, meta)
    lacking = {
        place: entry
        for place, entry in (entries(result) if result else {}).items()
        if place[0] in task.eval_splits
        and place[1] in task.hf_subsets
        and DIGEST in entry
        and WORDS_DIGEST not in entry
    }
    if not result or not lacking:
        return model
    if isinstance(model, ModelMeta):
        model = model.load_model()
    loaded: Any = model
    path = cache.get_task_result_path(task.metadata.name, meta)
    logger.info("%s: the own words of %s are measured; its other items are there.", task.metadata.name, meta.name)
    task.load_data()
    for (split, subset), entry in lacking.items():
        try:
            items = read_items(path, task.measure.items, (split, subset), entry[DIGEST])
        except ItemsError as error:
            logger.warning("%s. Its own words are not measured.", error)
            continue
        rows = task.rows(split, subset)
        encode = task.encoder(loaded, split, subset, encode_kwargs, TimingStack())
        encode.add_compounds(rows)
        plan = task.measure.planned(rows, split)
        entry |= task.own_words_scores(plan, encode, items)
        signature = replace(Signature.parse(entry["signature"]), measure=task.definition(plan, encode))
        entry["signature"] = str(signature)
    result.to_disk(path)
    return model
