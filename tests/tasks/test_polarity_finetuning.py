"""Fine-tuning for polarity sensitivity, with tiny encoders on CPU."""

from __future__ import annotations

import json

import mteb
import numpy as np
import pytest
from mteb.models import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.trainers import WordLevelTrainer
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from harness_ext import finetune
from harness_ext.evaluators.polarity import PolarityItems
from harness_ext.tasks.polarity_finetuning import (
    FinetuneError,
    PolarityClassifier,
    finetune_pss,
    train_and_label,
    trainable_encoder,
)

SPLIT = "mini_limit_80"


def tokenizer():
    task = mteb.get_task("PolaritySensitivityMini")
    task.load_data()
    words = Tokenizer(WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    trainer = WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    words.train_from_iterator(task.dataset["mini"]["text"], trainer)
    return words


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "static"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer(), embedding_dim=16)], device="cpu").save(str(folder))
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "bert"
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer(), pad_token="[PAD]", unk_token="[UNK]",
                                   cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")  # fmt: skip
    config = BertConfig(vocab_size=len(fast), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=16, max_position_embeddings=64)  # fmt: skip
    BertModel(config).save_pretrained(folder / "plain")
    fast.save_pretrained(folder / "plain")
    transformer = Transformer(str(folder / "plain"))
    SentenceTransformer(modules=[transformer, Pooling(16, "mean")], device="cpu").save(str(folder / "st"))
    return folder / "st"


def wrapped(folder):
    return SentenceTransformerEncoderWrapper(SentenceTransformer(str(folder), device="cpu"))


def tune(folder, out, **kwargs):
    options = {"task_name": "PolaritySensitivityMini", "split": SPLIT, "seeds": (0, 1), "max_epochs": 2, **kwargs}
    return finetune_pss(wrapped(folder), out, **options)


