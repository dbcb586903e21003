"""Whatever is named wrongly, the error is the same, and says what was meant."""

import json
import os
import re
import sys
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
from harness_ext.encoders.models.registry import check_name
from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.leaderboard.checks.declared import SubmittedModel, model_findings
from harness_ext.own_data.fields import measure_named
from harness_ext.show.explain import explain
from harness_ext.show.published_tables import select_cells
from harness_ext.sweep.job import Job
from harness_ext.sweep.layers import measure_layers
from tests.command_line import KNOWN, RESULTS, harness_ext
from tests.encoders.library_modules import StaticEmbedding
from tests.leaderboard.test_hub import needs_newer_hub
from tests.loopback_hub import loopback_hub
from tests.some_quick import every_third_quick

WRONG = "montagueconsistencyfst"
RIGHT = "MontagueConsistencyFast"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nothere (additive)", "./nothere: no such folder or file"),
        ("a/b/c", "a/b/c: no such folder or file"),
        ("a/b (poling=cls)", "poling: no such option. Did you mean pooling"),
        ("a/b (standardized, pooling=cls)", "another order"),
        ("a/b ()", "a/b (): no model has such a name. Write a/b."),
    ],
)
def test_a_model_that_there_cannot_be_is_named_before_anything_is_loaded(
    name, message, tmp_path, monkeypatch
):
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


def test_a_pipe_is_no_model(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnknownNameError, match="pipe: no such folder or file"):
        load_model(str(tmp_path / "pipe"))


FORMS = (
    "A model is ORGANIZATION/NAME on the Hub, a folder such as ./FOLDER, or "
    "http://HOST:PORT/v1#MODEL."
)
MODEL_OF_SERVER = "for a model of a server."
REVISION = "A revision is no part of a name: mteb run has --model-revision"
COPIED = {
    "my other model": f"my other model: no model has such a name. {FORMS}",
    "D:\\data\\model": f"D:\\data\\model: no such folder or file. {FORMS}",
    "acme/small/": (
        "acme/small/: no such folder or file. Write acme/small for the model on the Hub."
    ),
    "models--acme--small/snapshots/1": (
        "Write acme/small for the model in this folder of the cache."
    ),
    "acme/small@v2": f"no model has such a name. Write acme/small. {REVISION} v2.",
    "acme/small:v2": f"no model has such a name. Write acme/small. {REVISION} v2.",
    "0.0.0.0:8000/v1#small": f"Write http://0.0.0.0:8000/v1#small {MODEL_OF_SERVER}",
    "gpu-1:8000": (
        f"gpu-1:8000: no model has such a name. Write http://gpu-1:8000/v1#MODEL {MODEL_OF_SERVER}"
    ),
    "vllm:small": (
        f"vllm:small: no model has such a name. Write http://HOST:PORT/v1#small {MODEL_OF_SERVER}"
    ),
    "hf:acme/small": (
        "Write acme/small for the model on the Hub, or http://HOST:PORT/v1#acme/small "
        f"{MODEL_OF_SERVER}"
    ),
    "": f"'': the name is empty. {FORMS}",
    "  ": f"'  ': the name is empty. {FORMS}",
    "acme/small\n": r"'acme/small\n': no model has such a name. Write acme/small.",
    "“acme/small”,": "no model has such a name. Write acme/small.",
    "acme/small (layer=6": (
        "acme/small (layer=6: its options have other brackets. Write acme/small (layer=6)."
    ),
    "acme/small[additive]": (
        "acme/small[additive]: its options have other brackets. Write acme/small (additive)."
    ),
    "https://huggingface.co/acme/small/tree/main?library=x": (
        "https://huggingface.co/acme/small/tree/main: it is the page of a model. Write acme/small."
    ),
    "huggingface.co/acme/small": (
        "huggingface.co/acme/small: no such folder or file. Write acme/small."
    ),
    "a" * 5000: "no model has such a name. A model is",
    "http://gpu-1:8000": (
        "http://gpu-1:8000: a model behind an endpoint is http://gpu-1:8000/v1#MODEL, without"
    ),
    "https://[acme": f"An address of a model cannot be read. {FORMS}",
}
"""Texts that people copy -> what is said of them."""


