"""Fine-tuning for polarity sensitivity, with tiny encoders on CPU."""

from __future__ import annotations

import json
import os

import mteb
import numpy as np
import pytest
import torch
from mteb.models import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer
from transformers import BertConfig

from harness_ext.common.errors import UnknownNameError
from harness_ext.data.sources import fetch
from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import PolarityPairs
from harness_ext.measures.polarity.items import PolaritySentences
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.training import polarity_finetuning as finetune
from harness_ext.training.polarity_finetuning import (
    FinetuneError,
    PolarityClassifier,
    finetune_pss,
    train_and_label,
    trainable_encoder,
    with_scores,
)
from tests.encoders.tiny_transformers import (
    fast,
    save,
    save_bert,
    save_pooled,
    save_static,
    word_level,
)
from tests.items_check import assert_rescored

pytestmark = pytest.mark.usefixtures("without_baselines")

SPLIT = "mini_limit_80"
ONE_TRAINING = {
    "classifiers": ["linear"],
    "seeds": [0],
    "max_epochs": 1,
}


@pytest.fixture(scope="module")
def words():
    task = mteb.get_task("PolaritySensitivityMini")
    task.load_data()
    return word_level(task.dataset["mini"]["text"])


@pytest.fixture(scope="module")
def static(words, tmp_path_factory):
    return save_static(tmp_path_factory.mktemp("models") / "static", words)


