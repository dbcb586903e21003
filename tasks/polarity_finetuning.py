"""Polarity sensitivity of fine-tuned encoders: the `ft_*` keys, beside the `fb_*` keys in the same result file.

The encoder and a classifier on its sentence vectors are trained together, by transformers' own Trainer. A tenth of
the training sentences says when to stop. Each finished training is kept with its scores, and one that was interrupted
goes on from its last epoch.
"""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import EarlyStoppingCallback, PreTrainedModel, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from harness_ext.data.files import whole_file
from harness_ext.encoders.registry import local_meta
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.polarity import over_seeds, polarity_scores, subsample
from harness_ext.tasks.polarity_sensitivity import SEEDS, polarity_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mteb.models import MTEBModels
    from mteb.results import TaskResult
    from numpy.typing import NDArray

    from harness_ext.evaluators.polarity import PolarityItems

CLASSIFIERS = {"linear": (), "dnn": (500, 100)}
"""Hidden units."""

TRANSFORMER_LEARNING_RATE = 2e-5
LEARNING_RATE = 3e-3
"""Of the classifier, and of encoders that are no transformers."""

VALIDATION_SHARE = 0.1
PATIENCE = 2
"""Epochs without a lower validation loss after which training stops; the best epoch counts."""


class FinetuneError(RuntimeError):
    """A model cannot be fine-tuned here; the message says why."""


