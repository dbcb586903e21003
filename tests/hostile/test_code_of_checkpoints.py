"""Code that came with a checkpoint is executed by no command, unless the user says so; it would leave a file behind."""

import json

import pytest

from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.names import UnknownNameError
from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece

CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
"""


def checkpoint(folder, marker):
    """A small BERT that needs code of its own, as sentence-transformers saves one."""
    words = wordpiece()
    save_pooled(folder, save(folder.with_name("plain"), small_bert(words), fast(words, model_max_length=64)))
    (folder / "planted_code.py").write_text(CODE.format(marker=str(marker)))
    said = json.loads((folder / "config.json").read_text())
    code = {"AutoConfig": "planted_code.PlantedConfig", "AutoModel": "planted_code.PlantedModel"}
    (folder / "config.json").write_text(json.dumps({**said, "model_type": "planted", "auto_map": code}))


@pytest.mark.parametrize("name", ["./model", "./model (pooling=cls)"])
def test_code_of_a_checkpoint(name, tmp_path, monkeypatch):
    """As every command loads a model."""
    marker = tmp_path / "marker"
    checkpoint(tmp_path / "model", marker)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("transformers.dynamic_module_utils.TIME_OUT_REMOTE_CODE", 0)  # it waits for an answer else
    with pytest.raises(UnknownNameError, match="trust_remote_code"):
        load_model(name)
    assert not marker.exists(), "the code was executed"
