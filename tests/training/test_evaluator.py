"""The evaluator for sentence-transformers: what mteb measures, on the card, and never the end of a
training.
"""

import csv
import logging
import math
import random
import re
from pathlib import Path
from types import SimpleNamespace

import mteb
import numpy as np
import pytest
import torch
from mteb.models import CompressionWrapper
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper
from mteb.types import OutputDType
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from harness_ext import CompositionalityEvaluator
from harness_ext.measures.language_models.documents import load_rows
from harness_ext.tasks import EpsilonCompositionalityMini
from tests.encoders.library_modules import SequentialEvaluator, StaticEmbedding
from tests.planted import entries_of

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
EPSILON = "EpsilonCompositionalityMini"
MAIN = f"{EPSILON}_auc_nc_vs_c"
GAIN = f"{EPSILON}_gain"
KEY_OF_MTEB = {
    MAIN: "auc_nc_vs_c",
    f"{MAIN}_ci_low": "auc_nc_vs_c_ci_low",
    f"{MAIN}_ci_high": "auc_nc_vs_c_ci_high",
    GAIN: "gain_auc_nc_vs_c",
    f"{GAIN}_ci_low": "gain_auc_nc_vs_c_ci_low",
    f"{GAIN}_ci_high": "gain_auc_nc_vs_c_ci_high",
}
"""The key of the evaluator -> that of a result file, in the order of the columns."""


@pytest.fixture
def is_additive():
    """A model whose vector of a text is the mean of the vectors of the words."""
    texts = []
    for row in load_rows("compound_mini", "default", "naturalistic"):
        texts.append(row["sentence"])
        texts += [synonym["sentence"] for synonym in row["words_syn"]]
    words = dict.fromkeys(["[UNK]", *" ".join(texts).split()])
    number_of_word = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(WordLevel(number_of_word, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    vectors = np.random.default_rng(0).normal(size=(len(words), 16))
    module = StaticEmbedding(tokenizer, embedding_weights=vectors.astype(np.float32))
    return SentenceTransformer(modules=[module], device="cpu")


@pytest.mark.slow
def test_it_gives_what_mteb_gives_and_a_bag_gains_nothing(is_additive, tmp_path):
    folder = tmp_path / "eval"
    (entry,) = entries_of(is_additive, EPSILON).values()
    evaluator = CompositionalityEvaluator(EPSILON)
    is_additive.train()
    found = evaluator(is_additive, str(folder), 1, 5)
    assert is_additive.training
    assert found == {name: entry[key] for name, key in KEY_OF_MTEB.items()}
    assert found[GAIN] == 0  # a mean of word vectors is its own additive baseline
    assert evaluator.primary_metric == MAIN
    assert evaluator.greater_is_better
    evaluator(is_additive, str(folder), 2, 5)
    with (folder / evaluator.csv_file).open(newline="") as file:
        header, first, second = csv.reader(file)
    assert header == ["epoch", "steps", *KEY_OF_MTEB]
    assert [float(cell) for cell in first] == [1, 5, *found.values()]
    assert second == ["2", *first[1:5], "", "", ""]  # in between there is no gain


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gain", "measured"),
    [
        (None, [True, False, True]),
        pytest.param(True, [True, True, True], marks=pytest.mark.slow),
        (False, [False, False, False]),
    ],
)
def test_the_gain_is_measured_before_and_after_a_training_or_as_asked(is_additive, gain, measured):
    evaluator = CompositionalityEvaluator("RoleSwapSimilarityMini", gain=gain)
    has_gain = []
    for epoch in (1, 2, -1):
        scores = evaluator(is_additive, epoch=epoch)
        has_gain.append("RoleSwapSimilarityMini_gain" in scores)
    assert has_gain == measured


@pytest.mark.slow
def test_scores_on_a_grid_are_of_the_same_strings_in_each_call(is_additive):
    """Integers on a grid between the extremes of a call: words and probes are in each, or
    in none.
    """
    inside = SentenceTransformerEncoderWrapper(is_additive)
    model = CompressionWrapper(inside, OutputDType.INT8)
    evaluator = CompositionalityEvaluator("RoleSwapSimilarityMini")
    first = evaluator(model, epoch=1)
    second = evaluator(model, epoch=2)
    last = evaluator(model, epoch=-1)
    assert first == second == last
    assert "RoleSwapSimilarityMini_gain" in second


class Drawing(logging.Handler):
    """Draws for every message, as rich 14.0 does where it links the line of code."""

    def emit(self, _):
        random.random()


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_random_states_stay_as_they_are(is_additive, monkeypatch):
    root_logger = logging.getLogger()
    monkeypatch.setattr(root_logger, "handlers", [Drawing()])
    monkeypatch.setattr(root_logger, "level", logging.DEBUG)

    def draw():
        return (
            random.random(),
            np.random.random(),
            torch.rand(1).item(),
        )

    def seed():
        random.seed(1)
        np.random.seed(2)
        torch.manual_seed(3)

    seed()
    expected = draw()
    seed()
    CompositionalityEvaluator(EPSILON)(is_additive)
    assert draw() == expected


def test_a_name_precedes_every_key_and_places_are_told_apart():
    task = mteb.get_task("NounCompoundAffinityMini")
    evaluator = CompositionalityEvaluator([task], name="during")
    assert evaluator.primary_metric == f"during_NounCompoundAffinityMini_{task.measure.main}"
    task = mteb.get_task("NounCompoundAffinity", eval_splits=["naturalistic"])
    several = CompositionalityEvaluator([task])
    assert several.primary_metric.startswith("NounCompoundAffinity_en_naturalistic_")


class Broken(SentenceTransformer):
    """Gives no vectors."""

    encode_query = encode_document = encode = None


class WithoutData(EpsilonCompositionalityMini):
    """A task whose data is not there."""

    def load_data(self, **_):
        raise ConnectionError("no network")


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_what_cannot_be_measured_is_one_warning_and_no_crash(is_additive, caplog, tmp_path):
    evaluator = CompositionalityEvaluator([WithoutData(), EPSILON], name="mine")
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    with caplog.at_level(logging.WARNING, logger="harness_ext"):
        for step in range(2):
            found = evaluator(is_additive, str(no_folder), 0, step)
    assert "cannot be written" in caplog.text
    (message,) = (text for text in caplog.messages if "is not measured" in text)
    assert message == (
        f"{EPSILON} is not measured, and the training goes on. Later failures like this are not "
        "reported. ConnectionError: no network"
    )
    assert 0 < found[f"mine_{MAIN}"] < 1  # of the second task, which has the same name here
    broken = Broken(modules=list(is_additive))
    evaluator = CompositionalityEvaluator([EPSILON, "RoleSwapSimilarityMini"])
    found = evaluator(broken, str(tmp_path), 0, 1)
    assert [*found] == [MAIN]
    assert math.isnan(found[MAIN])  # a trainer may choose its best checkpoint by it
    found = SequentialEvaluator([evaluator])(broken)
    assert math.isnan(found["sequential_score"])


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_models_that_are_wrapped_for_a_training_are_unwrapped(is_additive):
    evaluator = CompositionalityEvaluator(EPSILON)
    expected = evaluator(is_additive)
    assert 0 < expected[MAIN] < 1
    for wrap in (torch.nn.DataParallel, torch.compile):
        wrapped = wrap(is_additive)
        wrapped.train()
        assert evaluator(wrapped) == expected
        assert wrapped.training


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_a_score_that_falls_is_warned_of_once_and_so_is_each_cause_of_nan(is_additive, caplog):
    evaluator = CompositionalityEvaluator([EPSILON])
    with caplog.at_level(logging.WARNING):
        first = evaluator(is_additive)[MAIN]
        assert not caplog.records  # nor an "Error" of mteb that is none
        rows = load_rows("compound_mini", "default", "naturalistic")
        idioms = {row["compound"] for row in rows if row["class"] == "NC"}
        words_of_idioms = " ".join(idioms).split()
        module = is_additive[0]
        numbers = [module.tokenizer.token_to_id(word) for word in words_of_idioms]
        with torch.no_grad():
            module.embedding.weight[numbers] *= 0.3  # the words of idioms then matter least
        for _ in range(2):
            then = evaluator(is_additive)[MAIN]
        broken = Broken(modules=list(is_additive))
        for _ in range(2):
            evaluator(broken)
        with torch.no_grad():
            module.embedding.weight[:] = 0
        evaluator(is_additive)
    messages = []
    for record in caplog.records:
        if record.name.startswith("harness_ext.training"):
            messages.append(record.getMessage())
    not_measured = (
        f"{EPSILON} is not measured, and the training goes on. Later failures like this are not "
        "reported."
    )
    of_fall, of_error, of_undefined = messages
    worse = f"{EPSILON} (naturalistic, default) is significantly worse than at the first call"
    assert of_fall.startswith(f"{worse}:")
    assert f"{then:.3f}, and {first:.3f} then (p = " in of_fall
    assert of_error.startswith(f"{not_measured} TypeError:")
    assert of_undefined.startswith(f"{not_measured} UndefinedMainScoreError:")


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    ("p_value", "change", "is_said"),
    [
        (0.049, -0.1, True),
        (0.051, -0.1, False),
        (0.001, 0.1, False),
    ],
)
def test_a_fall_is_one_at_the_level_of_comparisons(
    p_value, change, is_said, is_additive, caplog, monkeypatch
):
    def planted(now, first):
        return SimpleNamespace(p_value=p_value, value=change)

    monkeypatch.setattr("harness_ext.training.evaluator.difference", planted)
    with caplog.at_level(logging.WARNING, logger="harness_ext"):
        CompositionalityEvaluator(EPSILON)(is_additive)
    assert ("is significantly worse" in caplog.text) == is_said


