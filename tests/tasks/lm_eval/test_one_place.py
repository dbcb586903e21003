"""A language model in both harnesses, and all it got on one page: by the literal commands of docs/lm_eval.md."""

from __future__ import annotations

import csv
import io
import json

import pytest

LM_EVAL = "--model hf --device cpu --batch_size 16 --limit 120 --output_path results --log_samples"
TASKS = "idiom_minimal_pairs_mini,modifier_entailment"
ENCODER = "tiny-gpt2 (lm_states=last_token)"


@pytest.mark.slow
def test_a_language_model_and_an_encoder_stand_on_one_page(run, tiny_causal_model, tmp_path):
    (tmp_path / "tiny-gpt2").symlink_to(tiny_causal_model)
    for arguments in ("pretrained=tiny-gpt2", "pretrained=tiny-gpt2,dtype=bfloat16"):
        run("lm-eval", "run", "--tasks", TASKS, "--model_args", arguments, *LM_EVAL.split())
    run("mteb", "run", "-m", ENCODER, "-t", "EpsilonCompositionalityMini", "--output-folder", "results")

    shown = run("harness-ext", "show", "results").stdout
    for text in (
        ENCODER,
        "tiny-gpt2 [dtype=bfloat16]",
        "EpsilonCompositionalityMini",
        "idiom_minimal_pairs_mini",
        "test[:120]",
    ):
        assert text in shown
    everything = json.loads(run("harness-ext", "show", "results", "--details", "--format", "json").stdout)
    assert any(row.get("score") == "balanced_accuracy" for row in everything)

    compared = run("harness-ext", "compare", "results", "-t", "modifier_entailment", "--format", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(compared))
    assert (row["first"], row["second"], row["key"]) == ("tiny-gpt2", "tiny-gpt2 [dtype=bfloat16]", "balanced_accuracy")

    run("harness-ext", "report", "results", "-o", "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Is a fake wall a wall?" in page
    assert "A black box is no box that is black." in page
    assert len([*(tmp_path / "report" / "units").glob("idiom_minimal_pairs_mini-test*.html")]) == 2

    for file in (tmp_path / "results").rglob("samples_*"):
        file.unlink()
    assert "modifier_entailment" in run("harness-ext", "show", "results").stdout
    failed = run("harness-ext", "compare", "results", "-t", "modifier_entailment", check=False)
    assert failed.returncode == 1
    assert "made without --log_samples. Make it anew: lm-eval run --tasks modifier_entailment" in failed.stderr
    command = failed.stderr.partition("Make it anew: ")[2].split()
    run(*command, "--device", "cpu")
    assert list((tmp_path / "results").rglob("samples_modifier_entailment_*"))
