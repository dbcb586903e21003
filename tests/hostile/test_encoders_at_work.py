"""Encoders that fail while they work, and checkpoints that bring code of their own.

Code that came with a checkpoint is executed by no command, unless the user says so; it would leave a file behind.
"""

import json

import numpy as np
import pytest

from harness_ext.encoders.texts import EncodingError
from tests.command_line import harness_ext
from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece
from tests.hostile.planted_results import FIRST, TASK, file_of, measure, score_in, sound

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]
CODE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from transformers import BertConfig, BertModel
class PlantedConfig(BertConfig): model_type = "planted"
class PlantedModel(BertModel): config_class = PlantedConfig
"""


def test_an_encoder_that_fails_leaves_the_result_that_was_there(tmp_path):
    """Every kind of vector that is refused is tried in `tests/encoders/test_vectors.py`."""
    out = sound(tmp_path)
    score = score_in(file_of(out))
    with pytest.raises(EncodingError, match=rf"(?s){FIRST}.*NaN"):
        measure(out, make=lambda v: np.vstack([v[:-1], v[-1:] * np.nan]), overwrite_strategy="always")
    assert score_in(file_of(out)) == score


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
        ("mteb", "run", "-m", "./model", "-t", TASK, "--output-folder", "out"),
        ("mteb", "run", "-m", "./model (pooling=cls)", "-t", TASK, "--output-folder", "out"),
        ("harness-ext", "finetune-pss", "-m", "./model", "--task", "PolaritySensitivityMini"),
    ],
)
def test_code_of_a_checkpoint(line, tmp_path, run):
    """Right if the command does without the code, clear if it says that it does not execute it."""
    marker = tmp_path / "marker"
    checkpoint(tmp_path / "model", marker)
    done = run(*line, check=False, HF_MODULES_CACHE=str(tmp_path / "modules"))
    assert not marker.exists(), "the code was executed"
    assert done.returncode == 0 or "trust_remote_code" in done.stdout + done.stderr
    assert line[0] == "mteb" or "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["/no/such", "\N{SNOWMAN}"])
def test_nonsense_in_every_variable(value, tmp_path, monkeypatch):
    """Results are shown all the same."""
    for name in ("MIRROR", "CACHE", "VECTORS", "SENTIMENT_TREES", "USE", "ELMO", "ITEMS", "ALLOW_UNVERIFIED"):
        monkeypatch.setenv(f"HARNESS_EXT_{name}", value)
    assert FIRST in harness_ext("show", sound(tmp_path)).output
