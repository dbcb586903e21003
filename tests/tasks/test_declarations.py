"""The catalogue says of every task what the harnesses say."""

from __future__ import annotations

import mteb
import pytest
import yaml

import harness_ext.tasks
from harness_ext.common.folders import lm_eval_tasks
from harness_ext.measures.language_models.minimal_pairs import MINIMAL_PAIRS
from harness_ext.tasks import ENCODER_TASKS, TASKS, language_model_task, task, task_order
from tests.planted import PlantedModel, entries_of, letters

LANGUAGE_MODEL_TASKS = [name for name, row in TASKS.items() if row.harness == "lm-eval"]


@pytest.mark.parametrize("name", ENCODER_TASKS)
def test_tasks_of_mteb_are_their_declarations(name):
    row = ENCODER_TASKS[name]
    task = mteb.get_task(name)
    about = task.metadata
    assert type(task) is getattr(harness_ext.tasks, name)
    assert task.measure is row.measure
    assert about.is_filled()
    assert about.description == row.description
    assert about.dataset == row.dataset
    assert about.main_score == row.measure.main
    assert tuple(about.hf_subsets) == row.subsets
    assert tuple(about.eval_splits) == row.splits
    assert about.descriptive_stats.keys() <= {
        *row.splits,
        "naturalistic_rebuilt",
        "reference_trained_on_dev",
    }
    assert about.n_samples
    assert all(about.n_samples.values())
    languages = {subset: list(codes) for subset, codes in row.languages.items()}
    assert about.hf_subsets_to_langscripts == languages


def test_the_languages_of_a_dataset_are_the_configs_of_its_card(monkeypatch):
    assert task.languages_of("idiom_uses") == {
        "de": ("deu-Latn",),
        "it": ("ita-Latn",),
        "tr": ("tur-Latn",),
    }
    assert "mini" not in task.languages_of("ncimp")
    monkeypatch.delitem(task._LANGUAGES, "tr")
    with pytest.raises(ValueError, match=r"idiom_uses/README\.md: the language of the config tr"):
        task.languages_of("idiom_uses")


@pytest.mark.parametrize("name", LANGUAGE_MODEL_TASKS)
def test_tasks_of_lm_eval_are_their_rows(name):
    """The file of a task says which dataset and config its documents are of, as far as that is not
    always the same.
    """
    row = TASKS[name]
    text = (lm_eval_tasks() / f"{name}.yaml").read_text(encoding="utf-8")
    config = yaml.load(text, yaml.BaseLoader)
    said = config.get("dataset_kwargs", {})
    for key in ("path", "name"):
        expected = row.dataset[key]
        assert said.get(key, expected) == expected
    language = "por-Latn" if "pt" in said.values() else "eng-Latn"
    assert row.languages["default"] == (language,)
    assert (lm_eval_tasks() / f"{row.module}.py").is_file()
    assert row.quick == name.endswith("_mini")


def test_a_users_own_task_stands_with_the_first_of_its_measure():
    """A user may give any name to a task that is made with one of these measures."""
    assert language_model_task("PolaritySensitivity", "minimal_pairs").measure is MINIMAL_PAIRS
    ours = language_model_task("idiom_minimal_pairs_pt", "minimal_pairs")
    assert ours is TASKS["idiom_minimal_pairs_pt"]
    own = language_model_task("my_pairs", "minimal_pairs")
    assert own.name == "my_pairs"
    assert own.measure is MINIMAL_PAIRS
    assert own.languages == {}
    assert not own.quick
    assert task_order(own) == task_order(TASKS["idiom_minimal_pairs_en"])
    orders = [task_order(row) for row in TASKS.values()]
    assert orders == list(range(len(TASKS)))


@pytest.mark.parametrize(
    ("name", "split", "units"),
    [
        ("TreeReconstruction", "dev_words_from_train", ("sst", "dev")),
        ("TreeReconstruction", "test_mean", ("sst", "test")),
        ("PolaritySensitivity", "reference", ("reference", "pairs")),
        ("PolaritySensitivity", "system_trained_on_dev", ("system", "pairs")),
        ("EpsilonCompositionality", "naturalistic", None),
    ],
)
def test_a_protocol_says_whose_rows_are_measured(name, split, units):
    """Not those that something is learned from."""
    assert ENCODER_TASKS[name].units_of_split(split) == units


def test_a_subclass_with_a_measure_of_its_own_plans_by_it():
    whole = type(mteb.get_task("CaptionSwapMini"))

    class OfHalf(type(whole.measure)):
        def plan(self, rows, split):
            return super().plan(rows[::2], split)

    class Own(whole):
        measure = OfHalf()

    n_items = []
    for kind in (whole, Own):
        made = kind()
        entries_of(PlantedModel(letters), made, baselines=False)
        (items,) = made.items.values()
        n_items.append(len(items))
    of_all, of_half = n_items
    assert of_half == pytest.approx(of_all / 2, abs=1)
