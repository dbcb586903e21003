"""Polarity sensitivity of fine-tuned encoders: the `ft_*` keys, beside the `fb_*` keys in the same
result file.

The encoder and a classifier on its sentence vectors are trained together, by transformers' own
Trainer. A tenth of the training sentences decides when to stop. Each finished training is saved
with the labels of its classifier, and is not repeated when an interrupted run goes on.
"""

from __future__ import annotations

import copy
import json
import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import EarlyStoppingCallback, PreTrainedModel, Trainer, TrainingArguments

from harness_ext.common.arrays import Indices
from harness_ext.common.errors import unknown_name
from harness_ext.common.extras import imported
from harness_ext.common.files import whole_file
from harness_ext.encoders.identity.revision import identified
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.measures.core.baseline_keys import baseline_declarations
from harness_ext.measures.polarity.classifiers import subsample
from harness_ext.measures.polarity.items import (
    NEGATIVE,
    POSITIVE,
    SEEDS,
    FineTunedEncoder,
    PolarityItems,
    PolaritySentences,
)
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.store.item_files import DIGEST, ItemsError, keep, read_items

if TYPE_CHECKING:
    from mteb.models import MTEBModels
    from mteb.results import TaskResult

logger = logging.getLogger(__name__)

CLASSIFIERS = {"linear": (), "dnn": (500, 100)}
"""The name of a classifier -> the hidden units of its layers."""

_VALIDATION = 0.1
"""The share of the training sentences that decide when to stop."""


class FinetuneError(RuntimeError):
    """A model cannot be fine-tuned here; the message gives the reason."""


class PolarityClassifier(torch.nn.Module):
    """An encoder with a classifier on its L2-normalized sentence vectors, which are scaled to unit
    variance.
    """

    def __init__(self, encoder: SentenceTransformer, hidden_units: Sequence[int]) -> None:
        super().__init__()
        self.encoder = encoder
        vectors = encoder.encode(["how wide?"], show_progress_bar=False)
        width = int(vectors.shape[1])
        self.scale = width**0.5
        layers: list[torch.nn.Module] = []
        for units in hidden_units:
            layers.append(torch.nn.Linear(width, units))
            layers.append(torch.nn.ReLU())
            width = units
        layers.append(torch.nn.Linear(width, 2))
        self.head = torch.nn.Sequential(*layers)

    def forward(
        self, features: dict[str, Any], labels: torch.Tensor | None = None
    ) -> dict[str, torch.Tensor]:
        """Compute logits of shape (batch, 2), and the cross-entropy loss if labels of shape
        (batch,) are given.
        """
        vectors = self.encoder(features)["sentence_embedding"]
        unit_vectors = torch.nn.functional.normalize(vectors, dim=1)
        logits = self.head(unit_vectors * self.scale)
        if labels is None:
            return {"logits": logits}
        loss = torch.nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}

    @property
    def learning_rate(self) -> float:
        """Of encoder and classifier, by the paper, §3.1: "learning rate=2e-5 for BERT and 3e-3 for
        others".
        """
        is_transformer = any(
            isinstance(module, PreTrainedModel) for module in self.encoder.modules()
        )
        return 2e-5 if is_transformer else 3e-3


