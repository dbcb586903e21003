"""What lm-eval writes is read beside what mteb writes: its scores as they are, its samples as items, damage by name."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace

import lm_eval
import numpy as np
import pytest
from datasets import load_dataset
from lm_eval.loggers import EvaluationTracker

from harness_ext.catalogue.every_row import CATALOGUE, LANGUAGE_MODEL_MEASURES
from harness_ext.documentation.explain import explain
from harness_ext.language_models.answer_distribution import OPTIONS, AnswerDocuments, AnswerItems
from harness_ext.language_models.figurative import FIGURATIVE, FigurativeDocuments, FigurativeItems
from harness_ext.language_models.rating import RatingDocuments, RatingItems
from harness_ext.results.compare import ComparisonError, compare
from harness_ext.results.load import load_results
from harness_ext.show.comparison_tables import pairs
from harness_ext.show.figures import _FIGURES, figures_of
from harness_ext.show.report.language_model_views import LANGUAGE_MODEL_VIEWS
from harness_ext.show.report.wording import WORDINGS
from harness_ext.show.result_tables import summary
from harness_ext.store.item_files import ItemsError

from ..tasks.lm_eval.conftest import ScriptedLM, guess, our_tasks

PAIRS = "idiom_minimal_pairs_mini"
TASKS = (PAIRS, "compound_question_mini", "modifier_entailment", "polarity_sensitivity_mini", "epsilon_surprisal_mini")
LIMIT = 150
N_PAIRS = 60
"""The documents of `PAIRS`: fewer than the limit."""


def knows_idioms():
    """A score that has every paraphrase with the compound's own synonym the more probable one."""
    gold = {row["syn"]["sentence"] for row in load_dataset("compound_mini", split="naturalistic")}

    def score(context, continuation):
        if context.startswith("Which of these two sentences"):  # the frame: without a sentence it has no preference
            return -60.0
        return -1.0 if continuation.strip() in gold else guess(context, continuation) - 1

    return score


def guesses_otherwise(context, continuation):
    return guess(f"{context} ", continuation)


