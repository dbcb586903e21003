"""Write the shipped outlines of plans: python docs/outlines.py, with the pinned files at hand
(HARNESS_EXT_MIRROR).

Prints the plans without one: their files are missing here, or are not the pinned ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Any

import numpy as np

from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.outlines import FILE, KINDS, Outline, Planned
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision, load_rows
from harness_ext.tasks.overall import LISTS


def outlines() -> Iterator[tuple[Planned, Outline]]:
    """Yield what is planned, and its outline, of each task, split and subset whose files are the
    pinned ones.
    """
    for name, task in ENCODER_TASKS.items():
        revision = task.dataset["revision"]
        splits = [*task.dataset_splits()]
        for column in chain.from_iterable(LISTS.values()):
            if column.task == name:
                splits += column.splits
        for subset, split in product(task.subsets, dict.fromkeys(splits)):
            try:
                here = data_revision(task, split, subset)
                rows = load_rows(task, split, subset).to_list() if here == revision else []
            except ValueError:  # the subset has no such split
                continue
            except (SourceError, OSError) as error:
                print(f"{name} {split} {subset}: {str(error).splitlines()[0]}")
                continue
            if here != revision:
                print(f"{name} {split} {subset}: at {here}")
                continue
            plan = task.measure.planned(rows, split)
            texts = plan.without_spans()
            digest_of_texts = texts.digest(measured=False)
            plans = {
                "spans": plan,
                "texts": texts,
                "baselines": plan.of_baselines(),
            }
            for kind, items in plans.items():
                differs = items.digest(measured=False) != digest_of_texts
                if kind == "texts" or differs:
                    planned = Planned(name, split, subset, revision, kind)
                    yield planned, Outline.of(items)


if __name__ == "__main__":
    arrays: dict[str, Any] = {}
    for planned, outline in outlines():
        place = "/".join(planned)
        arrays[place] = outline.digest
        for kind in KINDS:
            columns = getattr(outline, kind)
            for column, values in columns.items():
                arrays[f"{place}/{kind}/{column}"] = values
    np.savez_compressed(FILE, **arrays)
