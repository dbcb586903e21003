"""Fine-tuning with damaged checkpoints, other settings, unfit models: right are the scores of an untouched run."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mteb
from mteb.models import ModelMeta

from benchmarks.trials.encoders import Planted
from benchmarks.trials.trial import Trial, Verdict, environment, harness_ext, judge, judge_command, unless_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREA = "fine-tuning"
TASK = "PolaritySensitivityMini"
SPLIT = "mini_limit_80"


@functools.cache
def tiny_model() -> Path:
    """A sentence-transformers model of word vectors, for the words of the task."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.trainers import WordLevelTrainer

    task = mteb.get_task(TASK)
    task.load_data()
    words = Tokenizer(WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    texts = [text for part in task.dataset.values() for text in part["text"]]
    words.train_from_iterator(texts, WordLevelTrainer(special_tokens=["[PAD]", "[UNK]"]))
    torch.manual_seed(0)
    folder = Path(tempfile.mkdtemp(prefix="trials-"), "tiny")
    SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=8)], device="cpu").save(str(folder))
    return folder


def tune(out: Path, model: Any = None, **options: Any) -> dict[str, Any]:
    """Fine-tune one linear classifier for one epoch; the entry of the result file."""
    from harness_ext.tasks.polarity_finetuning import finetune_pss, load_model

    settings = {"task_name": TASK, "split": SPLIT, "seeds": (0,), "max_epochs": 1, "classifiers": ["linear"], **options}
    result = finetune_pss(load_model(str(tiny_model())) if model is None else model, out, **settings)
    ((entry,),) = result.scores.values()
    return dict(entry)


@functools.cache
def _template() -> tuple[Path, dict[str, Any]]:
    out = Path(tempfile.mkdtemp(prefix="trials-"))
    return out, tune(out)