def test_the_ft_keys_join_the_fb_keys_in_the_result_file(static, tmp_path):
    tune(static, tmp_path)
    (file,) = tmp_path.glob("results/*/*/PolaritySensitivityMini.json")
    (scores,) = json.loads(file.read_text())["scores"][SPLIT]
    for classifier in ("linear", "dnn"):
        for key in ("accuracy", "pss", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
            assert 0 <= scores[f"ft_{classifier}_{key}"] <= 1
            assert f"ft_{classifier}_{key}_std" in scores
            assert f"fb_{classifier}_{key}" in scores
    assert scores["main_score"] == scores["fb_linear_pss"]
    assert (scores["ft_n_seeds"], scores["ft_max_epochs"], scores["n_train"]) == (2, 2, 80)
    assert not list(tmp_path.glob("finetune/**/checkpoint-*"))


def test_a_finished_training_is_not_done_again(static, tmp_path, monkeypatch):
    first = tune(static, tmp_path, classifiers=["linear"]).scores[SPLIT][0]
    monkeypatch.setattr(finetune, "train_and_label", None)
    again = tune(static, tmp_path, classifiers=["linear"]).scores[SPLIT][0]
    assert again["ft_linear_pss"] == first["ft_linear_pss"]


def test_an_interrupted_training_goes_on_from_its_checkpoint(static, tmp_path, monkeypatch):
    """Killed after two epochs and run again, it ends as the one that was not."""
    whole = tune(static, tmp_path / "whole", classifiers=["linear"], seeds=[0], max_epochs=4).scores[SPLIT][0]

    train, calls = finetune.Trainer.train, []

    class Killed(BaseException):
        pass

    def killed(self, **kwargs):
        class Kill(finetune.EarlyStoppingCallback):
            def on_epoch_begin(self, args, state, control, **kwargs):
                if state.epoch and state.epoch >= 2:
                    raise Killed

        self.add_callback(Kill())
        return train(self, **kwargs)

    monkeypatch.setattr(finetune.Trainer, "train", killed)
    with pytest.raises(Killed):
        tune(static, tmp_path / "part", classifiers=["linear"], seeds=[0], max_epochs=4)
    assert list(tmp_path.glob("part/finetune/**/checkpoint-*"))

    def watched(self, resume_from_checkpoint=None, **kwargs):
        calls.append(resume_from_checkpoint)
        return train(self, resume_from_checkpoint=resume_from_checkpoint, **kwargs)

    monkeypatch.setattr(finetune.Trainer, "train", watched)
    part = tune(static, tmp_path / "part", classifiers=["linear"], seeds=[0], max_epochs=4).scores[SPLIT][0]
    assert "checkpoint-" in calls[0]
    assert part["ft_linear_epochs"] == whole["ft_linear_epochs"]
    assert part["ft_linear_pss"] == whole["ft_linear_pss"]


def test_it_learns_and_leaves_the_model_as_it_was(static, tmp_path):
    """Word vectors that start at random, and sentences in which one word says the label."""
    encoder = SentenceTransformer(str(static), device="cpu")
    rng = np.random.default_rng(0)
    words = [word for word in encoder.tokenizer.get_vocab() if word.isalpha()]
    labels = np.arange(300) % 2
    texts = [" ".join([*rng.choice(words, size=3), ("terrible", "lovely")[label]]) for label in labels]
    rows = np.arange(300)
    items = PolarityItems(rows[:200], labels[:200], rows[200:], labels[200:], rows[200:].reshape(-1, 2),
                          labels[200::2])  # fmt: skip
    before = encoder.encode("lovely")
    given, epochs = train_and_label(encoder, texts, items, (), 0, tmp_path, max_epochs=15, batch_size=16)
    assert (given[:200] == -1).all()
    assert np.mean(given[200:] == labels[200:]) > 0.9
    assert 1 <= epochs <= 15
    assert (encoder.encode("lovely") == before).all()


def test_it_stops_when_it_no_longer_helps(static, tmp_path):
    """Labels that nothing says: the validation loss soon rises."""
    rng = np.random.default_rng(0)
    rows = np.arange(120)
    labels = rng.permutation(rows % 2)
    items = PolarityItems(rows[:100], labels[:100], rows[100:], labels[100:], rows[100:].reshape(-1, 2), labels[100::2])
    encoder = SentenceTransformer(str(static), device="cpu")
    words = [word for word in encoder.tokenizer.get_vocab() if word.isalpha()]
    texts = [" ".join(rng.choice(words, size=5)) for _ in rows]
    _, epochs = train_and_label(encoder, texts, items, (), 0, tmp_path, max_epochs=40, batch_size=8)
    assert epochs < 40


def test_a_transformer_is_trained_with_a_small_learning_rate(bert, static, tmp_path):
    scores = tune(bert, tmp_path, classifiers=["dnn"], seeds=[0], max_epochs=1).scores[SPLIT][0]
    assert 0 <= scores["ft_dnn_pss"] <= 1
    rates = [
        [group["lr"] for group in PolarityClassifier(SentenceTransformer(str(folder)), ()).learning_rates()]
        for folder in (bert, static)
    ]
    assert rates == [[2e-5, 3e-3], [3e-3, 3e-3]]


def test_a_model_without_a_torch_module_is_refused_by_name():
    model = mteb.get_model("mteb/baseline-random-encoder")
    with pytest.raises(FinetuneError, match=r"mteb/baseline-random-encoder cannot be fine-tuned here"):
        trainable_encoder(model)


@pytest.mark.slow
def test_the_command(run, bert, tmp_path):
    done = run(
        "harness-ext", "finetune-pss", "-m", str(bert), "--task", "PolaritySensitivityMini", "--split", SPLIT,
        "--classifier", "linear", "--seeds", "1", "--max-epochs", "1", "--output-folder", "out",
    )  # fmt: skip
    assert "linear_pss: frozen" in done.stdout
    assert list(tmp_path.glob("out/results/*/*/PolaritySensitivityMini.json"))
