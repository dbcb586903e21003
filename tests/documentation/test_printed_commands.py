"""Every command and every Python block of README and docs: understood by its program, and run where that is possible.

Pages are found by their ending. What cannot run here stands in `NOT_RUN` with the reason; a reason of no command fails.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from unittest import mock

import mteb
import pytest
import typer.main
from lm_eval._cli.harness import HarnessCLI
from mteb.cli.build_cli import build_cli
from typer.testing import CliRunner

from harness_ext.cli import app
from harness_ext.model_name import ModelName
from harness_ext.names import OWN
from harness_ext.tasks import ENCODER_TASKS, TASKS
from tests.encoders.tiny_transformers import fast, save, save_pooled, small_bert, wordpiece

ROOT = Path(__file__).parents[2]
USAGE = ROOT / "docs" / "commands.md"  # typer writes its lines, which are no commands
PAGES = [ROOT / "README.md", *sorted({*ROOT.glob("docs/**/*.md")} - {USAGE})]
BLOCK = re.compile(r"^```([\w-]*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROGRAMS = r"mteb (?:run|submit-results)|harness-ext|lm_eval|lm-eval|make|pip|docker|python -m|python \w+/\w+\.py"
COMMAND = re.compile(rf"((?:[A-Z_]+=\S* )*(?:{PROGRAMS}) .*)")
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"

NOT_RUN = {
    r"(make|pip|docker|python) ": "sets up, serves, trains, or tests this repository itself",
    r"(lm_eval|lm-eval) ": "wants a language model; tests/tasks/lm_eval and tests/harnesses run small ones",
    r".*mteb run .*(-b Compositionality |STSBenchmark|…)": "hours, or data of others",
    r"mteb submit-results ": "clones from GitHub",
    r"mteb run .*--eval-splits ": "splits of the papers' data",
    r"mteb run .* -l deu ": "the papers' data; tests/tasks/test_role_tasks.py selects by language",
    r"mteb run -m \"?(FacebookAI|google-bert|my|stanfordnlp|org|Qwen|http:|\./checkpoint)": "the weights are not here",
    r"harness-ext (sweep|layers|measure|safe-to-merge|demo|submit|publish|verify|leaderboard|check|finetune-pss)\b": (
        "measures or publishes: its own tests run it on small data"
    ),
    r"harness-ext show results --layers": "wants layers; tests/encoders/models/test_every_layer.py has them",
}
"""How commands begin that are only parsed -> why."""

NO_PYTHON = {
    "submitting.md": "tests/leaderboard/test_hub.py runs it",
    "datasets.md": "the papers' data; tests/data/test_loading.py loads the small ones in the same way",
    "api.md": "signatures and examples; tests/test_doctests.py runs the examples",
    "README.md": "tests/test_docs.py runs it",
    "own_data.md": "tests/own_data/test_own_data.py runs it",
    "training.md": "tests/test_training_evaluator.py runs it",
    "lm_eval.md": "tests/tasks/lm_eval makes the small model with it; the other block wants weights",
    "models.md": "tests/test_names.py runs the smallest encoder; the others want weights, and are only compiled",
}
"""Pages whose Python runs elsewhere, or cannot."""


def printed():
    """The commands, once each, with the page that has it first; notes after # and pipes are no part of them."""
    commands = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = [code for language, code in BLOCK.findall(text) if not language.startswith("py")]
        lines = [line.strip().removeprefix("$ ") for code in blocks for line in code.splitlines()]
        lines += [line[4:].removeprefix("$ ") for line in BLOCK.sub("", text).splitlines() if line.startswith("    ")]
        for found in filter(None, (COMMAND.match(line.replace("$MODEL", "MODEL")) for line in lines)):
            commands.setdefault(re.sub(r"\s+[#|] .*", "", found[1]).strip(), page.name)
    return commands


COMMANDS = printed()


