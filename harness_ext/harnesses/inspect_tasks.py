"""The tasks for lm-eval as tasks of Inspect (inspect-ai 0.3): same documents, prompts, continuations and measures.

Inspect finds this module by the entry point `inspect_ai`. Tasks that generate run with any provider. Tasks that need a
log-likelihood of a continuation run with providers that return the log-probabilities of a raw prompt: in Inspect these
are the providers whose names end in `-completions`. Each call asks for the prompt with its continuation, and generates
one token, which is not used.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from harness_ext.data.sources import SourceError
from harness_ext.framework.scores import interval_keys
from harness_ext.language_models.document_measure import MAIN_SCORE, items_of
from harness_ext.names import MEASURED_ROW, lm_eval_tasks
from harness_ext.tasks import TASKS

if TYPE_CHECKING:
    from inspect_ai.model import Logprob

logger = logging.getLogger(__name__)

_GENERATES = "generate_until"
_SCORES_PROMPTS = "-completions"


def _inspect_task(names: Sequence[str]) -> Task:
    """One task of Inspect with the documents of these tasks.

    Raises:
        PrerequisiteError: The provider gives no log-likelihoods, and none of the tasks can do without; names them. Or
            it samples, as `hf` does unless it is told otherwise. Or the data of no task can be had.
    """
    model = str(get_model())
    loaded, reasons = {}, []
    for name in names:
        try:
            loaded[name] = _loaded(name)
        except SourceError as error:
            reasons.append(f"Not measured: {name}. {error}")
            logger.warning(reasons[-1])
    if not loaded:
        raise PrerequisiteError("\n".join(reasons))
    able = model.partition("/")[0].endswith(_SCORES_PROMPTS)
    refused = [name for name, each in loaded.items() if not able and each.OUTPUT_TYPE != _GENERATES]
    if refused:
        message = (
            f"Not measured: {', '.join(refused)}. Log-likelihoods are needed, which {model} does not give. Take a "
            "provider that scores raw prompts: vllm-completions or openai-api-completions."
        )
        if len(refused) == len(loaded):
            raise PrerequisiteError(message)
        logger.warning(message)
    if len(refused) < len(loaded) and getattr(get_model().api, "do_sample", False):
        raise PrerequisiteError(f"{model} samples its answers, so that each run has others. Add -M do_sample=false.")
    samples = [sample for name, each in loaded.items() if name not in refused for sample in _samples(name, each)]
    return Task(dataset=MemoryDataset(samples), solver=answers(), scorer=measured())


@cache
def _loaded(name: str) -> Any:
    """The task of lm-eval, with its documents."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)
    return manager.load([name])["tasks"][name]


def _samples(name: str, loaded: Any) -> list[Sample]:
    documents = list(loaded.eval_docs)
    about = {"task": name, "n_documents": len(documents), "level": loaded.OUTPUT_TYPE, "version": loaded.VERSION}
    samples = []
    for doc in documents:
        context = loaded.fewshot_context(doc, 0)
        instances = loaded.construct_requests(doc, context, metadata=(name, 0, 1))
        requests = [list(each.arguments) for each in (instances if isinstance(instances, list) else [instances])]
        metadata = {**about, "doc": dict(doc), "requests": requests}
        samples.append(Sample(id=f"{name}/{doc['id']}", input=requests[0][0], metadata=metadata))
    return samples


@solver
def answers() -> Solver:
    """Get the answer of each request of a document: its text, or the log-likelihood of its continuation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        requests = state.metadata["requests"]
        if state.metadata["level"] == _GENERATES:
            ((_, options),) = requests
            stop = options.get("until") or None
            state = await generate(state, max_tokens=options["max_gen_toks"], stop_seqs=stop, temperature=0.0)
            state.metadata["answers"] = [state.output.completion]
            return state
        config = GenerateConfig(max_tokens=1, temperature=0.0, prompt_logprobs=1)
        given = []
        for context, continuation in requests:
            state.output = await get_model().generate(context + continuation, config=config)
            scored = state.output.choices[0].prompt_logprobs if state.output.choices else None
            if scored is None:
                raise RuntimeError(
                    f"{state.metadata['task']} needs log-likelihoods, and {get_model()} returned no log-probabilities "
                    "of the prompt. Take a server that does, such as vLLM with vllm-completions."
                )
            given.append([log_likelihood(scored.content, continuation), False])
        state.metadata["answers"] = given
        return state

    return solve


def log_likelihood(tokens: Sequence[Logprob], continuation: str) -> float:
    """The sum of the log-probabilities of the last tokens of a prompt, those that spell the continuation, in nats.

    A token that has the end of the context too counts, as in lm-eval.

    Raises:
        ValueError: The prompt does not end in the continuation; says how it ends.
    """
    end, total = "", 0.0
    for token in reversed(tokens):
        end, total = token.token + end, total + token.logprob
        if len(end) >= len(continuation):
            break
    if not end.endswith(continuation):
        raise ValueError(f"The tokens of the prompt end in {end!r}, {continuation!r} expected.")
    return total


@metric
def main_scores() -> Metric:
    """The main score of each task, over all its documents, with the ends of its interval, by `<task>_<key>`.

    Inspect's own `ci()` is of a mean over documents, and no main score is one; the interval is of resampled units.
    """

    def compute(scores: list[SampleScore]) -> dict[str, Any]:
        rows = defaultdict(list)
        for each in scores:
            about = (each.score.metadata or {})[MEASURED_ROW]
            rows[about["task"]].append(about["row"])
        main: dict[str, Any] = {}
        for name, of_task in rows.items():
            measure = TASKS[name].measure
            defined = {measure.main: math.nan, **measure.flat_scores(items_of(measure, of_task))}
            keys = [key for key in (measure.main, *interval_keys(measure.main)) if key in defined]
            main |= {f"{name}_{key}": defined[key] for key in keys}
        return main

    return compute


@scorer(metrics=[main_scores()])
def measured() -> Scorer:
    """Turn the answers into the row of a document, from which all scores are computed; 1 where it is complete."""

    async def score(state: TaskState, target: Target) -> Score:
        about = state.metadata
        name, doc = about["task"], about["doc"]
        given = [tuple(each) if isinstance(each, list) else each for each in about["answers"]]
        row = list(_loaded(name).row_of(doc, given)[MAIN_SCORE])
        measure = TASKS[name].measure
        place = {
            **{key: about[key] for key in ("task", "n_documents", "level", "version")},
            "dataset": doc["dataset"],
            "measure": f"{measure.name}-{measure.version}",
            "row": row,
        }
        return Score(value=float(None not in row), answer=state.output.completion, metadata={MEASURED_ROW: place})

    return score


def _register(name: str, names: Sequence[str]) -> None:
    """Make a task known to Inspect as `harness_ext/<name>`, which adds the package itself only if it finds it."""

    def named() -> Task:
        return _inspect_task(names)

    package = "" if get_installed_package_name(_inspect_task) else "harness_ext/"
    task(name=f"{package}{name}")(named)


_NAMES = [name for name, row in TASKS.items() if row.harness == "lm-eval"]
_LARGE = [name for name in _NAMES if not TASKS[name].quick]

for _name in _NAMES:
    _register(_name, [_name])
_register("compositionality", _LARGE)
_register("compositionality_mini", [name for name in _NAMES if name not in _LARGE or name == "modifier_entailment"])
