"""Revisions of the papers' models: a plain name on the Hub is mteb's own, a name with options takes
the one asked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import mteb
import pytest

from harness_ext.encoders.models.registry import MODELS
from harness_ext.results.load import load_results
from tests.command_line import harness_ext
from tests.loopback_hub import EARLIER, LATEST, loopback_hub

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "example_results"

BERT = "google-bert/bert-base-uncased"
PLAIN = {
    BERT,
    "Muennighoff/SGPT-125M-weightedmean-nli-bitfit",
    "sentence-transformers/allenai-specter",
    "sentence-transformers/distiluse-base-multilingual-cased",
    "sentence-transformers/facebook-dpr-ctx_encoder-multiset-base",
}
WITH_OPTIONS = {meta.name for meta in MODELS if " (" in meta.name}

ASKED = """if True:
    import json, sys, mteb
    names, revisions = json.loads(sys.argv[1]), [None, *json.loads(sys.argv[2])]
    def asked(name, revision, from_hub):
        try:
            meta = mteb.get_model_meta(name, revision, fetch_from_hf=from_hub)
        except Exception as error:
            return [type(error).__name__]
        loader = f"{meta.loader.__module__}.{meta.loader.__qualname__}"
        return [loader, {name: str(value) for name, value in meta.to_dict().items()}]
    print(json.dumps({
        f"{name}, {revision}, {from_hub}": asked(name, revision, from_hub)
        for name in names for revision in revisions for from_hub in (True, False)
    }))
"""
"""Prints what `mteb.get_model_meta` says of names, each without a revision and at some."""


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """What mteb says of names at revisions, in a process: mteb's own, or with this project."""
    folder = tmp_path_factory.mktemp("hub")
    with loopback_hub(folder) as environment:

        def ask(names, revisions, *, with_us):
            arguments = [json.dumps(sorted(names)), json.dumps(revisions)]
            switch = {"HARNESS_EXT_AUTOLOAD": str(int(with_us))}
            done = subprocess.run(
                [sys.executable, "-c", ASKED, *arguments],
                env={**os.environ, **environment, **switch},
                capture_output=True,
                text=True,
                timeout=600,
            )
            assert done.returncode == 0, done.stderr
            *_, last_line = done.stdout.splitlines()
            return json.loads(last_line)

        yield ask


def test_plain_names_and_names_with_options_are_apart():
    assert PLAIN
    assert WITH_OPTIONS
    assert not PLAIN & {meta.name for meta in MODELS}


@pytest.mark.slow
def test_a_plain_name_is_what_mteb_makes_of_it(ask):
    of_mteb = ask(PLAIN, [EARLIER], with_us=False)
    assert ask(PLAIN, [EARLIER], with_us=True) == of_mteb
    for name in PLAIN:  # else nothing is compared
        assert of_mteb[f"{name}, None, True"][1]["revision"] == LATEST
        assert of_mteb[f"{name}, {EARLIER}, True"][1]["revision"] == EARLIER
        assert of_mteb[f"{name}, {EARLIER}, False"] == ["KeyError"]


@pytest.mark.slow
def test_a_name_with_options_takes_the_revision_that_is_asked(ask):
    found = ask(WITH_OPTIONS, [EARLIER, "1"], with_us=True)
    for meta in MODELS:
        if meta.name not in WITH_OPTIONS:
            continue
        for from_hub in (True, False):
            loader, said = found[f"{meta.name}, None, {from_hub}"]
            assert said["revision"] == str(meta.revision)
            for revision in (EARLIER, "1"):
                expected = [loader, {**said, "revision": revision}]
                if meta.revision not in {None, revision}:  # it was published once
                    expected = ["ValueError"]
                assert found[f"{meta.name}, {revision}, {from_hub}"] == expected


@pytest.mark.parametrize("option", ["standardized", "additive"])
def test_more_options_take_it_too(option):
    name = f"{BERT} (pooling=cls, {option})"
    meta = mteb.get_model_meta(name, EARLIER, fetch_from_hf=True)
    assert meta.revision == EARLIER
    assert meta.loader_kwargs == {"plain": f"{BERT} (pooling=cls)"}


def test_the_metadata_of_mteb_itself_refuse_another_revision():
    with pytest.raises(ValueError, match="Model revision 1 not found"):
        mteb.get_model_meta("sentence-transformers/LaBSE", "1")


@pytest.mark.parametrize("name", [BERT, f"{BERT} (pooling=cls)"])
def test_results_without_a_revision_are_read(name, tmp_path):
    """As mteb wrote them: of a name on the Hub whose metadata named none."""
    task = "EpsilonCompositionalityMini"
    (file,) = EXAMPLE.glob(f"results/*MiniLM-L6-v2/*/{task}.json")
    name_of_folder = name.replace("/", "__").replace(" ", "_")
    folder = tmp_path / "results" / name_of_folder / "no_revision_available"
    folder.mkdir(parents=True)
    shutil.copy(file, folder)
    meta = json.loads(file.with_name("model_meta.json").read_text())
    meta |= {"name": name, "revision": None}
    (folder / "model_meta.json").write_text(json.dumps(meta))
    (entry,) = load_results(tmp_path).entries
    assert entry.model == name
    assert entry.revision == "no_revision_available"
    shown = harness_ext("show", tmp_path, "-m", name)
    assert shown.exit_code == 0
    assert f"{entry.main_score:.3f}".lstrip("0") in shown.stdout
    cache = mteb.ResultCache(tmp_path)
    (of_mteb,) = cache.load_results(models=[name], tasks=[task]).model_results
    (result,) = of_mteb.task_results
    assert result.task_name == task
    if name in WITH_OPTIONS:
        result = cache.load_task_result(task, mteb.get_model_meta(name))
        assert result.get_score() == pytest.approx(entry.main_score)