def finetune_pss(
    model: MTEBModels,
    output_folder: Path,
    *,
    task_name: str = "PolaritySensitivity",
    split: str | None = None,
    classifiers: Sequence[str] = tuple(CLASSIFIERS),
    seeds: Sequence[int] = SEEDS,
    max_epochs: int = 10,
    batch_size: int = 32,
) -> TaskResult:
    """Fine-tune on the task's training sentences, once per classifier and seed, and add the scores
    to its result.

    The result of the frozen encoder is computed first if it is missing.

    The model, from `mteb.get_model`, has a SentenceTransformer inside, and is not changed. The eval
    split decides the training data. Trainings go to `finetune/` in the `--output-folder` of `mteb
    run`.

    Raises:
        MissingExtraError: accelerate is not installed.
        UnknownNameError: There is no such task or classifier.
        FinetuneError: The model has no trainable torch module, the task has no fine-tuning, or the
            result of the frozen encoder has no items.
    """
    # transformers' Trainer does, after the frozen run
    imported("accelerate", "finetune", "Fine-tuning needs")
    task: Any = task_named(task_name, eval_splits=[split] if split else None)
    if getattr(task, "measure", None) is not POLARITY:
        raise FinetuneError(
            f"{task_name}: it has no fine-tuning; only PolaritySensitivity(Mini) has."
        )
    encoder = trainable_encoder(model)
    meta = identified(model, model.mteb_model_meta)
    if meta is None:
        raise FinetuneError(
            f"{model.mteb_model_meta.name}: nothing distinguishes it from other models of that "
            "name."
        )
    split = split or task.eval_splits[0]
    task.load_data()
    for unknown in {*classifiers} - CLASSIFIERS.keys():
        raise unknown_name("classifier", unknown, CLASSIFIERS)
    cache = mteb.ResultCache(output_folder)
    measured = mteb.evaluate(model, task, cache=cache, show_progress_bar=False)
    (result,) = measured.task_results
    (entry,) = result.scores[split]
    file = cache.get_task_result_path(task_name, meta)
    digest = dict(entry).get(DIGEST, "")
    try:
        items: Any = read_items(file, PolarityItems, digest)
    except ItemsError as error:
        raise FinetuneError(
            f"{error} Fine-tuning adds to them: remove {file}, and run this again without "
            "HARNESS_EXT_ITEMS=0."
        ) from error
    rows = task.rows(split, entry["hf_subset"])
    sentences = POLARITY.planned(rows, split).sentences
    assert sentences is not None

    folder = output_folder / "finetune" / meta.model_name_as_path() / str(meta.revision)
    folder = (
        folder / f"{task_name}-{split}-{result.dataset_revision}"
        f"-epochs{max_epochs}-batch{batch_size}-one-rate"
    )
    for classifier in classifiers:
        trained = []
        for seed in seeds:
            labels, epochs = _one_training(
                encoder, sentences, classifier, seed, folder, max_epochs, batch_size
            )
            trained.append(FineTunedEncoder(seed, epochs, labels))
        items = items.with_fine_tuning(sentences.asked, classifier, trained, max_epochs, batch_size)
    scored: Any = with_scores(dict(entry), POLARITY.flat_scores(items))
    scored[DIGEST] = keep(items)
    result.scores[split] = [scored]
    cache.save_to_cache(result, meta)
    return result


def with_scores(
    entry: Mapping[str, Any],
    scores: Mapping[str, float],
) -> dict[str, Any]:
    """The entry of a result file with the scores of items with fine-tuning, in place of its own.

    What is no score stays, and so do gain and additive baseline, which fine-tuning does not change.
    """
    of_baselines = baseline_declarations(POLARITY.main, POLARITY.main_declaration)
    scored: dict[str, Any] = {}
    for key, value in entry.items():
        if not isinstance(value, int | float) or key in of_baselines:
            scored[key] = value
    scored |= scores
    scored["main_score"] = scores[POLARITY.main]
    return scored


def trainable_encoder(model: Any) -> SentenceTransformer:
    """Find the SentenceTransformer inside a model of mteb.

    Raises:
        FinetuneError: There is no SentenceTransformer, or it has no parameters.
    """
    encoder = getattr(model, "model", model)
    name = getattr(getattr(model, "mteb_model_meta", None), "name", repr(model))
    if not isinstance(encoder, SentenceTransformer):
        raise FinetuneError(
            f"{name} cannot be fine-tuned here: its encoder is {type(encoder).__name__}, a "
            "SentenceTransformer is needed. Models that sentence-transformers loads are."
        )
    if not any(parameter.numel() for parameter in encoder.parameters()):
        raise FinetuneError(f"{name} cannot be fine-tuned: it has no parameters.")
    return encoder


