"""Write mteb's descriptive statistics beside the declarations: python
docs/descriptive_statistics.py [TASK ...].

A split whose files are not at hand is left out; one that stands in for it is in `INSTEAD`.
"""

from __future__ import annotations

import json
import logging
import sys

import mteb

from harness_ext.data.sources import SourceError
from harness_ext.tasks import ENCODER_TASKS

INSTEAD = {
    "naturalistic": "naturalistic_rebuilt",
    "reference": "reference_trained_on_dev",
}
"""Split -> the protocol that needs fewer files."""


def statistics_of(name: str) -> dict[str, object]:
    """The statistics of a task by split; of a split some of whose subsets are not at hand, that of
    the others.
    """
    found: dict[str, object] = {}
    for split in ENCODER_TASKS[name].splits:
        subsets = mteb.get_task(name, eval_splits=[split]).hf_subsets
        there = [subset for subset in subsets if _loads(name, split, subset)]
        if there:
            found |= _calculated(name, split, there)
        missing = [subset for subset in subsets if subset not in there]
        if missing and split in INSTEAD:
            found |= _calculated(name, INSTEAD[split], missing)
    return found


def _loads(name: str, split: str, subset: str) -> bool:
    task = mteb.get_task(name, eval_splits=[split], hf_subsets=[subset])
    try:
        task.load_data()
    except SourceError as error:
        logging.warning("%s, %s, %s: %s", name, split, subset, error)
        return False
    return True


def _calculated(name: str, split: str, subsets: list[str]) -> dict[str, object]:
    task = mteb.get_task(name, eval_splits=[split], hf_subsets=subsets)
    # which mteb asks in place of what was filtered
    asked: dict[str, object] = {"eval_splits": [split]}
    if task.metadata.is_multilingual:
        languages = task.metadata.eval_langs
        asked["eval_langs"] = {subset: languages[subset] for subset in subsets}
    task.metadata = task.metadata.model_copy(update=asked)
    return task.calculate_descriptive_statistics(overwrite_results=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or ENCODER_TASKS:
        statistics = statistics_of(name)  # calculating them writes the last ones alone
        path = mteb.get_task(name).metadata.descriptive_stat_path
        path.write_text(json.dumps(statistics, indent=2) + "\n", encoding="utf-8")
        samples = [f"{split}: {about['num_samples']}" for split, about in statistics.items()]
        print(name, *samples)
