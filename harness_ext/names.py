"""The names of this project's datasets, and the folder of its tasks for lm-eval."""

from __future__ import annotations

from pathlib import Path

import harness_ext

DATASETS = (
    "ncimp",
    "nctti",
    "compound_mini",
    "modifier_phrases",
    "polarity_pairs",
    "sentiment_trees",
    "sts3k",
    "transitive_sentences",
    "sugarcrepe_pp",
    "impli",
    "adjective_inference",
)
"""Every dataset of this project, by the name under which `load_dataset` knows it."""

PINNED = "pinned"
"""As a `revision`: the dataset of this project, whatever folder of its name there is."""


def lm_eval_tasks() -> Path:
    """The folder of the tasks for lm-eval: the argument of `--include_path`."""
    # Not importlib.resources: that imports the package around the folder, and with it mteb.
    folders = (Path(part, "tasks", "lm_eval") for part in harness_ext.__path__)
    return next(folder for folder in folders if folder.is_dir())
