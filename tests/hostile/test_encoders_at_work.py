"""Encoders that fail while they work, and checkpoints that bring code of their own.

Code that came with a checkpoint is executed by no command, unless the user says so; it would leave a file behind.
"""

import json

import numpy as np
import pytest

from harness_ext.encoders.texts import EncodingError
from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece
from tests.planted import PlantedModel, entries_of, letters
from tests.results.measured import QUICK

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]
TASK = QUICK[0]
CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
"""


def test_an_encoder_that_fails_leaves_the_result_that_was_there(measured_copy):
    """Every kind of vector that is refused is tried in `tests/encoders/test_vectors.py`."""
    file = measured_copy / "results" / "planted__one" / "1" / f"{TASK}.json"
    before = file.read_bytes()
    model = PlantedModel(letters, "planted/one", make=lambda v: np.vstack([v[:-1], v[-1:] * np.nan]))
    with pytest.raises(EncodingError, match=r"(?s)planted/one.*NaN"):
        entries_of(model, TASK, measured_copy, overwrite_strategy="always")
    assert file.read_bytes() == before


def checkpoint(folder, marker):
    """A small BERT that needs code of its own, as sentence-transformers saves one."""
    words = wordpiece()
    save_pooled(folder, save(folder.with_name("plain"), small_bert(words), fast(words, model_max_length=64)))
    (folder / "planted_code.py").write_text(CODE.format(marker=str(marker)))
    said = json.loads((folder / "config.json").read_text())
    code = {"AutoConfig": "planted_code.PlantedConfig", "AutoModel": "planted_code.PlantedModel"}
    (folder / "config.json").write_text(json.dumps({**said, "model_type": "planted", "auto_map": code}))


@pytest.mark.parametrize(
    "line",
    [
        ("mteb", "run", "-m", "./model (pooling=cls)", "-t", TASK, "--output-folder", "out"),
        ("harness-ext", "finetune-pss", "-m", "./model", "--task", "PolaritySensitivityMini"),
    ],
)
def test_code_of_a_checkpoint(line, tmp_path, run):
    """Right if the command does without the code, clear if it says that it does not execute it."""
    marker = tmp_path / "marker"
    checkpoint(tmp_path / "model", marker)
    done = run(*line, check=False)
    assert not marker.exists(), "the code was executed"
    assert done.returncode == 0 or "trust_remote_code" in done.stdout + done.stderr
    assert line[0] == "mteb" or "Traceback" not in done.stderr