def save(folder, model, score, tasks=TASKS, *, samples=True, limit=LIMIT):
    """What `lm-eval run --output_path … --log_samples` does with a result, by lm-eval's own writer."""
    result = lm_eval.simple_evaluate(
        ScriptedLM(score), tasks=list(tasks), task_manager=our_tasks(), limit=limit, bootstrap_iters=0
    )
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.log_experiment_args("hf", {"pretrained": model}, None, None, False)
    result["config"]["model_args"] = {"pretrained": model}
    of_task = result.pop("samples")
    tracker.save_results_aggregated(result, of_task)
    for task in tasks if samples else ():
        tracker.save_results_samples(task, of_task[task])
    return result


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two language models on all that needs no network, and what lm-eval returned of the first."""
    folder = tmp_path_factory.mktemp("output")
    returned = save(folder, "scripted/knows", knows_idioms())
    save(folder, "scripted/guesses", guesses_otherwise)
    return folder, returned


@pytest.fixture
def output(measured, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(measured[0], tmp_path / "output")


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


def test_scores_are_what_lm_eval_returned(measured):
    folder, returned = measured
    results = load_results(folder)
    assert results.problems == ()
    assert [entry.task for entry in results.entries if entry.model == "scripted/knows"] == list(TASKS)
    for task in TASKS:
        entry = entry_of(folder, task)
        expected = {key.removesuffix(",none"): value for key, value in returned["results"][task].items()}
        assert entry.main_score == expected["main_score"] == expected[entry.measure.main]
        for key in entry.measure.declarations():
            if np.isnan(expected.get(key, np.nan)):  # as what a limit leaves nothing of
                assert key not in entry.scores
            else:
                assert entry.scores[key] == expected[key]


@pytest.mark.parametrize("task", TASKS)
def test_all_scores_can_be_computed_again_from_the_samples(measured, task):
    entry = entry_of(measured[0], task)
    assert entry.measure.flat_scores(entry.items()) == pytest.approx(dict(entry.scores), abs=1e-12)


def test_what_an_entry_says_of_itself(measured):
    entry = entry_of(measured[0])
    assert (entry.model, entry.revision, entry.subset, entry.split) == (
        "scripted/knows",
        "no_revision_available",
        "default",
        "test",
    )
    documents = entry.items().documents
    n = len(set(documents.compound[documents.class_ == "NC"]))
    z2 = 3.841459  # Wilson's interval of n of n, with the correction for continuity
    low = 1 - (z2 + 1 + np.sqrt(z2 * (z2 + 2 - 1 / n))) / (2 * (n + z2))
    assert entry.interval() == (pytest.approx(low, abs=1e-5), 1.0)
    assert entry.signature is not None
    assert entry.signature.dataset == "compound_mini/default"
    assert entry.signature.measure == "minimal_pairs-2"
    assert entry.signature.task == f"{PAIRS}-2"


def test_a_model_that_knows_idioms_is_better_than_one_that_guesses(measured):
    entries = load_results(measured[0], [PAIRS]).entries
    (found,) = compare(entries)
    assert (found.first.model, found.first_score, found.second.model) == ("scripted/guesses", pytest.approx(
        found.first.main_score), "scripted/knows")  # fmt: skip
    assert found.second_score == 1
    assert found.is_significant
    assert found.n_units == len(set(entries[0].items().documents.compound[entries[0].items().documents.class_ == "NC"]))
    assert "scripted/knows is better than scripted/guesses" in pairs([found]).note


def test_a_language_model_and_an_encoder_stand_in_one_table(output, write_result, tmp_path):
    write_result("EpsilonCompositionality", "some/encoder", 0.7, interval=(0.6, 0.8))
    what, scores, *_ = summary(load_results(tmp_path).entries)
    assert [row[1] for row in what.rows] == ["EpsilonCompositionality", *TASKS]
    assert {row[0] for row in scores.rows} == {"some/encoder", "scripted/knows", "scripted/guesses"}
    row = next(row for row in what.rows if row[1] == "modifier_entailment")
    assert row[2:6] == (f"test[:{LIMIT}]", "balanced_accuracy", "↑", ".333")


def test_without_samples_there_are_scores_but_no_items(output):
    for file in output.rglob("samples_*"):
        file.unlink()
    entry = entry_of(output)
    assert entry.main_score == 1
    with pytest.raises(ItemsError) as error:
        compare(load_results(output, [PAIRS]).entries)
    assert "made without --log_samples" in str(error.value)
    assert (
        f"lm-eval run --tasks {PAIRS} --model hf --model_args pretrained=scripted/guesses --limit {LIMIT} "
        f"--output_path {output} --log_samples"
    ) in str(error.value)


def in_result(**changes):
    return lambda content: content["results"][PAIRS].update({f"{key},none": value for key, value in changes.items()})


DAMAGES = {
    "a main score that is a text": in_result(main_score="high"),
    "a main score that is null": in_result(main_score=None),
    "a main score that is true": in_result(main_score=True),
    "a main score above its range": in_result(main_score=7.0, accuracy_NC=7.0),
    "a main score that is not the score it is": in_result(main_score=0.5),
    "a main score that is not defined": in_result(main_score=float("nan")),
    "another score that is a list": in_result(accuracy_C=[1]),
    "another score that is infinite": in_result(affinity_lm_C=float("inf")),
    "no scores of the task": lambda content: content["results"].pop(PAIRS),
    "scores that are a list": lambda content: content["results"].update({PAIRS: []}),
    "no number of documents": lambda content: content["n-samples"].pop(PAIRS),
    "a number of documents that is a text": lambda content: content["n-samples"].update({PAIRS: {"effective": "3"}}),
}
"""How the JSON of a task can be wrong."""

WHOLE = {
    "no name of the model": lambda content: content.pop("model_name"),
    "no settings": lambda content: content.pop("config"),
    "no scores at all": lambda content: content.pop("results"),
    "configs that are a list": lambda content: content.update(configs=[]),
}
"""How it can be wrong for all tasks."""

BYTES = {
    "an empty file": lambda whole: b"",
    "half a file": lambda whole: whole[: len(whole) // 2],
    "a file in another encoding": lambda whole: whole.decode().encode("utf-16"),
    "a list": lambda whole: b"[]",
    "a hundred thousand brackets": lambda whole: b"[" * 100_000,
}
"""How its bytes can be wrong."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_task_is_named_and_the_rest_is_read(output, damage):
    file = result_file(output)
    edited(file, DAMAGES[damage])
    results = load_results(output)
    (problem,) = results.problems
    assert str(file) in problem
    assert {(entry.task, entry.model) for entry in results.entries} == {
        (task, f"scripted/{model}") for task in TASKS for model in ("knows", "guesses")
    } - {(PAIRS, "scripted/knows")}