@pytest.mark.parametrize("name", every_third_quick(COPIED))
def test_a_text_that_people_copy_is_one_line_that_says_what_to_write(
    name, tmp_path, monkeypatch, capsys
):
    """Through every command that loads a model, and `mteb run`."""
    monkeypatch.chdir(tmp_path)
    pairs = RESULTS.parent / "own_data" / "faq_pairs.csv"
    (tmp_path / "m.txt").write_text(f"mteb/baseline-random-encoder\n{name}\n")
    lines = [
        ["safe-to-merge", "-m", name],
        ["layers", "-m", name, "-t", RIGHT],
        ["finetune-pss", "-m", name],
        ["measure", "merge_opposites", pairs, "-m", "mteb/baseline-random-encoder", "-m", name],
    ]
    if name == name.strip() != "":
        lines.append(["sweep", "--models", "m.txt", "-t", RIGHT])
    for line in lines:
        done = harness_ext(*line)
        *_, last = done.stderr.splitlines()
        assert done.exit_code == 2, (line, done.output)
        assert last.startswith("Error: "), (line, done.stderr)
        assert COPIED[name] in last, line
        assert "Traceback" not in done.stderr, line
    assert not (tmp_path / "results").exists()  # nothing was measured before
    monkeypatch.setattr(sys, "argv", ["mteb", "run", "-m", name, "-t", RIGHT])
    with pytest.raises(SystemExit) as ended:
        mteb.get_model(name)
    assert ended.value.code == 2
    assert COPIED[name] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("https://me:sk-1@gpu-1:80/v1#m", "sk-1"),
        ("http://gpu-1/v1?key=sk-1#m", "sk-1"),
        ("me:sk-1@gpu-1:80/v1#m", "sk-1"),
        ("gpu-1:80/v1?key=sk-1", "sk-1"),
    ],
)
def test_a_key_in_an_address_is_not_repeated(name, key):
    with pytest.raises(UnknownNameError, match="gpu-1") as error:
        ModelName.parse(name).check()
    assert key not in str(error.value)


def test_names_of_mteb_with_options_of_their_own_are_no_wrong_names():
    for name in (
        "voyageai/voyage-3.5 (output_dtype=int8)",
        "mongodb/voyage-3.5 (output_dtype=int8) (additive)",
    ):
        check_name(name)


@pytest.mark.slow
def test_a_name_that_the_hub_does_not_have_is_one_line(run, tmp_path):
    with loopback_hub(tmp_path / "hub") as environment:
        for line in (["harness-ext", "safe-to-merge"], ["mteb", "run", "-t", RIGHT]):
            done = run(*line, "-m", "nobody/small", check=False, **environment)
            *_, last = done.stderr.splitlines()
            said = (
                "Error: nobody/small cannot be loaded: the Hub has no such model, or none that is "
                "public."
            )
            assert done.returncode == 2, done.stderr
            assert last.startswith(said), done.stderr
            assert "Traceback" not in done.stderr


def test_a_model_of_which_mteb_has_metadata_alone_is_one_line():
    without_a_loader = [meta for meta in mteb.get_model_metas() if meta.loader is None]
    name = without_a_loader[0].name
    done = harness_ext("safe-to-merge", "-m", name)
    assert done.exit_code == 2
    *_, last = done.stderr.splitlines()
    reason = "No model implementation is available for this model."
    assert last == f"Error: {name} cannot be loaded: {reason}"