def _one_training(
    encoder: SentenceTransformer,
    sentences: PolaritySentences,
    classifier: str,
    seed: int,
    folder: Path,
    max_epochs: int,
    batch_size: int,
) -> tuple[Indices, float]:
    """As `train_and_label`; from `<folder>/<classifier>-seed<seed>.json` if it is finished."""
    done = folder / f"{classifier}-seed{seed}.json"
    if done.is_file():
        finished = _finished(done, len(sentences.asked))
        if finished:
            return finished
        logger.warning("%s is damaged; training again.", done)
    labels, epochs = train_and_label(
        encoder, sentences, CLASSIFIERS[classifier], seed, max_epochs, batch_size
    )
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(done) as partial:
        content = {"epochs": epochs, "labels": labels.tolist()}
        partial.write_text(json.dumps(content), encoding="utf-8")
    return labels, epochs


def _finished(file: Path, n_asked: int) -> tuple[Indices, float] | None:
    """Read the output of a finished training; None if the file is damaged."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        epochs = float(content["epochs"])
        labels = content["labels"]
        has_all = len(labels) == n_asked
        is_sound = {NEGATIVE, POSITIVE}.issuperset(labels)
    except (ValueError, KeyError, TypeError):
        return None
    return (np.array(labels), epochs) if has_all and is_sound else None


def train_and_label(
    encoder: SentenceTransformer,
    sentences: PolaritySentences,
    hidden_units: Sequence[int],
    seed: int,
    max_epochs: int,
    batch_size: int,
) -> tuple[Indices, float]:
    """Train a copy of the encoder with a classifier, and label the sentences that are asked.

    The seed decides the first weights of the classifier, the order of the sentences, and which of
    them validate.

    Returns:
        A label per asked sentence, shape (a,); and the number of trained epochs.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # its name in earlier sentence-transformers
    prepare = getattr(encoder, "preprocess", None) or encoder.tokenize

    def collate(rows: list[dict[str, Any]]) -> dict[str, Any]:
        texts = [row["text"] for row in rows]
        batch = {"features": prepare(texts)}
        if "label" in rows[0]:
            batch["labels"] = torch.tensor([row["label"] for row in rows])
        return batch

    asked = sentences.asked.sentence.tolist()
    train = sentences[sentences.role == "train"]
    texts = train.sentence.tolist()
    labeled = zip(texts, train.label.tolist(), strict=True)
    examples = [{"text": text, "label": label} for text, label in labeled]
    n_held_out = max(2, round(_VALIDATION * len(examples)))
    held_out = subsample(train.label, n_held_out, seed)
    validation = set(held_out.tolist())
    torch.manual_seed(seed)
    network = PolarityClassifier(copy.deepcopy(encoder), hidden_units)
    network.to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=network.learning_rate)
    with tempfile.TemporaryDirectory() as checkpoints:
        trainer = Trainer(
            model=network,
            args=TrainingArguments(
                output_dir=checkpoints,
                num_train_epochs=max_epochs,
                per_device_train_batch_size=batch_size,
                per_device_eval_batch_size=4 * batch_size,
                eval_strategy="epoch",
                save_strategy="epoch",
                save_total_limit=1,
                load_best_model_at_end=True,
                metric_for_best_model="eval_loss",
                greater_is_better=False,
                label_names=["labels"],
                remove_unused_columns=False,
                logging_strategy="epoch",
                report_to=[],
                seed=seed,
                use_cpu=device == "cpu",
                dataloader_pin_memory=device != "cpu",
            ),
            train_dataset=[
                example for number, example in enumerate(examples) if number not in validation
            ],
            eval_dataset=[examples[number] for number in held_out],
            data_collator=collate,
            # epochs; the best one counts
            callbacks=[EarlyStoppingCallback(early_stopping_patience=2)],
            optimizers=(optimizer, None),
        )
        trainer.train()
    distinct = list(dict.fromkeys(asked))
    logits = trainer.predict([{"text": text} for text in distinct]).predictions
    labels = np.asarray(logits).argmax(axis=1).tolist()
    label = dict(zip(distinct, labels, strict=True))
    epochs = float(trainer.state.epoch or 0)
    return np.array([label[text] for text in asked]), epochs
