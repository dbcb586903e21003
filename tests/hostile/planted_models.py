"""Small models in folders: word vectors, and a BERT that brings code of its own."""

import functools
import json
import shutil
import tempfile
from pathlib import Path

import mteb
from transformers import BertConfig, BertModel, BertTokenizerFast

from tests.encoders.tiny_transformers import save_pooled, save_static, word_level


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory()  # removed when this process ends


@functools.cache
def tiny_model():
    """A sentence-transformers model of word vectors, for the words of the polarity task."""
    task = mteb.get_task("PolaritySensitivityMini")
    task.load_data()
    texts = [text for part in task.dataset.values() for text in part["text"]]
    return Path(save_static(Path(_folder().name, "tiny"), word_level(texts)))


CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
from sentence_transformers.sentence_transformer.modules import Pooling
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
class PlantedPooling(Pooling): pass
"""

NEEDS_CODE = "a model that needs its code"
CHECKPOINTS = {
    NEEDS_CODE: {"model_type": "planted"},
    "a model that has code but does not need it": {"model_type": "bert"},
    "a module of sentence-transformers with code": {},
}
"""What its configuration says, beside where the code is; nothing of the code where only modules.json does."""


def checkpoint(folder, kind, marker):
    """A small BERT with code of its own, as sentence-transformers saves one."""
    base = folder.with_name("base")
    base.mkdir(parents=True)
    letters = [f"{hashes}{letter}" for hashes in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz"]
    (base / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]))
    BertTokenizerFast(str(base / "vocab.txt")).save_pretrained(base)
    sizes = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=64, **sizes)).save_pretrained(base)
    save_pooled(folder, str(base))
    shutil.rmtree(base)
    (folder / "planted_code.py").write_text(CODE.format(marker=str(marker)))
    if said := CHECKPOINTS[kind]:
        config = json.loads((folder / "config.json").read_text())
        code = {"AutoConfig": "planted_code.PlantedConfig", "AutoModel": "planted_code.PlantedModel"}
        (folder / "config.json").write_text(json.dumps({**config, **said, "auto_map": code}))
    else:
        modules = json.loads((folder / "modules.json").read_text())
        modules[1]["type"] = "planted_code.PlantedPooling"
        (folder / "modules.json").write_text(json.dumps(modules))