@pytest.mark.parametrize(
    "line",
    [
        ["show"],
        ["compare"],
        ["submit"],
        pytest.param(["publish", "--org", "a", "--to", "to"], marks=needs_newer_hub),
    ],
)
@pytest.mark.parametrize("name", ["", "my model"])
def test_results_of_a_wrong_name_are_not_those_of_another(line, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, *options = line
    done = harness_ext(command, RESULTS, "-m", name, *options)
    assert done.exit_code == 2, done.output
    assert f"Error: {name or repr(name)}: no such model in {RESULTS}." in done.stderr


PAGE_OF_MODELS = Path(__file__).parents[1] / "docs" / "models.md"


@pytest.mark.slow
def test_the_smallest_encoder_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGE_OF_MODELS.read_text(encoding="utf-8")
    blocks = re.findall(r"(?s)```python\n(.*?)```", page)
    (code,) = [block for block in blocks if "mteb_model_meta" in block]
    exec(code, {})
    assert [entry.model for entry in load_results("results").entries] == ["me/letters"]


def test_an_object_that_is_no_model_of_mteb_is_told_what_it_lacks():
    class Mine:
        def encode(self, texts):
            return [[1.0]] * len(texts)

    with pytest.raises(TypeError, match=r"model is a Mine(?s:.*)mteb_model_meta = "):
        mteb.evaluate(Mine(), mteb.get_task(RIGHT))


def measure_a_task():
    measure(len, WRONG)


def explain_a_score_of_a_task():
    explain("auc_nc_vs_c", WRONG)


def explain_a_score():
    explain("auc_nc_vs_x")


def load_results_of_a_part_of_a_name_in_other_letters():
    load_results(".", "epsilon")


def sweep_a_benchmark():
    Job("m", (), ("compositionality",), Path()).tasks()


def compare_by_a_column():
    compare(load_results(RESULTS).entries, "clas")


def compare_a_score():
    compare(load_results(RESULTS).entries, score="auc_nc_vs_x")


def ask_an_entry_for_a_score():
    load_results(RESULTS).entries[0].statistic("auc_nc_vs_x")


def load_results_of_a_model():
    load_results(RESULTS, models=KNOWN.replace("v2", "v3"))


def check_a_dataset():
    list(check_sources(["ncmip"]))


def find_a_measure():
    measure_named("epsilom")


def select_a_published_model():
    select_cells("EpsilonCompositionality", ["bert-base-uncasd (pooling=cls)"])


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (measure_a_task, RIGHT),
        (explain_a_score_of_a_task, RIGHT),
        (explain_a_score, "auc_nc_vs_c"),
        (load_results_of_a_part_of_a_name_in_other_letters, "EpsilonCompositionality"),
        pytest.param(sweep_a_benchmark, "Compositionality", marks=pytest.mark.slow),
        (compare_by_a_column, "class"),
        (compare_a_score, "auc_nc_vs_c"),
        (ask_an_entry_for_a_score, "auc_nc_vs_c"),
        (load_results_of_a_model, KNOWN),
        (check_a_dataset, "ncimp"),
        (find_a_measure, "epsilon"),
        (select_a_published_model, "bert-base-uncased"),
    ],
)
def test_a_wrong_name_is_one_kind_of_error_and_says_what_was_meant(ask, meant):
    with pytest.raises(UnknownNameError, match=f"no such .*Did you mean .*{meant}") as error:
        ask()
    _, _, question = str(error.value).partition("Did you mean ")
    suggestions = question.partition("?")[0].split(" or ")
    assert len({*suggestions}) == len(suggestions)


def test_a_folder_has_a_name_that_a_board_takes(tmp_path):
    folder = tmp_path / "Müller-模型"
    vocabulary = {letter: number for number, letter in enumerate(ascii_lowercase)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="a"))
    embedding = StaticEmbedding(tokenizer, embedding_dim=4)
    SentenceTransformer(modules=[embedding]).save(str(folder))
    meta = mteb.get_model_meta(str(folder), fetch_from_hf=True)
    assert meta.name == "local/Muller-__"
    place = tmp_path / "local__Muller-__" / meta.revision
    place.mkdir(parents=True)
    (place / "model_meta.json").write_text(
        json.dumps({"name": meta.name, "revision": meta.revision})
    )
    findings = model_findings(SubmittedModel.read(place))
    assert not [finding for finding in findings if finding.refused]
    with pytest.raises(
        (ValueError, UnknownNameError),
        match=r"has no layers: it is no transformer|cannot be loaded: ",
    ):
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
