"""The tasks of roles and verbal idioms: planted encoders on our own data, and figures of the
published data.
"""

from __future__ import annotations

import mteb
import pytest

from harness_ext.measures.kinds.pair_similarity import ROLE_SWAP
from harness_ext.results.published import published_scores
from harness_ext.show.published_tables import published_values
from harness_ext.tasks import ENCODER_TASKS
from tests.planted import PlantedModel, bag_of_words, entries_of
from tests.results.planted_items import entry_at


def scores_of_words(name, **kwargs):
    """Of an encoder that counts words, in whatever order."""
    bag = bag_of_words(dimensions=256)

    def vector(text):
        return bag(text.casefold())

    task = mteb.get_task(name, **kwargs)
    (entry,) = entries_of(PlantedModel(vector), task).values()
    return entry


def test_an_encoder_of_words_alone_fails_where_words_are_swapped():
    scores = scores_of_words("RoleSwapSimilarityMini")
    assert scores["spearman_adversarial"] < -0.5
    assert scores["spearman_ordinary"] > 0.5
    assert scores["spearman_difference"] > 1
    captions = scores_of_words("CaptionSwapMini")
    assert captions["share_swaps"] < 0.1
    assert captions["overlap_swap_obj"] == 1


def test_the_files_of_captions_are_splits_too():
    scores = scores_of_words("CaptionSwapMini", eval_splits=["swap_att"])
    assert "share_swap_att" in scores
    assert "share_swap_obj" not in scores
    task = mteb.get_task("CaptionSwapMini", eval_splits=["swap_verb"])
    with pytest.raises(ValueError, match="no split 'swap_verb'"):
        task.load_data()


def test_a_language_selects_tasks_and_their_subsets():
    names = [name for name, row in ENCODER_TASKS.items() if not row.quick]
    with pytest.warns(UserWarning, match="no subsets match"):
        german = mteb.get_tasks(tasks=names, languages=["deu"])
    subsets = {task.metadata.name: task.hf_subsets for task in german}
    assert subsets == {
        "NegationImportance": ["de"],
        "TokenIdiomaticity": ["de"],
    }


def test_contaminated_models_are_marked_and_clean_ones_give_what_the_issue_says():
    cells = published_scores("RoleSwapSimilarity")
    main = {place.model: found[ROLE_SWAP.main] for place, found in cells.items()}
    expected = {
        "AMR": 0.608,
        "sentbert_mpnet": 0.114,
        "sentbert": -0.065,
        "mean": -0.291,
        "openai": 0.134,
    }
    for name, value in expected.items():
        assert main[name].value == value
    contaminated = {name for name, cell in main.items() if cell.suspect}
    assert len(contaminated) == 7
    assert all("_ft_" in name for name in contaminated)


def test_contaminated_models_do_not_stand_beside_measured_ones():
    entry = entry_at("RoleSwapSimilarity", "test", (1, 2))
    values = published_values(entry, ROLE_SWAP.main)
    assert values["sentbert_mpnet"] == 0.114
    assert "sentbert_mpnet_ft_10fold_4_epochs" not in values  # trained on the same pairs
