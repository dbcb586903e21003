"""What lm-eval writes of language models that say what a test tells them to."""

import json

import lm_eval
from datasets import load_dataset
from lm_eval.loggers import EvaluationTracker

from harness_ext.results.load import load_results

from ..tasks.lm_eval.conftest import ScriptedLM, guess, our_tasks

PAIRS = "idiom_minimal_pairs_mini"
TASKS = (PAIRS, "compound_question_mini", "epsilon_surprisal_mini", "polarity_sensitivity_mini")
LIMIT = 150
N_PAIRS = 60
"""The documents of `PAIRS`: fewer than the limit."""


def knows_idioms():
    """A score that has every paraphrase with the compound's own synonym the more probable one."""
    rows = load_dataset("compound_mini", split="naturalistic")
    gold = {row["syn"]["sentence"] for row in rows}

    def score(context, continuation):
        # the frame: without a sentence it has no preference
        if context.startswith("Which of these two sentences"):
            return -60.0
        if continuation.strip() in gold:
            return -1.0
        return guess(context, continuation) - 1

    return score


def guesses_otherwise(context, continuation):
    return guess(f"{context} ", continuation)


def save(
    folder,
    model,
    score,
    tasks=TASKS,
    *,
    samples=True,
    limit=LIMIT,
):
    """What `lm-eval run --output_path … --log_samples` does with a result, by lm-eval's own
    writer.
    """
    result = lm_eval.simple_evaluate(
        ScriptedLM(score),
        tasks=list(tasks),
        task_manager=our_tasks(),
        limit=limit,
        bootstrap_iters=0,
    )
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.log_experiment_args(
        "hf", {"pretrained": model}, None, None, False
    )
    result["config"]["model_args"] = {"pretrained": model}
    samples_of_tasks = result.pop("samples")
    tracker.save_results_aggregated(result, samples_of_tasks)
    if samples:
        for task in tasks:
            tracker.save_results_samples(task, samples_of_tasks[task])
    return result


def result_file(folder, model="knows"):
    (file,) = folder.glob(f"scripted__{model}/results_*.json")
    return file


def samples_file(folder, task=PAIRS, model="knows"):
    (file,) = folder.glob(f"scripted__{model}/samples_{task}_*.jsonl")
    return file


def edited(file, edit):
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


def entry_of(folder, task=PAIRS, model="scripted/knows"):
    (entry,) = load_results(folder, [task], [model]).entries
    return entry
