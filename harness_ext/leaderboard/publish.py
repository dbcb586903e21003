"""Writes results into a model's card for the Hub, and as records of Every Eval Ever with every unit."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.files import whole_file
from harness_ext.leaderboard.every_eval_ever import SCHEMA_VERSION, every_eval_ever, result_id
from harness_ext.leaderboard.model_facts import model_metadata
from harness_ext.leaderboard.submission import of_revision
from harness_ext.names import UNVERIFIED
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.load import load_results
from harness_ext.show.views import view_of

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

SOURCE = "compositionality-harness"


def publish(
    results: Path, model: str, folder: Path, *, revision: str | None = None, tasks: Sequence[str] | None = None
) -> tuple[list[Path], list[str]]:
    """Write a model's results into its card, and as records of Every Eval Ever.

    Nothing is sent anywhere. An existing `README.md` keeps its text and all other results; results of the same task,
    data and score are replaced.

    Args:
        results: The `--output-folder` of `mteb run`.
        model: The model's name.
        folder: The folder to write; made if missing.
        revision: The model's revision; needed if there are several.
        tasks: Only these tasks; all tasks of this project if None.

    Returns:
        The files written, and a message for each result left out.

    Raises:
        FileNotFoundError: There is no result of this model on verified data.
        SubmissionError: There are several revisions, and none is named.
        ValueError: The front matter of the `README.md` in the folder is damaged.
    """
    found = load_results(results, tasks, [model])
    entries = of_revision(
        [one for one in found.entries if not isinstance(one, LanguageModelEntry)], results, model, revision
    )
    left_out = [one for one in entries if UNVERIFIED in one.dataset_revision]
    entries = [one for one in entries if one not in left_out]
    if not entries:
        raise FileNotFoundError(
            f"{results}: no result of {model} on the pinned data of an encoder task. Cards show no other results."
        )
    card = folder / "README.md"
    folder.mkdir(parents=True, exist_ok=True)
    write_card(card, model, entries)
    messages = [f"{one.file}: {one.data} is of unverified data." for one in left_out]
    return [card, *write_records(folder, entries)], [*found.problems, *messages]


def write_card(path: Path, model: str, entries: Sequence[Entry]) -> None:
    """Write main scores and gains into the front matter of a model card; made if missing."""
    from huggingface_hub import ModelCard

    card: Any = ModelCard(path.read_text(encoding="utf-8") if path.is_file() else f"---\n{{}}\n---\n\n# {model}\n")
    new = [one for entry in entries for one in evaluation_results(entry)]
    replaced = {(one.unique_identifier, one.metric_type) for one in new}
    others = [one for one in card.data.eval_results or () if (one.unique_identifier, one.metric_type) not in replaced]
    card.data.model_name = card.data.model_name or model
    card.data.eval_results = [*others, *new]
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
            dataset_name=ENCODER_TASKS[entry.task].dataset["path"],
            dataset_config=entry.subset,
            dataset_split=entry.split,
            dataset_revision=entry.dataset_revision,
            metric_type=key,
            metric_name=declarations[key][0].title,
            metric_value=entry.scores[key],
            metric_args={"interval_95": list(interval or ()), "signature": str(entry.signature)},
        )


def write_records(folder: Path, entries: Sequence[Entry]) -> list[Path]:
    """Write a record of Every Eval Ever, and a file with a record per unit, below `data/` as in its repository."""
    first = entries[0]
    metadata = {(first.model, first.revision): model_metadata(first.file.parent)}
    (record,) = every_eval_ever(entries, retrieved=time.time(), source=SOURCE, organization=SOURCE, metadata=metadata)
    samples = [sample for entry in entries if entry.digest for sample in instance_records(entry, record)]
    text = "".join(json.dumps(sample, ensure_ascii=False, allow_nan=False) + "\n" for sample in samples)
    checksum = hashlib.sha256(text.encode())
    name = uuid.UUID(bytes=checksum.digest()[:16], version=4)
    developer, _, short = first.model.rpartition("/")
    home = folder / "data" / SOURCE / (developer or "unknown").replace("/", "_") / short
    home.mkdir(parents=True, exist_ok=True)
    beside = home / f"{name}_samples.jsonl"
    written = [home / f"{name}.json"]
    if samples:
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": beside.relative_to(folder).as_posix(),
            "hash_algorithm": "sha256",
            "checksum": checksum.hexdigest(),
            "total_rows": len(samples),
        }
        with whole_file(beside) as partial:
            partial.write_text(text, encoding="utf-8")
        written.append(beside)
    with whole_file(written[0]) as partial:
        partial.write_text(json.dumps(record, ensure_ascii=False, allow_nan=False, default=str), encoding="utf-8")
    return written


def instance_records(entry: Entry, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Make a record per unit of an entry that can be right or wrong.

    Args:
        entry: An entry with items.
        record: The record of the model's results.
    """
    view = view_of(entry.measure, entry.items())
    if view is None:
        return
    (unit, names), *facts = view.units.facts.items()
    (figure, values), *_ = view.units.figures.items()
    rows = zip(names.tolist(), values.tolist(), view.wrong.tolist(), strict=True)
    for number, (name, value, wrong) in enumerate(rows):
        if np.isnan(wrong) or np.isnan(value):
            continue
        said = f"{value:.6g}"
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": record["evaluation_id"],
            "model_id": entry.model,
            "evaluation_name": entry.task,
            "evaluation_result_id": result_id(entry, entry.measure.main),
            "sample_id": f"{entry.subset}/{entry.split}/{name}",
            "interaction_type": "single_turn",
            "input": {"raw": str(name), "reference": [right] if (right := entry.measure.wording.right) else []},
            "output": {"raw": [said]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": said,
                    "extraction_method": figure,
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": value, "is_correct": wrong <= view.tolerated},
            "metadata": {
                "unit": unit,
                **{column: str(those[number]) for column, those in facts},
                "distance_from_right": f"{wrong:.6g}",
            },
        }