def parse(command):
    """Give the arguments to the parser of the program, and look up what they name."""
    words = [word for word in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
    if words[0] == "harness-ext":
        group, context, rest = typer.main.get_command(app), None, words[1:]
        while hasattr(group, "commands"):
            context = group.make_context(group.name, rest[:0], parent=context, resilient_parsing=True)
            _, group, rest = group.resolve_command(context, rest)
        given = group.make_context(group.name, rest, parent=context).params
        tasks, models = given.get("tasks") or given.get("task") or (), given.get("model") or ()
        tasks, models = ([names] if isinstance(names, str) else names for names in (tasks, models))
    elif words[0] == "mteb":
        given = build_cli().parse_args(words[1:])
        tasks, models = given.tasks or (), [given.model] if "model" in given else given.models
        for name in vars(given).get("benchmarks") or ():
            assert mteb.get_benchmark(name)
    else:
        given = HarnessCLI()._parser.parse_args(words[1:])
        tasks, models = getattr(given, "tasks", None) or (), ()
        tasks = tasks.split(",") if isinstance(tasks, str) and words[1] == "run" else ()
    for name in tasks:
        known = name in TASKS or name.startswith((OWN, "compositionality")) or mteb.get_task(name)
        assert known, name
    for name in models:
        if not name.startswith("./"):
            ModelName.parse(name).check()


@pytest.mark.slow
def test_every_printed_command_is_understood(capsys):
    wrong = []
    for command, page in COMMANDS.items():
        command = re.sub(r"docker run .* compositionality ", "harness-ext ", command)  # its entry point
        if re.match(r"(?:[A-Z_]+=\S* )*(make|pip|docker|python) ", command) or "…" in command:
            continue  # make's targets have a test of their own
        try:
            parse(command)
        except (Exception, SystemExit) as error:
            wrong.append(f"{page}: {command}\n{error!r}\n{capsys.readouterr().err}")
    assert not wrong, "\n".join(wrong)
    assert len(COMMANDS) > 40


def test_each_reason_is_of_a_command():
    for reason in NOT_RUN:
        assert any(re.match(reason, command) for command in COMMANDS), reason
    assert {page.name for page in PAGES} >= NO_PYTHON.keys()


RUN = [command for command in COMMANDS if not any(re.match(reason, command) for reason in NOT_RUN)]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A model of random weights in the place of the encoder: a command is to run."""
    folder, words = tmp_path_factory.mktemp("tiny"), wordpiece()
    plain = save(folder / "plain", small_bert(words, num_hidden_layers=6), fast(words, model_max_length=64))
    return str(save_pooled(folder / "pooled", plain))


@pytest.mark.slow
@pytest.mark.usefixtures("without_own_words")
@pytest.mark.parametrize("command", RUN)
def test_a_printed_command_runs(command, measured_folder, tiny, run, tmp_path, monkeypatch):
    """In a folder with this repository's, and with results of two encoders; full tasks are their quick versions."""
    for name in ("docs", "leaderboard", "datasets_scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    words = [word for word in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
    if words[0] == "mteb":
        run(*(quick(re.sub(f"^(MODEL|{ENCODER})", tiny, word)) for word in words))
        return
    monkeypatch.chdir(tmp_path)
    for name in ("results", "logs", "lm", "prompted"):
        shutil.copytree(measured_folder, name)
    if words[2:] and not words[2].startswith(("docs", "leaderboard")):
        stand_ins = {"MODEL": "planted/one", "OTHER": "planted/other", ENCODER: "planted/one", "DIR": "exported"}
        words = [stand_ins.get(word, word) for word in words]
        if words[1] == "compare":
            words = [quick(word) for word in words]
    with mock.patch.dict(os.environ, COLUMNS="200"):
        done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"


def quick(name):
    """The quick version of a task."""
    names = (f"{name}{ending}" for ending in ("Mini", "Fast"))
    return next((each for each in names if each in ENCODER_TASKS), name) if name in ENCODER_TASKS else name


def test_every_page_with_python_has_a_test_that_runs_it():
    """Or a reason why it cannot; what is not run is compiled."""
    for page in PAGES:
        found = BLOCK.findall(page.read_text(encoding="utf-8"))
        blocks = [code for language, code in found if language in {"py", "python"} and page.name != "api.md"]
        for code in blocks:
            compile(code, page.name, "exec")
        assert not blocks or page.name in NO_PYTHON, f"{page.name}: run its Python in a test, named in NO_PYTHON"
