"""Code that came with a checkpoint is executed by no command, unless the user says so; it would
leave a file behind.
"""

import json

import pytest

from harness_ext.common.errors import UnknownNameError
from harness_ext.harnesses.mteb.registration import load_model
from tests.command_line import save_tiny

CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
"""


def needs_code(folder, marker):
    """Make a saved model need code of its own."""
    (folder / "planted_code.py").write_text(CODE.format(marker=str(marker)))
    said = json.loads((folder / "config.json").read_text())
    code = {"AutoConfig": "planted_code.PlantedConfig", "AutoModel": "planted_code.PlantedModel"}
    (folder / "config.json").write_text(
        json.dumps({**said, "model_type": "planted", "auto_map": code})
    )


@pytest.mark.parametrize("name", ["./tiny", "./tiny (pooling=cls)"])
def test_code_of_a_checkpoint(name, tmp_path, monkeypatch):
    """As every command loads a model."""
    marker = tmp_path / "marker"
    save_tiny(tmp_path)
    needs_code(tmp_path / "tiny", marker)
    monkeypatch.chdir(tmp_path)
    # it waits for an answer else
    monkeypatch.setattr("transformers.dynamic_module_utils.TIME_OUT_REMOTE_CODE", 0)
    with pytest.raises(UnknownNameError, match="trust_remote_code"):
        load_model(name)
    assert not marker.exists(), "the code was executed"
