"""Writes results into a model's card for the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.files import whole_file
from harness_ext.framework.gain_keys import gain_key
from harness_ext.leaderboard.submission import of_revision
from harness_ext.names import OWN, UNVERIFIED
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.load import load_results

if TYPE_CHECKING:
    from huggingface_hub import EvalResult


def publish(
    results: Path, model: str, folder: Path, *, revision: str | None = None, tasks: Sequence[str] | None = None
) -> tuple[Path, list[str]]:
    """Write a model's main scores and gains into the front matter of its card.

    Nothing is sent anywhere. An existing `README.md` keeps its text and all other results; results of the same task,
    data and score are replaced.

    Args:
        results: The `--output-folder` of `mteb run`.
        model: The model's name.
        folder: The folder to write; made if missing.
        revision: The model's revision; needed if there are several.
        tasks: Only these tasks; all tasks of this project if None.

    Returns:
        The card, and a message for each result left out.

    Raises:
        FileNotFoundError: There is no result of this model on verified data.
        SubmissionError: There are several revisions, and none is named.
        ValueError: The front matter of the `README.md` in the folder is damaged.
    """
    from huggingface_hub import ModelCard

    loaded = load_results(results, tasks, [model])
    of_mteb = [entry for entry in loaded.entries if not isinstance(entry, LanguageModelEntry)]
    entries = of_revision(of_mteb, results, model, revision)
    left_out = [entry for entry in entries if entry.task.startswith(OWN) or UNVERIFIED in entry.dataset_revision]
    entries = [entry for entry in entries if entry not in left_out]
    if not entries:
        raise FileNotFoundError(
            f"{results}: no result of {model} on the pinned data of an encoder task. Cards show no other results."
        )
    folder.mkdir(parents=True, exist_ok=True)
    path, name = folder / "README.md", entries[0].model
    card: Any = ModelCard(path.read_text(encoding="utf-8") if path.is_file() else f"---\n{{}}\n---\n\n# {name}\n")
    both = [(entry, key) for entry in entries for key in (entry.measure.main, gain_key(entry.measure.main))]
    anew = [_evaluation_result(entry, key) for entry, key in both if key in entry.scores]
    every = [*(card.data.eval_results or []), *anew]  # a later one replaces an earlier one
    card.data.model_name = card.data.model_name or name
    card.data.eval_results = [*{(each.unique_identifier, each.metric_type): each for each in every}.values()]
    with whole_file(path) as partial:
        card.save(partial)
    messages = [f"{entry.file}: {entry.data} is of own or unverified data." for entry in left_out]
    return path, [*loaded.problems, *messages]


def _evaluation_result(entry: Entry, key: str) -> EvalResult:
    """Convert a score of an entry to the Hub's class."""
    from huggingface_hub import EvalResult

    return EvalResult(
        task_type="sentence-similarity",
        task_name=entry.task,
        dataset_type=entry.task,  # the Hub tells results by it: several tasks have one dataset
        dataset_name=entry.about.dataset["path"],
        dataset_config=entry.subset,
        dataset_split=entry.split,
        dataset_revision=entry.dataset_revision,
        metric_type=key,
        metric_name=entry.measure.declarations()[key][0].title,
        metric_value=entry.scores[key],
        metric_args={"interval_95": list(entry.interval(key) or ()), "signature": str(entry.signature)},
    )