@pytest.mark.usefixtures("without_baselines")
def test_the_first_score_of_a_split_is_compared_with_none_of_another(is_additive, monkeypatch):
    compared = []

    def planted(now, first):
        compared.append(now is first)
        return SimpleNamespace(p_value=1, value=0)

    monkeypatch.setattr("harness_ext.training.evaluator.difference", planted)
    task = mteb.get_task("CaptionSwapMini", eval_splits=["swap_att", "swap_obj"])
    CompositionalityEvaluator([task])(is_additive)
    assert compared == [True, True]


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([], "name at least one task"),
        ("STS12", "no task of this project"),
    ],
)
def test_wrong_tasks_are_refused_before_the_training(tasks, said):
    with pytest.raises(ValueError, match=said):
        CompositionalityEvaluator(tasks)


@pytest.mark.slow
def test_the_example_of_the_page_trains_and_its_card_shows_the_scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    names = {}
    exec(code, names)
    card = Path("trained/final/README.md").read_text(encoding="utf-8")
    assert MAIN in card
    assert GAIN in card
    assert f"{names['scores'][MAIN]:.4f}".rstrip("0") in card
    state = names["trainer"].state
    logged = [entry for entry in state.log_history if f"eval_{MAIN}" in entry]
    assert [entry["step"] for entry in logged] == [0, 10, 20]
    losses = [entry["eval_loss"] for entry in state.log_history if "eval_loss" in entry]
    assert state.best_metric in losses
    table = Path("trained/eval", names["evaluator"].csv_file).read_text()
    assert len(table.splitlines()) == 4
