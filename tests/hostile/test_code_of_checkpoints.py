"""Code that came with a checkpoint is executed by no command, unless the user says so; it would
leave a file behind.
"""

import json

import pytest

from harness_ext.common.errors import UnknownNameError
from harness_ext.encoders.models.folder_code import check_folder
from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.leaderboard.checks.rerun import rerun
from harness_ext.results.load import load_results
from tests.command_line import save_tiny
from tests.results.measured import QUICK

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


MODULE = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
from sentence_transformers.models import Transformer
class PlantedTransformer(Transformer): pass
def planted_activation(): pass
"""


def name_a_module(folder):
    """As the first of the modules of the model."""
    file = folder / "modules.json"
    modules = json.loads(file.read_text())
    modules[0]["type"] = "planted_modules.PlantedTransformer"
    file.write_text(json.dumps(modules))


def add_a_module(folder, kind, file, content):
    """Behind the others: of the library, but with code of the folder in its own file."""
    modules = json.loads((folder / "modules.json").read_text())
    number = len(modules)
    module = {"idx": number, "name": str(number), "path": f"{number}_More"}
    module["type"] = f"sentence_transformers.models.{kind}"
    (folder / module["path"]).mkdir()
    (folder / module["path"] / file).write_text(json.dumps(content))
    (folder / "modules.json").write_text(json.dumps([*modules, module]))


WAYS = {
    "a module": name_a_module,
    "a router": lambda folder: add_a_module(
        folder,
        "Router",
        "router_config.json",
        {"types": {"x": "planted_modules.PlantedTransformer"}, "structure": {"query": ["x"]}},
    ),
    "an activation function": lambda folder: add_a_module(
        folder,
        "Dense",
        "config.json",
        {
            "in_features": 2,
            "out_features": 2,
            "bias": True,
            "activation_function": "planted_modules.planted_activation",
        },
    ),
}


@pytest.mark.parametrize("way", ["a path", "a link", "a route"])
def test_modules_outside_of_the_folder_are_not_loaded(way, tmp_path):
    """Whose files nobody looks at, and which may name code."""
    save_tiny(tmp_path)
    folder = tmp_path / "tiny"
    outside = tmp_path / "outside"
    outside.mkdir()
    check_folder(folder)
    if way == "a route":
        types = {"../../outside": "sentence_transformers.models.Dense"}
        add_a_module(folder, "Router", "router_config.json", {"types": types})
    else:
        modules = json.loads((folder / "modules.json").read_text())
        place = "../outside" if way == "a path" else "linked"
        (folder / "linked").symlink_to(outside)
        module = {"idx": len(modules), "name": "more", "path": place}
        module["type"] = "sentence_transformers.models.Dense"
        (folder / "modules.json").write_text(json.dumps([*modules, module]))
    with pytest.raises(UnknownNameError, match="outside of the model's folder"):
        check_folder(folder)


@pytest.mark.parametrize("way", WAYS)
def test_code_that_the_files_of_a_folder_name(way, tmp_path, monkeypatch):
    """sentence-transformers 5.2 imports it, unasked; the folder may be the current one, too."""
    marker = tmp_path / "marker"
    save_tiny(tmp_path)
    folder = tmp_path / "tiny"
    (folder / "planted_modules.py").write_text(MODULE.format(marker=str(marker)))
    check_folder(folder)
    WAYS[way](folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("transformers.dynamic_module_utils.TIME_OUT_REMOTE_CODE", 0)
    with pytest.raises(UnknownNameError, match=r"planted_modules.*trust_remote_code"):
        load_model("./tiny")
    assert not marker.exists(), "the code was executed"


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_a_rerun_takes_no_submitted_name_for_a_place(kind, measured_folder, tmp_path, monkeypatch):
    """A folder of the model's name, where the rerun is started: as in a checkout of the pull
    request.
    """
    marker = tmp_path / "marker"
    save_tiny(tmp_path)
    (tmp_path / "tiny" / "planted_modules.py").write_text(MODULE.format(marker=str(marker)))
    name_a_module(tmp_path / "tiny")
    place = tmp_path / "planted" / "one"
    place.parent.mkdir()
    if kind == "folder":
        (tmp_path / "tiny").rename(place)
    elif kind == "file":
        place.write_text("no model")
    else:
        place.symlink_to(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mteb.get_model", lambda *args, **kwargs: pytest.fail("it was loaded"))
    entries = load_results(measured_folder, QUICK[0], "planted/one").entries
    ((record, (finding,)),) = rerun(entries, "Somebody")
    assert record is None
    assert "a folder or file here" in finding.message
    assert not marker.exists()
