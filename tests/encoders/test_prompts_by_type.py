"""A model is run as its makers run it: its prompts and adapters are those of similarity, or it gets our instruction."""

from __future__ import annotations

import mteb
import pytest
from mteb.models import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer

from tests.encoders.tiny_transformers import letters, save_static

pytestmark = pytest.mark.usefixtures("without_own_words")

TASKS = (
    "EpsilonCompositionalityMini",
    "MergeOppositesMini",
    "PolaritySensitivityMini",
    pytest.param("IdiomRetrieval", marks=pytest.mark.real_data),
)
PROMPTS = {"STS": "similar: ", "Compositionality": "parts: ", "query": "query: ", "document": "document: "}


class Watched(SentenceTransformerEncoderWrapper):
    """Keeps what it is asked with."""

    def encode(self, inputs, **asked):
        self.asked.append((asked["task_metadata"].type, asked["task_metadata"].prompt, asked.get("prompt_type")))
        return super().encode(inputs, **asked)


@pytest.fixture
def with_prompts(tmp_path):
    """A model of random word vectors in a folder, with prompts."""
    folder = save_static(tmp_path / "model", letters())
    return lambda prompts, **options: SentenceTransformer(folder, prompts=prompts, device="cpu", **options)


@pytest.mark.parametrize("name", TASKS)
def test_every_call_says_sts_and_the_task_stays_what_it_is(name, with_prompts, request):
    if name == "IdiomRetrieval":
        request.getfixturevalue("mirror")
    model = Watched(with_prompts(PROMPTS))
    model.asked = []
    task = mteb.get_task(name)
    mteb.evaluate(model, task, cache=None, show_progress_bar=False)
    assert set(model.asked) == {("STS", "Given a sentence, encode its semantic properties.", None)}
    assert task.metadata.type == mteb.get_task(name).metadata.type == "Compositionality"
    assert name in {each.metadata.name for each in mteb.get_tasks(task_types=["Compositionality"])}
