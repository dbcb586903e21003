"""The tasks for lm-eval in Inspect: the same rows as lm-eval's, refusals by name, logs that are read as results."""

from __future__ import annotations

import pytest

pytest.importorskip("inspect_ai", reason="Inspect is not installed")

from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)

from harness_ext.harnesses.inspect_tasks import log_likelihood
from harness_ext.results.compare import compare
from harness_ext.results.load import load_results
from harness_ext.show.result_tables import summary
from harness_ext.tasks import TASKS

from ..tasks.lm_eval.conftest import ScriptedLM, guess, our_tasks

QUESTIONS = "compound_question_mini"
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)


def words(text):
    """Parts that spell a text, each with the blank before it."""
    parts = text.split(" ")
    return [parts[0], *(f" {part}" for part in parts[1:])]


class Planted(ModelAPI):
    """Gives every word of a prompt a log-probability that follows from it and its length."""

    shift = 0

    async def generate(self, input, tools, tool_choice, config):  # noqa: A002
        content = Logprobs(content=[Logprob(token=word, logprob=self.of(word)) for word in words(input[-1].text)])
        choice = ChatCompletionChoice(
            message=ChatMessageAssistant(content="."), prompt_logprobs=content if config.prompt_logprobs else None
        )
        return ModelOutput(model="planted", choices=[choice], usage=USAGE)

    def of(self, word):
        return guess(str(self.shift), word)


@modelapi(name="planted-completions")
def planted():
    return Planted


@modelapi(name="other-completions")
def other():
    return type("Other", (Planted,), {"shift": 1})


def by_planted_words(context, continuation):
    return sum(guess("0", word) for word in words(continuation)[1:])


def test_log_likelihood_is_that_of_the_tokens_that_spell_the_continuation():
    tokens = [
        Logprob(token=token, logprob=value) for token, value in [("A", -1), (" bl", -2), ("ack", -4), (" box", -8)]
    ]
    assert log_likelihood(tokens, " black box") == -14
    assert log_likelihood(tokens, "ack box") == -12
    assert log_likelihood(tokens, "lack box") == -14  # a token across the border counts, as in lm-eval
    with pytest.raises(ValueError, match=r"end in 'A black box', 'a white box' expected"):
        log_likelihood(tokens, "a white box")


@pytest.mark.slow
def test_items_are_those_of_lm_eval_and_models_are_compared(tmp_path):
    import lm_eval

    for model in ("planted-completions/one", "other-completions/two"):
        (log,) = inspect_eval(f"harness_ext/{QUESTIONS}", model=model, log_dir=str(tmp_path), display="none", limit=100)
        assert log.status == "success", log.error
    result = lm_eval.simple_evaluate(
        ScriptedLM(by_planted_words), tasks=[QUESTIONS], task_manager=our_tasks(), bootstrap_iters=0, limit=100
    )
    results = load_results(tmp_path)
    assert not results.problems
    two, one = results.entries
    assert (one.task, one.model, one.split) == (QUESTIONS, "planted-completions/one", "test[:100]")
    values = result["results"][QUESTIONS]
    for key, value in one.scores.items():
        assert value == pytest.approx(values[f"{key},none"], abs=1e-9), key
    assert one.main_score == one.scores["cloze_accuracy_NC"]
    key = f"{QUESTIONS}_cloze_accuracy_NC"
    metrics = [log.results.scores[0].metrics[f"{key}{end}"].value for end in ("", "_ci_low", "_ci_high")]
    assert metrics == pytest.approx([two.main_score, *two.interval()])
    (compared,) = compare(results.entries)
    assert {compared.first, compared.second} == {one, two}
    assert any(QUESTIONS in cell for listing in summary(results.entries) for row in listing.rows for cell in row)


@pytest.mark.slow
def test_a_provider_without_log_likelihoods_is_refused_by_name(run, entry_point):
    done = run(
        *("inspect", "eval", f"harness_ext/{QUESTIONS}", "--model", "mockllm/model", "--display", "plain"),
        check=False, PYTHONPATH=entry_point,
    )  # fmt: skip
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode
    assert f"Not measured: {QUESTIONS}. Log-likelihoods are needed, which mockllm/model does not give." in said


@pytest.mark.slow
def test_a_server_that_returns_no_log_probabilities_is_an_error_by_name(tmp_path):
    @modelapi(name="silent-completions")
    def silent():
        return type("Silent", (Planted,), {"generate": without})

    async def without(self, input, tools, tool_choice, config):  # noqa: A002
        return ModelOutput.from_content("silent", ".", stop_reason="stop").model_copy(update={"usage": USAGE})

    (log,) = inspect_eval(
        f"harness_ext/{QUESTIONS}", model="silent-completions/x", log_dir=str(tmp_path), display="none", limit=2
    )
    assert log.status == "error"
    assert f"{QUESTIONS} needs log-likelihoods, and silent-completions/x returned no" in log.error.message
    (problem,) = load_results(tmp_path).problems  # also where no document was answered
    assert "the run is not complete (error). Complete it: inspect eval-retry" in problem


@pytest.mark.slow
@pytest.mark.real_data
def test_generated_ratings_by_mockllm(unverified_mirror, tmp_path):
    def four(*_):
        return ModelOutput.from_content("mockllm", " 4, I think").model_copy(update={"usage": USAGE})

    def literal(messages, *_):
        return ModelOutput.from_content("mockllm", str(len(messages[-1].text) % 6)).model_copy(update={"usage": USAGE})

    for answer in (literal, four):
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        (log,) = inspect_eval("harness_ext/compositionality", model=model, log_dir=str(tmp_path / answer.__name__),
                              display="none")  # fmt: skip
        assert log.status == "success", log.error
        assert {sample.metadata["task"] for sample in log.samples} == {"compound_rating_en", "compound_rating_pt"}
    english, portuguese = load_results(tmp_path / "literal").entries
    assert (english.task, portuguese.task) == ("compound_rating_en", "compound_rating_pt")
    assert -1 <= english.main_score <= 1
    constant = load_results(tmp_path / "four")  # all ratings the same: a correlation is not defined
    assert not constant.entries
    assert "compound_rating_en has no main score" in constant.problems[0]


def test_damaged_logs_are_named(tmp_path):
    file = tmp_path / "2026-01-01T00-00-00_x.eval"
    file.write_bytes(b"no log")
    (problem,) = load_results(tmp_path).problems
    assert problem.startswith(f"{file} is no sound log of Inspect")


def test_every_task_is_known_to_inspect():
    from inspect_ai._util.registry import registry_lookup

    names = [name for name, row in TASKS.items() if row.harness == "lm-eval"]
    for name in (*names, "compositionality", "compositionality_mini"):
        assert registry_lookup("task", f"harness_ext/{name}") is not None


@pytest.fixture
def entry_point(tmp_path):
    """What an installation writes of the entry point of this checkout, for environments that were made before it."""
    import os
    from pathlib import Path

    root = Path(__file__).parents[2]
    about = tmp_path / "installed" / "compositionality_harness-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: compositionality-harness\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text("[inspect_ai]\nharness_ext = harness_ext.harnesses.inspect_tasks\n")
    return os.pathsep.join([str(about.parent), str(root)])
