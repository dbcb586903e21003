"""Every command of README and docs: understood by its program, and run where that is possible.

What cannot run here stands in `NOT_RUN` with the reason; a reason of no command fails.
"""

import re
import shlex
import shutil
from pathlib import Path

import mteb
import pytest
import typer.main
from lm_eval._cli.harness import HarnessCLI
from mteb.cli.build_cli import build_cli

from harness_ext.cli import app
from harness_ext.common.model_name import ModelName
from harness_ext.common.names import OWN
from harness_ext.tasks import ENCODER_TASKS, TASKS
from tests.command_line import harness_ext, save_tiny

ROOT = Path(__file__).parents[2]
USAGE = ROOT / "docs" / "commands.md"  # typer writes its lines, which are no commands
PAGES = [ROOT / "README.md", *sorted({*ROOT.glob("docs/**/*.md")} - {USAGE})]
BLOCK = re.compile(r"^```([\w-]*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROGRAMS = (
    r"mteb (?:run|submit-results)|harness-ext|lm_eval|lm-eval|make|pip|docker|python -m|python "
    r"\w+/\w+\.py"
)
COMMAND = re.compile(rf"((?:[A-Z_]+=\S* )*(?:{PROGRAMS}) .*)")
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
FAST = "CaptionSwapMini"

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
    r"harness-ext report results$": "with -o report it runs",
    r"harness-ext (show|report) results --task own/": "wants data of one's own, see tests/own_data",
}
"""How commands begin that are only parsed -> why."""


def printed():
    """The commands, once each, with the page that has it first; notes after # and pipes are no part
    of them.
    """
    commands = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = [code for language, code in BLOCK.findall(text) if not language.startswith("py")]
        lines = [line.strip().removeprefix("$ ") for code in blocks for line in code.splitlines()]
        lines += [
            line[4:].removeprefix("$ ")
            for line in BLOCK.sub("", text).splitlines()
            if line.startswith("    ")
        ]
        for found in filter(
            None, (COMMAND.match(line.replace("$MODEL", "MODEL")) for line in lines)
        ):
            commands.setdefault(re.sub(r"\s+[#|>] .*", "", found[1]).strip(), page.name)
    return commands


COMMANDS = printed()


def parse(command):
    """Give the arguments to the parser of the program, and look up what they name."""
    words = [word for word in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
    if words[0] == "harness-ext":
        group, context, rest = typer.main.get_command(app), None, words[1:]
        while hasattr(group, "commands"):
            context = group.make_context(
                group.name, rest[:0], parent=context, resilient_parsing=True
            )
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
        # its entry point
        command = re.sub(r"docker run .* compositionality ", "harness-ext ", command)
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


def to_run():
    """Commands as words, once each; `mteb run` with the smallest task. `test_site.py` runs the
    questions.
    """
    for command, page in COMMANDS.items():
        if page != "faq.md" and not any(re.match(reason, command) for reason in NOT_RUN):
            words = [
                word for word in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=\S*", word)
            ]
            if words[0] == "mteb":
                words = dict.fromkeys(
                    FAST if word in ENCODER_TASKS else word.replace(ENCODER, "MODEL")
                    for word in words
                )
            yield tuple(words)


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("words", dict.fromkeys(to_run()), ids=" ".join)
def test_a_printed_command_runs(words, measured_folder, run, tmp_path, monkeypatch):
    """With results of two encoders, or a small model; full tasks are their quick versions."""
    if words[0] == "mteb":
        save_tiny(tmp_path)
        run(*(word.replace("MODEL", "./tiny").replace("layer=6", "layer=1") for word in words))
        return
    monkeypatch.chdir(tmp_path)
    for folder in ("docs", "leaderboard"):
        Path(folder).symlink_to(ROOT / folder)
    shutil.copytree(measured_folder, "results")
    stand_ins = {"MODEL": "planted/one", "OTHER": "planted/other"}
    words = [
        f"{word}Mini" if f"{word}Mini" in ENCODER_TASKS else stand_ins.get(word, word)
        for word in words
    ]
    done = harness_ext(*words[1:])
    assert done.exit_code == 0, f"{words}\n{done.output}\n{done.exception!r}"


def test_python_of_the_pages_is_sound():
    """Tests of what each page is about run it, where weights and data are at hand."""
    for page in PAGES:
        for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language in {"py", "python"} and page.name != "api.md":
                compile(code, page.name, "exec")