@pytest.mark.parametrize("damage", [*WHOLE, *BYTES])
def test_a_damaged_file_is_named_and_the_others_are_read(output, damage):
    file = result_file(output)
    if damage in WHOLE:
        edited(file, WHOLE[damage])
    else:
        file.write_bytes(BYTES[damage](file.read_bytes()))
    results = load_results(output)
    assert results.problems
    assert all(str(file) in problem and "\n" not in problem for problem in results.problems)
    assert {entry.model for entry in results.entries} == {"scripted/guesses"}


def other_row(change):
    def damage(lines):
        sample = json.loads(lines[0])
        return [json.dumps({**sample, "main_score": change(sample["main_score"])}), *lines[1:]]

    return damage


SAMPLES = {
    "a line that is cut": (lambda lines: [lines[0], lines[1][:40], *lines[2:]], "line 2"),
    "a last line that is not there": (lambda lines: lines[:-1], f"has {N_PAIRS - 1} samples, {N_PAIRS} expected"),
    "lines that are there twice": (lambda lines: lines * 2, f"has {2 * N_PAIRS} samples"),
    "no lines": (lambda lines: [], "has 0 samples"),
    "a line that is a number": (lambda lines: ["3", *lines[1:]], "line 1"),
    "a row that is a text": (other_row(lambda row: "as main_score"), "line 1"),
    "a row that is too short": (other_row(lambda row: row[:-1]), "main_score is not in every line id, compound"),
    "a text in the place of a number": (other_row(lambda row: [*row[:6], "?", *row[7:]]), "main_score is not in every"),
    "nothing in the place of a count": (other_row(lambda row: [*row[:-1], None]), "main_score is not in every line"),
}


@pytest.mark.parametrize("damage", SAMPLES)
def test_damaged_samples_are_named(output, damage):
    change, message = SAMPLES[damage]
    file = samples_file(output)
    file.write_text("\n".join(change(file.read_text().splitlines())))
    entry = entry_of(output)
    assert entry.main_score == 1
    with pytest.raises(ItemsError, match="samples_") as error:
        entry.items()
    assert str(file) in str(error.value)
    assert message in str(error.value)


def test_samples_of_another_run_are_not_taken_for_those_of_the_scores(output):
    shutil.copy(samples_file(output, model="guesses"), samples_file(output))
    with pytest.raises(ItemsError, match=r"samples_.* gives accuracy_NC 0\.\d+, results_.*\.json has 1: one of"):
        entry_of(output).items()


def test_the_last_run_counts_and_one_on_other_data_is_another_result(output):
    file = result_file(output)
    content = json.loads(file.read_text())
    content["results"] = {PAIRS: {**content["results"][PAIRS], "main_score,none": 0.25, "accuracy_NC,none": 0.25}}
    content["configs"] = {PAIRS: content["configs"][PAIRS]}
    file.with_name("results_2000-01-01T00-00-00.json").write_text(json.dumps(content))
    assert entry_of(output).main_score == 1
    file.with_name("results_2999-01-01T00-00-00.5.json").write_text(json.dumps(content))
    assert entry_of(output).main_score == 0.25
    content["n-samples"][PAIRS]["effective"] = 48
    file.with_name("results_2999-01-01T00-00-00.6.json").write_text(json.dumps(content))
    found = load_results(output, [PAIRS], ["scripted/knows"]).entries
    assert [entry.split for entry in found] == ["test", "test[:48]"]


def test_what_was_set_otherwise_is_part_of_the_name(output):
    def few_shots(content):
        content["n-shot"][PAIRS] = 4
        content["chat_template"] = "{{ messages }}"
        content["config"]["model_args"] = {"pretrained": "scripted/knows", "dtype": "bfloat16", "revision": "abc"}
        content["config"]["model_sha"] = "abc123"

    edited(result_file(output), few_shots)
    name = "scripted/knows [dtype=bfloat16, num_fewshot=4, chat template]"
    entry = entry_of(output, model=name)
    assert entry.revision == "abc123"
    assert "--num_fewshot 4 --apply_chat_template" in entry.command