@pytest.fixture(scope="module")
def bert(words, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "bert"
    config = BertConfig(
        vocab_size=words.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    tokenizer = fast(words, model_max_length=64)
    plain = save(folder / "plain", config, tokenizer)
    return save_pooled(folder / "st", plain)


def wrapped(folder):
    model = SentenceTransformer(str(folder), device="cpu")
    return SentenceTransformerEncoderWrapper(model)


def tune(folder, out, **kwargs):
    options = {
        "task_name": "PolaritySensitivityMini",
        "split": SPLIT,
        "seeds": (0, 1),
        "max_epochs": 2,
        **kwargs,
    }
    return finetune_pss(wrapped(folder), out, **options)


@pytest.mark.slow
def test_the_ft_keys_join_the_fb_keys_in_the_result_file(static, tmp_path):
    tune(static, tmp_path)
    (file,) = tmp_path.glob("results/*/*/PolaritySensitivityMini.json")
    content = json.loads(file.read_text())
    (scores,) = content["scores"][SPLIT]
    for classifier in ("linear", "dnn"):
        for key in ("accuracy", "pss", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
            assert 0 <= scores[f"ft_{classifier}_{key}"] <= 1
            assert f"ft_{classifier}_{key}_std" in scores
            assert f"fb_{classifier}_{key}" in scores
        assert scores[f"ft_{classifier}_n_seeds"] == 2
        assert scores[f"ft_{classifier}_max_epochs"] == 2
    assert scores["main_score"] == scores["fb_linear_pss"]
    assert scores["n_train"] == 80
    assert not list(tmp_path.glob("finetune/**/checkpoint-*"))
    (items,) = assert_rescored(file).values()
    assert len(items.fine_tunings) == 4


@pytest.mark.slow
def test_a_finished_training_is_not_done_again_and_a_broken_seed_file_is_ignored_with_a_line(
    static, tmp_path, monkeypatch, caplog
):
    def tuned(max_epochs=1):
        result = tune(static, tmp_path, **ONE_TRAINING | {"max_epochs": max_epochs})
        (scores,) = result.scores[SPLIT]
        return scores["ft_linear_pss"], scores["ft_linear_max_epochs"]

    def trained_again(*_):
        pytest.fail("trained again")

    first = tuned()
    with monkeypatch.context() as patch:
        patch.setattr(finetune, "train_and_label", trained_again)
        assert tuned() == first
    (file,) = tmp_path.glob("finetune/**/linear-seed0.json")
    whole = file.read_text()
    _, *labels = json.loads(whole)["labels"]
    too_few = [0, 1]
    no_label = [7, *labels]
    for damaged in (too_few, no_label):
        caplog.clear()
        file.write_text(json.dumps({"epochs": 1, "labels": damaged}))
        assert tuned() == first
        assert file.read_text() == whole
        assert "linear-seed0.json is damaged; training again" in caplog.text
    _, max_epochs = tuned(max_epochs=2)
    assert max_epochs == 2  # other settings are another training


@pytest.mark.slow
def test_a_training_with_other_settings_is_not_taken_for_a_finished_one(static, tmp_path):
    """Each setting that changes a training has a finished training of its own."""
    settings = (
        {"batch_size": 32},
        {"batch_size": 8},
        {"max_epochs": 2},
        {"split": "mini_limit_40"},
        {"classifiers": ["dnn"]},
        {"seeds": [1]},
    )
    for number, changed in enumerate(settings, start=1):
        tune(static, tmp_path, **ONE_TRAINING | changed)
        trainings = [*tmp_path.glob("finetune/**/*-seed*.json")]
        assert len(trainings) == number, changed


@pytest.mark.slow
def test_a_training_is_kept_apart_by_the_revision_of_the_model(static, tmp_path):
    for revision in ("1", "2"):
        model = wrapped(static)
        named = {"name": "a/b", "revision": revision, "reference": "https://host/a/b"}
        model.mteb_model_meta = model.mteb_model_meta.model_copy(update=named)
        options = {"task_name": "PolaritySensitivityMini", "split": SPLIT}
        finetune_pss(model, tmp_path, **options, **ONE_TRAINING)
    trainings = [*tmp_path.glob("finetune/a__b/**/*-seed*.json")]
    assert len(trainings) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("classifier", "units"), [("linear", [2]), ("dnn", [500, 100, 2])])
def test_a_classifier_has_the_layers_of_its_name(classifier, units, static, trainers, tmp_path):
    tune(static, tmp_path, **ONE_TRAINING | {"classifiers": [classifier]})
    (trainer,) = trainers
    layers = [layer for layer in trainer.model.head if isinstance(layer, torch.nn.Linear)]
    assert [layer.out_features for layer in layers] == units


@pytest.mark.slow
def test_a_training_is_kept_apart_by_the_revision_of_the_data(static, tmp_path):
    result = tune(static, tmp_path, **ONE_TRAINING)
    (training,) = tmp_path.glob("finetune/**/*-seed*.json")
    assert f"-{result.dataset_revision}-" in training.parent.name


def test_what_cannot_be_tuned_is_refused_by_name(static, tmp_path, monkeypatch):
    with pytest.raises(FinetuneError, match="EpsilonCompositionalityMini: it has no fine-tuning"):
        tune(static, tmp_path, task_name="EpsilonCompositionalityMini", split="naturalistic")
    with pytest.raises(
        UnknownNameError, match=r"tree: no such classifier\. There are: linear, dnn"
    ):
        tune(static, tmp_path, classifiers=["tree"])
    random_encoder = mteb.get_model("mteb/baseline-random-encoder")
    with pytest.raises(
        FinetuneError, match=r"mteb/baseline-random-encoder cannot be fine-tuned here"
    ):
        trainable_encoder(random_encoder)
    monkeypatch.setenv("HARNESS_EXT_ITEMS", "0")
    with pytest.raises(
        FinetuneError, match=r"(?s)are missing\..*PolaritySensitivityMini\.json, and run this"
    ):
        tune(static, tmp_path, **ONE_TRAINING)


def test_gain_and_baseline_stay_and_all_other_scores_are_new():
    main = POLARITY.main
    stays = {
        "hf_subset": "default",
        f"gain_{main}": 0.1,
        f"additive_{main}": 0.4,
    }
    old = {
        main: 0.5,
        "main_score": 0.5,
        "ft_linear_pss": 0.3,
        "fb_dnn_pss": 0.2,
    }
    new = {main: 0.6, "ft_dnn_pss": 0.7}
    found = with_scores(stays | old, new)
    assert found == {**stays, **new, "main_score": 0.6}


def test_logits_are_of_unit_vectors_times_the_root_of_their_width(static):
    """So that their numbers have a variance of 1, whatever the width."""
    encoder = SentenceTransformer(str(static), device="cpu")
    network = PolarityClassifier(encoder, ())
    texts = ["lovely food", "terrible"]
    vectors = encoder.encode(texts)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled = np.sqrt(vectors.shape[1]) * vectors / lengths
    linear = network.head[0]
    weights = linear.weight.detach().numpy()
    bias = linear.bias.detach().numpy()
    by_hand = scaled @ weights.T + bias
    prepare = getattr(encoder, "preprocess", None) or encoder.tokenize
    logits = network(prepare(texts))["logits"]
    np.testing.assert_allclose(logits.detach().numpy(), by_hand, atol=1e-4)


def test_a_tenth_of_the_sentences_decides_when_to_stop_and_is_not_trained_on(static, monkeypatch):
    given = []

    class Seen(finetune.Trainer):
        def __init__(self, **options):
            given.append(options)
            super().__init__(**options)

    monkeypatch.setattr(finetune, "Trainer", Seen)
    texts = [f"{number} lovely" for number in range(44)]
    sentences = polarity_sentences(texts, np.arange(44) % 2, n_train=40)
    encoder = SentenceTransformer(str(static), device="cpu")
    train_and_label(encoder, sentences, (), 0, max_epochs=1, batch_size=8)
    (options,) = given
    trained = {row["text"] for row in options["train_dataset"]}
    decide = {row["text"] for row in options["eval_dataset"]}
    assert len(trained) == 36
    assert len(decide) == 4
    assert trained | decide == {*texts[:40]}
    # the epoch that they find the best is the one that counts
    assert options["args"].load_best_model_at_end
    assert options["args"].metric_for_best_model == "eval_loss"


@pytest.fixture
def trainers(monkeypatch):
    """The trainers that are made, in their order."""
    made = []

    class Seen(finetune.Trainer):
        def __init__(self, **options):
            super().__init__(**options)
            made.append(self)

    monkeypatch.setattr(finetune, "Trainer", Seen)
    return made


def train(folder, seed):
    """Train on 40 sentences."""
    texts = [f"{number} lovely" for number in range(44)]
    sentences = polarity_sentences(texts, np.arange(44) % 2, n_train=40)
    encoder = SentenceTransformer(str(folder), device="cpu")
    train_and_label(encoder, sentences, (), seed, max_epochs=1, batch_size=8)


def test_the_seed_decides_which_sentences_validate(static, trainers):
    validating = []
    for seed in (0, 1):
        train(static, seed)
        validating.append({row["text"] for row in trainers[-1].eval_dataset})
    first, second = validating
    assert first != second


def test_the_seed_decides_the_order_of_the_sentences(static, trainers):
    """Trainer shuffles by its own seed."""
    train(static, seed=3)
    (trainer,) = trainers
    assert trainer.args.seed == 3


def polarity_sentences(texts, labels, n_train):
    """Sentences, the first of which are trained on; the others are held out."""
    roles = ["train"] * n_train + ["held_out"] * (len(texts) - n_train)
    return PolaritySentences.of_columns(row=texts, role=roles, label=labels, sentence=texts)


def test_it_learns_and_leaves_the_model_as_it_was(static):
    """Word vectors that start at random, and sentences in which one word says the label."""
    encoder = SentenceTransformer(str(static), device="cpu")
    rng = np.random.default_rng(0)
    vocabulary = encoder.tokenizer.get_vocab()
    words = [word for word in vocabulary if word.isalpha()]
    labels = np.arange(300) % 2
    texts = []
    for label in labels:
        last_word = "lovely" if label else "terrible"
        texts.append(" ".join([*rng.choice(words, size=3), last_word]))
    sentences = polarity_sentences(texts, labels, n_train=200)
    before = encoder.encode("lovely")
    given, epochs = train_and_label(encoder, sentences, (), 0, max_epochs=5, batch_size=8)
    accuracy = np.mean(given == labels[200:])
    assert accuracy > 0.85  # by threads .9 to 1; by chance .5
    assert 1 <= epochs <= 5
    after = encoder.encode("lovely")
    assert (after == before).all()


@pytest.mark.slow
def test_a_transformer_is_trained_by_the_command_with_a_small_learning_rate(
    run, bert, static, tmp_path
):
    done = run(
        "harness-ext",
        "finetune-pss",
        "-m",
        str(bert),
        "--task",
        "PolaritySensitivityMini",
        "--split",
        SPLIT,
        "--seeds",
        "1",
        "--max-epochs",
        "1",
        "--output-folder",
        "out",
    )
    assert "linear_pss: frozen" in done.stdout
    assert "dnn_pss: frozen" in done.stdout
    assert list(tmp_path.glob("out/results/*/*/PolaritySensitivityMini.json"))
    transformer = PolarityClassifier(SentenceTransformer(str(bert)), ())
    assert transformer.learning_rate == 2e-5
    of_words = PolarityClassifier(SentenceTransformer(str(static)), ())
    assert of_words.learning_rate == 3e-3


KNOWN_WITHOUT_A_HUB = """if True:
    import mteb
    from mteb.models import ModelMeta, SentenceTransformerEncoderWrapper
    from mteb.models.model_implementations import MODEL_REGISTRY
    from harness_ext.cli import app
    facts = {{"name": "{name}", "revision": "{revision}"}}
    facts["loader"] = SentenceTransformerEncoderWrapper
    MODEL_REGISTRY["{name}"] = ModelMeta.create_empty(facts)
    app()
"""
"""The command, with a model that stock mteb would ask the Hub about."""


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("unverified_mirror")
def test_scores_of_the_papers_bert_stand_beside_both_of_its_rows(run, tmp_path, monkeypatch):
    """A tiny BERT under its name; 40 sentences of each label in the place of Yelp's training
    sentences.
    """
    name = "google-bert/bert-base-uncased"
    revision = "0" * 40
    repository = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
    save_bert(repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    sources = PolarityPairs.SOURCES
    own_mirror = tmp_path / "mirror"
    for label in (0, 1):
        file = fetch(sources["reference"][f"dev.{label}"])
        lines = file.read_text().splitlines(keepends=True)
        train = own_mirror / sources["train"][f"train.{label}"].relative_path
        train.parent.mkdir(parents=True, exist_ok=True)
        train.write_text("".join(lines[:40]))
    mirror = f"{own_mirror}{os.pathsep}{os.environ['HARNESS_EXT_MIRROR']}"
    arguments = ["-m", name, "--seeds", "1", "--max-epochs", "1", "--output-folder", "out"]
    run(
        "python",
        "-c",
        KNOWN_WITHOUT_A_HUB.format(name=name, revision=revision),
        "finetune-pss",
        *arguments,
        HF_HUB_CACHE=str(tmp_path / "hub"),
        HARNESS_EXT_MIRROR=mirror,
        HARNESS_EXT_ALLOW_UNVERIFIED="1",
        HARNESS_EXT_ADDITIVE="0",
    )
    table = run("harness-ext", "show", "out", "--details").stdout
    for mode, published in (("fb", ".595*"), ("ft", ".737*")):
        key = f"{mode}_linear_pss"
        (row,) = (line for line in table.splitlines() if line.split()[:1] == [key])
        assert f"({published})" in row
    summary = run("harness-ext", "show", "out", COLUMNS="300").stdout
    (row,) = (line for line in summary.splitlines() if line.startswith(" BERT "))
    *_, frozen, tuned = row.split()
    assert frozen == ".595*"
    assert tuned == ".737*"