class PolarityClassifier(torch.nn.Module):
    """An encoder with a classifier on its L2-normalised sentence vectors, which are scaled to unit variance."""

    def __init__(self, encoder: SentenceTransformer, hidden_units: Sequence[int]) -> None:
        super().__init__()
        self.encoder = encoder
        width = int(encoder.encode(["how wide?"], show_progress_bar=False).shape[1])
        self.scale = width**0.5
        layers: list[torch.nn.Module] = []
        for units in hidden_units:
            layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
            width = units
        self.head = torch.nn.Sequential(*layers, torch.nn.Linear(width, 2))

    def forward(self, features: dict[str, Any], labels: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        """Logits of shape (batch, 2), and the cross-entropy loss if labels of shape (batch,) are given."""
        vectors = self.encoder(features)["sentence_embedding"]
        logits = self.head(torch.nn.functional.normalize(vectors, dim=1) * self.scale)
        if labels is None:
            return {"logits": logits}
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    def learning_rates(self) -> list[dict[str, Any]]:
        """The parameter groups for an optimizer."""
        is_transformer = any(isinstance(module, PreTrainedModel) for module in self.encoder.modules())
        rate = TRANSFORMER_LEARNING_RATE if is_transformer else LEARNING_RATE
        return [
            {"params": list(self.encoder.parameters()), "lr": rate},
            {"params": list(self.head.parameters()), "lr": LEARNING_RATE},
        ]


def finetune_pss(
    model: MTEBModels,
    output_folder: Path,
    *,
    task_name: str = "PolaritySensitivity",
    split: str | None = None,
    classifiers: Iterable[str] = tuple(CLASSIFIERS),
    seeds: Sequence[int] = SEEDS,
    max_epochs: int = 10,
    batch_size: int = 32,
) -> TaskResult:
    """Fine-tune on the task's training sentences, once per classifier and seed, and add the scores to its result.

    The result of the frozen encoder is computed first where it is not there yet.

    Args:
        model: From `mteb.get_model`; a SentenceTransformer inside. It is not changed.
        output_folder: The --output-folder of `mteb run`. Trainings go to `finetune/` in it.
        task_name: `PolaritySensitivity` or `PolaritySensitivityMini`.
        split: An eval split of the task, which says what is trained on; by default its own.
        classifiers: Of `CLASSIFIERS`.
        seeds: One training each.
        max_epochs: No more epochs than these.
        batch_size: Sentences per step.

    Raises:
        FinetuneError: The model has no trainable torch module.
    """
    encoder = trainable_encoder(model)
    (task,) = mteb.get_tasks(tasks=[task_name], eval_splits=[split] if split else None)
    split = split or task.eval_splits[0]
    task.load_data()
    cache = mteb.ResultCache(output_folder)
    result = mteb.evaluate(model, task, cache=cache, show_progress_bar=False).task_results[0]
    if task.dataset is None or task.metadata.revision != result.dataset_revision:
        raise FinetuneError(
            f"The result of the frozen encoder in {output_folder} was computed on other data "
            f"({result.dataset_revision}) than there is now ({task.metadata.revision}). Name another folder."
        )
    table = TextTable()
    items, _ = polarity_items(task.dataset[split].to_list(), table)

    meta = model.mteb_model_meta
    folder = output_folder / "finetune" / meta.model_name_as_path() / str(meta.revision)
    folder = folder / f"{task_name}-{split}-{result.dataset_revision}-epochs{max_epochs}-batch{batch_size}"
    (entry,) = result.scores[split]
    for classifier in classifiers:
        runs = [
            _one_training(encoder, table.texts, items, classifier, seed, folder, max_epochs, batch_size)
            for seed in seeds
        ]
        entry |= over_seeds(runs)  # type: ignore[operator]
    entry |= {"ft_n_seeds": len(seeds), "ft_max_epochs": max_epochs, "ft_batch_size": batch_size}  # type: ignore[operator]
    result.scores[split] = [entry]
    cache.save_to_cache(result, meta)
    return result


def load_model(name: str) -> MTEBModels:
    """The model that mteb knows under a name, or the sentence-transformers model in a folder."""
    local = local_meta(name)
    return local.load_model() if local else mteb.get_model(name)


def trainable_encoder(model: Any) -> SentenceTransformer:
    """The SentenceTransformer inside a model of mteb.

    Raises:
        FinetuneError: There is none, or it has no parameters.
    """
    encoder = getattr(model, "model", model)
    name = getattr(getattr(model, "mteb_model_meta", None), "name", repr(model))
    if not isinstance(encoder, SentenceTransformer):
        raise FinetuneError(
            f"{name} cannot be fine-tuned here: its encoder is {type(encoder).__name__}, a SentenceTransformer is "
            "needed. Models that sentence-transformers loads are."
        )
    if not any(parameter.numel() for parameter in encoder.parameters()):
        raise FinetuneError(f"{name} cannot be fine-tuned: it has no parameters.")
    return encoder


def _one_training(
    encoder: SentenceTransformer,
    texts: list[str],
    items: PolarityItems,
    classifier: str,
    seed: int,
    folder: Path,
    max_epochs: int,
    batch_size: int,
) -> dict[str, float]:
    """The scores of one classifier and seed, from `<folder>/<classifier>-seed<seed>.json` if it is finished."""
    done = folder / f"{classifier}-seed{seed}.json"
    if done.is_file():
        finished: dict[str, float] = json.loads(done.read_text(encoding="utf-8"))
        return finished
    checkpoints = folder / f"{classifier}-seed{seed}"
    checkpoints.mkdir(parents=True, exist_ok=True)
    labels, epochs = train_and_label(
        encoder, texts, items, CLASSIFIERS[classifier], seed, checkpoints, max_epochs, batch_size
    )
    scores, _ = polarity_scores(labels, items, f"ft_{classifier}")
    scores[f"ft_{classifier}_epochs"] = epochs
    with whole_file(done) as partial:
        partial.write_text(json.dumps(scores), encoding="utf-8")
    shutil.rmtree(checkpoints)
    return scores


def train_and_label(
    encoder: SentenceTransformer,
    texts: list[str],
    items: PolarityItems,
    hidden_units: Sequence[int],
    seed: int,
    checkpoints: Path,
    max_epochs: int,
    batch_size: int,
) -> tuple[NDArray[np.intp], float]:
    """Train a copy of the encoder with a classifier, and let it label what is asked.

    Args:
        encoder: Is not changed.
        texts: The distinct texts.
        items: What is learned from and asked: rows of `texts`.
        hidden_units: Of the classifier; none for a linear one.
        seed: Of the classifier's first weights, the order of the sentences, the validation share.
        checkpoints: A folder; training goes on from the last checkpoint in it.
        max_epochs: No more epochs than these.
        batch_size: Sentences per step.

    Returns:
        A label per text, -1 for those not asked, shape (n,); and how many epochs were trained.
    """
    torch.manual_seed(seed)
    network = PolarityClassifier(copy.deepcopy(encoder), hidden_units)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network.to(device)

    prepare = getattr(encoder, "preprocess", None) or encoder.tokenize  # its name in earlier sentence-transformers

    def collate(rows: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = {"features": prepare([row["text"] for row in rows])}
        if "label" in rows[0]:
            batch["labels"] = torch.tensor([row["label"] for row in rows])
        return batch

    examples = [
        {"text": texts[row], "label": int(label)} for row, label in zip(items.train, items.train_labels, strict=True)
    ]
    held_out = subsample(items.train_labels, max(2, round(VALIDATION_SHARE * len(examples))), seed)
    validation = set(held_out.tolist())
    trainer = Trainer(
        model=network,
        args=TrainingArguments(
            output_dir=str(checkpoints),
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
        train_dataset=[example for number, example in enumerate(examples) if number not in validation],
        eval_dataset=[examples[number] for number in held_out],
        data_collator=collate,
        callbacks=[EarlyStoppingCallback(early_stopping_patience=PATIENCE)],
        optimizers=(torch.optim.AdamW(network.learning_rates()), None),
    )
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(checkpoints)))  # type: ignore[no-untyped-call]

    asked = np.unique(np.concatenate([items.held_out, items.pairs.ravel()]))
    logits = trainer.predict([{"text": texts[row]} for row in asked]).predictions  # type: ignore[arg-type]
    labels = np.full(len(texts), -1)
    labels[asked] = np.asarray(logits).argmax(axis=1)
    return labels, float(trainer.state.epoch or 0)