def test_model_arguments_as_an_earlier_lm_eval_writes_them(output):
    def as_text(content):
        content["config"]["model_args"] = "pretrained=scripted/knows,dtype=float16"

    edited(result_file(output), as_text)
    entry = entry_of(output, model="scripted/knows [dtype=float16]")
    assert "--model_args pretrained=scripted/knows,dtype=float16" in entry.command


def test_other_documents_cannot_be_compared(output):
    file = samples_file(output)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[0]["main_score"][0] += "-another"
    file.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(ComparisonError, match=rf"not of the same documents of {PAIRS}"):
        compare(load_results(output, [PAIRS]).entries)


def test_results_of_other_tasks_are_none_of_our_business(output):
    def other(content):
        for part in ("results", "configs", "n-samples"):
            content[part] = {"hellaswag": content[part][PAIRS]}
        content["configs"]["hellaswag"]["metric_list"] = [{"metric": "acc", "aggregation": "mean"}]

    edited(result_file(output), other)
    results = load_results(output)
    assert results.problems == ()
    assert {entry.model for entry in results.entries} == {"scripted/guesses"}


def test_the_tasks_are_those_that_lm_eval_finds():
    assert {name for name, row in CATALOGUE.items() if row.harness == "lm-eval"} == {*our_tasks().all_subtasks}


def test_there_is_nothing_of_a_task(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"lm-eval run --tasks {PAIRS} --model hf .* --log_samples"):
        load_results(tmp_path, [PAIRS])


def test_every_measure_has_all_that_a_report_needs():
    assert LANGUAGE_MODEL_MEASURES.keys() == LANGUAGE_MODEL_VIEWS.keys()
    assert LANGUAGE_MODEL_MEASURES.keys() <= WORDINGS.keys()
    assert LANGUAGE_MODEL_MEASURES.keys() <= _FIGURES.keys()


@pytest.mark.parametrize("task", TASKS)
def test_figures_show_each_score_of_every_model(measured, task):
    (figure,) = figures_of(load_results(measured[0], [task]).entries)
    values = figure.chart.to_dict()["datasets"].popitem()[1] if "datasets" in figure.chart.to_dict() else None
    values = values or figure.chart.to_dict()["data"]["values"]
    for model in ("knows", "guesses"):
        entry = entry_of(measured[0], task, f"scripted/{model}")
        shown = {row["score"]: row for row in values if row["model"] == model}
        assert shown[entry.measure.main]["value"] == pytest.approx(entry.main_score, rel=1e-3)
        interval = shown[entry.measure.main]["low"], shown[entry.measure.main]["high"]
        if entry.interval() is None:  # with so few nouns, a resample may have none of a group
            assert (task, interval) == ("modifier_entailment", (None, None))
        else:
            assert interval == pytest.approx(entry.interval(), rel=1e-3)


def view_of(folder, task, model="scripted/knows"):
    entry = entry_of(folder, task, model)
    return entry, LANGUAGE_MODEL_VIEWS[entry.measure.name](entry.items())


def test_the_view_of_paraphrases(measured):
    _, view = view_of(measured[0], PAIRS)
    idioms = view.units.facts["class"] == "NC"
    assert (view.units.figures["accuracy"] == 1).all()
    assert (view.wrong[idioms] < 0).all()
    assert np.isnan(view.wrong[~idioms]).all()
    rows = {row["id"] for row in load_dataset("compound_mini", split="naturalistic")}
    assert set(view.comparisons.facts["row"]) <= rows
    assert len(view.comparisons.facts["row"]) == N_PAIRS


@pytest.mark.parametrize(
    ("task", "figure"),
    [("modifier_entailment", "right"), ("polarity_sensitivity_mini", "both right")],
)
def test_units_average_to_the_score(measured, task, figure):
    entry, view = view_of(measured[0], task)
    means = view.units.figures[figure]
    if task == "modifier_entailment":
        documents = entry.items().documents
        right = documents.right()
        assert means.mean() == pytest.approx(np.mean([
            right[(documents.adjective == phrase.split()[0]) & (documents.noun == phrase.split()[1])].mean()
            for phrase in view.units.facts["phrase"]
        ]))  # fmt: skip
        assert (np.sign(-view.wrong)[means == 1] >= 0).all()
    else:
        assert means.mean() == pytest.approx(entry.main_score)
        assert ((view.wrong < 0) == (means == 1)).all()


