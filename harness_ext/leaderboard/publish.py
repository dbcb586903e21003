"""Writes results into a model's card for the Hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """Write a model's results into its card.

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
    loaded = load_results(results, tasks, [model])
    entries = of_revision(
        [entry for entry in loaded.entries if not isinstance(entry, LanguageModelEntry)], results, model, revision
    )
    left_out = [entry for entry in entries if entry.task.startswith(OWN) or UNVERIFIED in entry.dataset_revision]
    entries = [entry for entry in entries if entry not in left_out]
    if not entries:
        raise FileNotFoundError(
            f"{results}: no result of {model} on the pinned data of an encoder task. Cards show no other results."
        )
    card = folder / "README.md"
    folder.mkdir(parents=True, exist_ok=True)
    write_card(card, entries[0].model, entries)
    messages = [f"{entry.file}: {entry.data} is of own or unverified data." for entry in left_out]
    return card, [*loaded.problems, *messages]


def write_card(path: Path, model: str, entries: Sequence[Entry]) -> None:
    """Write main scores and gains into the front matter of a model card; made if missing."""
    from huggingface_hub import ModelCard

    card: Any = ModelCard(path.read_text(encoding="utf-8") if path.is_file() else f"---\n{{}}\n---\n\n# {model}\n")
    new = {(each.unique_identifier, each.metric_type): each for entry in entries for each in evaluation_results(entry)}
    earlier = card.data.eval_results or []
    kept = [each for each in earlier if (each.unique_identifier, each.metric_type) not in new]
    card.data.model_name = card.data.model_name or model
    card.data.eval_results = [*kept, *new.values()]
    with whole_file(path) as partial:
        card.save(partial)


def evaluation_results(entry: Entry) -> Iterator[EvalResult]:
    """Convert the main score of an entry and its gain to the Hub's class."""
    from huggingface_hub import EvalResult

    declarations = entry.measure.declarations()
    for key in (entry.measure.main, gain_key(entry.measure.main)):
        if key not in entry.scores:
            continue
        interval = entry.interval(key)
        yield EvalResult(
            task_type="sentence-similarity",
            task_name=entry.task,
            dataset_type=entry.task,  # the Hub tells results by it: several tasks have one dataset
            dataset_name=entry.about.dataset["path"],
            dataset_config=entry.subset,
            dataset_split=entry.split,
            dataset_revision=entry.dataset_revision,
            metric_type=key,
            metric_name=declarations[key][0].title,
            metric_value=entry.scores[key],
            metric_args={"interval_95": list(interval or ()), "signature": str(entry.signature)},
        )
