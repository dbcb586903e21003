"""Whatever is named wrongly, the error is the same, and says what was meant."""

import json
import re
from pathlib import Path
from string import ascii_lowercase

import mteb
import pytest
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from harness_ext import compare, load_results, measure
from harness_ext.common.errors import UnknownNameError
from harness_ext.common.model_name import ModelName
from harness_ext.data.check import check_sources
from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.leaderboard.checks.declared import SubmittedModel, model_findings
from harness_ext.own_data.fields import own_measure
from harness_ext.show.explain import explain
from harness_ext.show.published_tables import select_cells
from harness_ext.sweep.job import Job
from harness_ext.sweep.layers import measure_layers
from tests.command_line import KNOWN, RESULTS, harness_ext
from tests.encoders.library_modules import StaticEmbedding

WRONG = "montagueconsistencyfst"
RIGHT = "MontagueConsistencyFast"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nothere (additive)", "./nothere: no such folder or file"),
        ("a/b/c", "a/b/c: no such folder or file"),
        ("a/b (poling=cls)", "poling: no such option. Did you mean pooling"),
        ("a/b (standardized, pooling=cls)", "another order"),
    ],
)
def test_a_model_that_there_cannot_be_is_named_before_anything_is_loaded(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.txt").write_text(name)
    if "(" in name:
        with pytest.raises(UnknownNameError, match=re.escape(message)):
            mteb.get_model_meta(name, fetch_from_hf=True)
    else:  # which could be mteb's, so that mteb answers
        assert mteb.get_model_meta(name, fetch_from_hf=True).revision == "no_revision_available"
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        load_model(name)
    done = harness_ext("sweep", "--models", "m.txt", "-t", RIGHT)
    assert message in done.stderr and done.exit_code == 2
    assert not (tmp_path / "results").exists()
    (tmp_path / "nothere").mkdir()
    (tmp_path / "a (1)").mkdir()
    for place in ("./nothere", "a (1)"):
        ModelName.parse(place).check()


def test_the_smallest_encoder_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    (code,) = (code for code in re.findall(r"(?s)```python\n(.*?)```", page) if "mteb_model_meta" in code)
    exec(code, {})
    assert [entry.model for entry in load_results("results").entries] == ["me/letters"]


def test_an_object_that_is_no_model_of_mteb_is_told_what_it_lacks():
    class Mine:
        def encode(self, texts):
            return [[1.0]] * len(texts)

    with pytest.raises(TypeError, match=r"model is a Mine(?s:.*)mteb_model_meta = "):
        mteb.evaluate(Mine(), mteb.get_task(RIGHT))


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: measure(len, WRONG), RIGHT),
        (lambda: explain("auc_nc_vs_c", WRONG), RIGHT),
        (lambda: explain("auc_nc_vs_x"), "auc_nc_vs_c"),
        (lambda: load_results(".", "epsilon"), "EpsilonCompositionality"),  # a part of it, in other letters
        pytest.param(
            lambda: Job("m", (), ("compositionality",), Path()).tasks(), "Compositionality", marks=pytest.mark.slow
        ),
        (lambda: compare(load_results(RESULTS).entries, "clas"), "class"),
        (lambda: compare(load_results(RESULTS).entries, score="auc_nc_vs_x"), "auc_nc_vs_c"),
        (lambda: load_results(RESULTS).entries[0].statistic("auc_nc_vs_x"), "auc_nc_vs_c"),
        (lambda: load_results(RESULTS, models=KNOWN.replace("v2", "v3")), KNOWN),
        (lambda: [*check_sources(["ncmip"])], "ncimp"),
        (lambda: own_measure("epsilom"), "epsilon"),
        (lambda: select_cells("EpsilonCompositionality", ["bert-base-uncasd (pooling=cls)"]), "bert-base-uncased"),
    ],
)
def test_a_wrong_name_is_one_kind_of_error_and_says_what_was_meant(ask, meant):
    with pytest.raises(UnknownNameError, match=f"no such .*Did you mean .*{meant}") as error:
        ask()
    near = str(error.value).partition("Did you mean ")[2].partition("?")[0].split(" or ")
    assert len({*near}) == len(near)


def test_a_folder_has_a_name_that_a_board_takes(tmp_path):
    folder = tmp_path / "Müller-模型"
    tokenizer = Tokenizer(WordLevel({letter: number for number, letter in enumerate(ascii_lowercase)}, unk_token="a"))
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=4)]).save(str(folder))
    meta = mteb.get_model_meta(str(folder), fetch_from_hf=True)
    assert meta.name == "local/Muller-__"
    place = tmp_path / "local__Muller-__" / meta.revision
    place.mkdir(parents=True)
    (place / "model_meta.json").write_text(json.dumps({"name": meta.name, "revision": meta.revision}))
    assert not [finding for finding in model_findings(SubmittedModel.read(place)) if finding.refused]
    with pytest.raises((ValueError, UnknownNameError), match=r"has no layers: it is no transformer|cannot be loaded: "):
        measure_layers(str(folder), ["EpsilonCompositionalityMini"], tmp_path / "results")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (["verify", str(RESULTS), "-t", "Epsilon"], "EpsilonCompositionality"),
        (["safe-to-merge", "-m", KNOWN.replace("Mini", "Min")], KNOWN),
    ],
)
def test_a_command_says_what_was_meant(line, meant):
    done = harness_ext(*line)
    assert done.exit_code == 2
    assert f"Did you mean {meant} " in done.stderr