def _finished(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A folder with a finished fine-tuning, and its entry."""
    template, entry = _template()
    shutil.copytree(template, folder / "out")
    return folder / "out", entry


def _same(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    return all(found.get(key) == value for key, value in expected.items() if key.startswith(("ft_", "fb_")))


def trials() -> Iterator[Trial]:
    """Checkpoints, settings, models, options."""
    for kind, damage in DONE.items():
        yield Trial(AREA, f"a finished training that is {kind}", functools.partial(_done, damage))
    for kind, damage in CHECKPOINTS.items():
        yield Trial(AREA, f"a checkpoint {kind}", functools.partial(_checkpoint, damage))
    yield Trial(AREA, "another classifier with other epochs", _other_settings)
    yield Trial(AREA, "fewer seeds than before", _fewer_seeds)
    yield Trial(AREA, "items removed", functools.partial(_items, lambda file: file.unlink()))
    yield Trial(AREA, "items cut", functools.partial(_items, lambda file: file.write_bytes(file.read_bytes()[:100])))
    yield Trial(AREA, "items switched off", _no_items)
    yield Trial(AREA, "another model in a folder of the same name", _same_name)
    yield Trial(AREA, "a result of the frozen encoder that is damaged", _damaged_result)
    for kind, (options, names) in OPTIONS.items():
        yield Trial(AREA, kind, functools.partial(_option, options, names))
    for kind, (arguments, names) in COMMANDS.items():
        yield Trial(AREA, f"the command with {kind}", functools.partial(_command, arguments, names))
    yield Trial(AREA, "a model without weights", _no_weights)


DONE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "null": lambda whole: b"null",
    "a list": lambda whole: b"[]",
    "without labels": lambda whole: b'{"epochs": 1.0}',
    "of too few labels": lambda whole: json.dumps({"epochs": 1.0, "labels": [0, 1]}).encode(),
    "of labels that there are not": lambda whole: whole.replace(b"1,", b"7,"),
    "of words for labels": lambda whole: json.dumps({"epochs": 1.0, "labels": ["good"]}).encode(),
    "without a number of epochs": lambda whole: whole.replace(b'"epochs": 1.0', b'"epochs": "many"'),
    "in UTF-16": lambda whole: whole.decode().encode("utf-16"),
    "zeros": lambda whole: bytes(len(whole)),
}


def _done(damage: Callable[[bytes], bytes], folder: Path) -> Verdict:
    """It is trained anew, and that is said."""
    out, expected = _finished(folder)
    (file,) = out.glob("finetune/**/linear-seed0.json")
    file.write_bytes(damage(file.read_bytes()))
    return unless_lost(out, lambda: judge(lambda: tune(out), lambda found: _same(found, expected), file.name))


CHECKPOINTS: dict[str, Callable[[Path], Any]] = {
    "that is an empty folder": lambda checkpoint: None,
    "of empty files": lambda checkpoint: [
        (checkpoint / name).touch() for name in ("model.safetensors", "optimizer.pt", "trainer_state.json")
    ],
    "of damaged files": lambda checkpoint: [
        (checkpoint / name).write_bytes(b"\x00{" * 50)
        for name in ("model.safetensors", "optimizer.pt", "scheduler.pt", "trainer_state.json", "rng_state.pth")
    ],
    "with a state of no epochs": lambda checkpoint: (checkpoint / "trainer_state.json").write_text("{}"),
}


def _checkpoint(damage: Callable[[Path], Any], folder: Path) -> Verdict:
    out, expected = _finished(folder)
    (file,) = out.glob("finetune/**/linear-seed0.json")
    file.unlink()
    checkpoint = file.with_suffix("") / "checkpoint-3"
    checkpoint.mkdir(parents=True)
    damage(checkpoint)
    return unless_lost(out, lambda: judge(lambda: tune(out), lambda found: _same(found, expected), checkpoint.name))


def _other_settings(folder: Path) -> Verdict:
    """What the one was trained with is not said of the other."""
    out, expected = _finished(folder)
    alone = tune(folder / "alone", classifiers=["dnn"], max_epochs=2)

    def right(found: dict[str, Any]) -> bool:
        own = {key: value for key, value in alone.items() if key.startswith("ft_dnn")}
        return _same(found, expected) and all(found.get(key) == value for key, value in own.items())

    return unless_lost(out, lambda: judge(lambda: tune(out, classifiers=["dnn"], max_epochs=2), right, "ft_"))


def _fewer_seeds(folder: Path) -> Verdict:
    """Nothing of the earlier ones stays."""
    expected = tune(folder / "out")
    tune(folder / "out", seeds=(0, 1))
    ours = {key for key in expected if key.startswith("ft_")}

    def right(found: dict[str, Any]) -> bool:
        return _same(found, expected) and {key for key in found if key.startswith("ft_")} == ours

    return judge(lambda: tune(folder / "out"), right, "ft_")


def _items(damage: Callable[[Path], Any], folder: Path) -> Verdict:
    out, expected = _finished(folder)
    for file in out.glob("results/*/*/*.items.parquet"):
        damage(file)
    return unless_lost(out, lambda: judge(lambda: tune(out), lambda found: _same(found, expected), TASK))


def _no_items(folder: Path) -> Verdict:
    with environment(HARNESS_EXT_ITEMS="0"):
        return judge(lambda: tune(folder / "out"), lambda found: "ft_linear_pss" in found, "HARNESS_EXT_ITEMS")


def _same_name(folder: Path) -> Verdict:
    """Its result is its own, not that of the first."""
    import torch
    from sentence_transformers import SentenceTransformer

    from harness_ext.tasks.polarity_finetuning import load_model

    out, _ = _finished(folder)
    other = SentenceTransformer(str(tiny_model()), device="cpu")
    with torch.no_grad():
        for weight in other.parameters():
            weight.copy_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)))
    other.save(str(folder / tiny_model().name))
    model = load_model(str(folder / tiny_model().name))
    alone = tune(folder / "alone", model)
    return unless_lost(out, lambda: judge(lambda: tune(out, model), lambda found: _same(found, alone), "tiny"))


def _damaged_result(folder: Path) -> Verdict:
    out, expected = _finished(folder)
    (file,) = out.glob(f"results/*/*/{TASK}.json")
    file.write_bytes(file.read_bytes()[:500])
    return judge(lambda: tune(out), lambda found: _same(found, expected), file.name)


OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a task that there is not": ({"task_name": "PolaritySensitivityMaxi"}, ("PolaritySensitivityMaxi",)),
    "another task of this project": ({"task_name": "EpsilonCompositionalityMini", "split": None}, ("Epsilon",)),
    "a task of mteb": ({"task_name": "STS12", "split": None}, ("STS12",)),
    "a split that there is not": ({"split": "test"}, ("test", "mini")),
    "a classifier that there is not": ({"classifiers": ["tree"]}, ("tree",)),
    "no seeds": ({"seeds": ()}, ("seed",)),
    "no epochs": ({"max_epochs": 0}, ("epoch",)),
    "a batch of no sentences": ({"batch_size": 0}, ("batch",)),
}


def _option(options: dict[str, Any], names: tuple[str, ...], folder: Path) -> Verdict:
    return judge(lambda: tune(folder / "out", **options), lambda found: False, *names)


COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a model that there is not": (("-m", "no/such-model"), ("no/such-model",)),
    "a folder without a model": (("-m", "."), (".",)),
    "a classifier that there is not": (("-m", "x", "--classifier", "tree"), ("tree", "linear")),
    "no seeds": (("-m", "x", "--seeds", "0"), ("--seeds",)),
    "no epochs": (("-m", "x", "--max-epochs", "0"), ("--max-epochs",)),
    "a split that there is not": (("-m", "MODEL", "--task", TASK, "--split", "test"), ("test",)),
    "a task that there is not": (("-m", "MODEL", "--task", "Nonsense"), ("Nonsense",)),
    "a task of another kind": (("-m", "MODEL", "--task", "TreeReconstructionMini"), ("TreeReconstructionMini",)),
}


def _command(arguments: tuple[str, ...], names: tuple[str, ...], folder: Path) -> Verdict:
    arguments = tuple(str(tiny_model()) if each == "MODEL" else each for each in arguments)
    return judge_command(harness_ext("finetune-pss", *arguments), lambda said: False, *names)


def _no_weights(folder: Path) -> Verdict:
    model = Planted(lambda vectors: vectors)
    model.mteb_model_meta = ModelMeta.create_empty({"name": "planted/none", "revision": "1"})
    return judge(lambda: tune(folder / "out", model), lambda found: False, "planted/none")