def test_the_views_of_questions_and_surprisal(measured):
    entry, view = view_of(measured[0], "compound_question_mini")
    idioms = view.units.facts["class"] == "NC"
    assert np.nanmean(view.units.figures["right, cloze"][idioms]) == pytest.approx(entry.main_score)
    assert np.nanmean(view.units.figures["literal, letter"][idioms]) == pytest.approx(entry.scores["letter_literal_NC"])
    entry, view = view_of(measured[0], "epsilon_surprisal_mini")
    idioms = view.units.facts["class"] == "NC"
    assert np.nanmean(view.units.figures["rank share"][idioms]) == pytest.approx(entry.scores["rank_share_NC"])


def test_the_view_of_ratings():
    names = np.array([hashlib.md5(bytes([number])).hexdigest() for number in range(6)])
    people, zeros = np.arange(6.0), np.zeros(6, int)
    upside_down = RatingDocuments(names, names, np.full(6, "NC"), people[::-1].copy(), people, zeros, people, zeros)
    view = LANGUAGE_MODEL_VIEWS["rating"](RatingItems(upside_down))
    by_name = dict(zip(view.units.facts["compound"].tolist(), view.wrong.tolist(), strict=True))
    assert by_name[names[0]] == by_name[names[5]] == 1
    assert by_name[names[2]] == pytest.approx(0.2)
    same = RatingDocuments(names, names, np.full(6, "NC"), people, people, zeros, people, zeros)
    assert (LANGUAGE_MODEL_VIEWS["rating"](RatingItems(same)).wrong == 0).all()


def test_every_key_is_explained_with_its_tasks():
    assert explain("pss").startswith("pss  (polarity_sensitivity_mini, polarity_sensitivity_reference)\n")
    assert "chance: 0.25" in explain("main_score", "compound_question_mini")


def columns_of(table, **given):
    """A table with these columns, and the same neutral value in every row of the others."""
    neutral = {str: "", float: 0.0, int: 1}
    n = len(next(iter(given.values())))
    others = {field: [neutral[dtype]] * n for field, dtype, _ in table.columns().values()}
    return table(**{**others, **given})


def test_the_view_of_figurative_entailment():
    """Leans by hand: 2 and −1 of the first sentence, 0 and 3 of the second."""
    documents = columns_of(
        FigurativeDocuments,
        triple=["one", "one", "two", "two"],
        set=["idioms"] * 4,
        side=["entailed", "not_entailed"] * 2,
        yes=[-1.0, -4.0, -2.0, -1.0],
        no=[-3.0, -3.0, -2.0, -4.0],
    )
    items = FigurativeItems(documents)
    view = LANGUAGE_MODEL_VIEWS["figurative_entailment"](items)
    assert view.units.facts["triple"].tolist() == ["one", "two"]
    assert view.units.facts["set"].tolist() == ["idioms", "idioms"]
    assert view.units.figures["margin"].tolist() == [3, -3]
    assert view.wrong.tolist() == [-3, 3]
    assert np.mean(view.wrong < 0) == replace(FIGURATIVE, fewest_units=1).flat_scores(items)["preference_idioms"]


def test_the_view_of_distributions_over_answers():
    """People are surer of each phrase than of the last; the model is the other way round."""
    numbers = np.arange(5)
    certain = {f"people_{option}": (numbers == place).astype(int) for place, option in enumerate(OPTIONS)}
    likely = {option: np.where(numbers[::-1] == place, 50.0, 0.0) for place, option in enumerate(OPTIONS)}
    documents = columns_of(AnswerDocuments, adjective=["fake"] * 5, noun=list("abcde"), **certain, **likely)
    view = LANGUAGE_MODEL_VIEWS["answer_distribution"](AnswerItems(documents))
    assert view.units.facts["phrase"].tolist() == [f"fake {letter}" for letter in "abcde"]
    assert view.units.facts["people's mean rating"].tolist() == [1, 2, 3, 4, 5]
    assert view.units.figures["mean rating"] == pytest.approx([5, 4, 3, 2, 1])
    assert view.wrong.tolist() == [1, 0.5, 0, 0.5, 1]
