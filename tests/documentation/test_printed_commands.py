"""Every command of README and docs is understood by its program, and run on small data.

What does not run stands in `NOT_RUN` with the reason; a reason of no command fails.
"""

import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import mteb
import pytest
import typer.main
from lm_eval._cli.harness import HarnessCLI
from mteb.cli.build_cli import build_cli

from harness_ext.cli import app
from harness_ext.common.model_name import ModelName
from harness_ext.common.names import OWN
from harness_ext.tasks import ENCODER_TASKS, TASKS
from tests.command_line import save_tiny

ROOT = Path(__file__).parents[2]
USAGE = ROOT / "docs" / "commands.md"  # typer writes its lines, which are no commands
DOCS = sorted({*ROOT.glob("docs/**/*.md")} - {USAGE})
PAGES = [ROOT / "README.md", *DOCS]
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
    r"mteb run -m \"?(http:|stanfordnlp)": "a server, or vectors of words; see tests/encoders/models",
    r"mteb run .*pooling=(cls|mean_last4_words)": "tokens that the small model lacks; see tests/encoders/models",
    r"mteb run -m \./checkpoint ": "a checkpoint of yours",
    r"mteb run .*injected=": "vectors of compounds; see tests/encoders/models",
    r"mteb run .*lm_states=": "a language model; see tests/encoders/models",
    r"harness-ext sweep ": "starts Ray; tests/test_sweep.py runs small ones",
    r"harness-ext finetune-pss ": "trains for hours; tests/training fine-tunes a small model",
    r"harness-ext leaderboard init .*HOST": "an address of yours; see tests/leaderboard/test_init.py",
    r"harness-ext verify .*--rerun": "measures another's results again; see tests/leaderboard/checks",
    r"harness-ext safe-to-merge --check ": "other models than encoders; see tests/test_deciding.py",
    r"harness-ext (check|measure|safe-to-merge) .*\b(my|fi|sanat)\.": "a user's own file; see tests/own_data",
    r"harness-ext show results --layers": "wants layers; tests/encoders/models/test_every_layer.py has them",
    r"harness-ext (show|report) results --task own/": "wants data of one's own; see tests/own_data",
}
"""How commands begin that are only parsed -> why."""


def lines_of_code(page):
    """The lines of a page's blocks, but those of Python."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for language, code in BLOCK.findall(text):
        if not language.startswith("py"):
            yield from map(str.strip, code.splitlines())
    for line in BLOCK.sub("", text).splitlines():
        if line.startswith("    "):
            yield line[4:]


def printed():
    """The commands, once each, with the page that has it first; notes after # and pipes are no part
    of them.
    """
    commands = {}
    for page in PAGES:
        for line in lines_of_code(page):
            plain = line.removeprefix("$ ").replace("$MODEL", "MODEL")
            match = COMMAND.match(plain)
            if match:
                command = re.sub(r"\s+[#|>] .*", "", match[1]).strip()
                commands.setdefault(command, page.name)
    return commands


COMMANDS = printed()


def words_of(command):
    """The words of a command without the variables before it."""
    words = shlex.split(command)
    return [word for word in words if not re.fullmatch(r"[A-Z_]+=\S*", word)]


class Named(NamedTuple):
    """What a command names."""

    tasks: list[str]
    models: list[str]


def as_list(names):
    """The names of an option that is not given, given once, or several times."""
    return [names] if isinstance(names, str) else [*(names or ())]


def named_by_harness_ext(words):
    group = typer.main.get_command(app)
    context = None
    while hasattr(group, "commands"):
        context = group.make_context(group.name, [], parent=context, resilient_parsing=True)
        _, group, words = group.resolve_command(context, words)
    given = group.make_context(group.name, words, parent=context).params
    tasks = as_list(given.get("tasks")) or as_list(given.get("task"))
    return Named(tasks, as_list(given.get("model")))


def named_by_mteb(words):
    given = vars(build_cli().parse_args(words))
    for name in as_list(given.get("benchmarks")):
        assert mteb.get_benchmark(name)
    models = as_list(given.get("model")) or as_list(given.get("models"))
    return Named(as_list(given.get("tasks")), models)


def named_by_lm_eval(words):
    given = HarnessCLI()._parser.parse_args(words)
    tasks = getattr(given, "tasks", None)
    is_run = words[0] == "run" and isinstance(tasks, str)
    return Named(tasks.split(",") if is_run else [], [])


PARSERS = {
    "harness-ext": named_by_harness_ext,
    "mteb": named_by_mteb,
    "lm_eval": named_by_lm_eval,
    "lm-eval": named_by_lm_eval,
}


def parse(command):
    """Give the arguments to the parser of the program, and look up what they name."""
    program, *arguments = words_of(command)
    named = PARSERS[program](arguments)
    for name in named.tasks:
        is_ours = name in TASKS or name.startswith((OWN, "compositionality"))
        assert is_ours or mteb.get_task(name), name
    for name in named.models:
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


OUR_MODEL = re.compile(rf"MODEL|{ENCODER}")
PAPERS_MODEL = re.compile("google-bert/bert-base-uncased|FacebookAI/roberta-base|my/checkpoint")


def in_small(word):
    """A word of a command that measures, with a small task or a small model in place of another."""
    if word in ENCODER_TASKS:
        return FAST
    word = re.sub(r"layer=\d+", "layer=1", word)
    word = PAPERS_MODEL.sub("./plain", word)
    return OUR_MODEL.sub("./tiny", word)


def with_small_results(word):
    """A word of a command that reads results, with what `measured_folder` has."""
    if f"{word}Mini" in ENCODER_TASKS:
        return f"{word}Mini"
    return {"MODEL": "planted/one", "OTHER": "planted/other", ENCODER: "planted/one"}.get(
        word, word
    )


def small(words):
    """The words of a command that runs here in seconds."""
    if words[0] == "mteb" or words[1] == "layers":
        return tuple(dict.fromkeys(map(in_small, words)))  # each task once
    if words[1] in ("measure", "safe-to-merge"):
        return tuple(OUR_MODEL.sub("compositionality/letters", word) for word in words)
    if "docs/example_results" in words:
        return tuple(words)
    return tuple(map(with_small_results, words))


def to_run():
    """Commands as words, once each. `test_site.py` runs the questions."""
    commands = {}
    for command, page in COMMANDS.items():
        if page != "faq.md" and not any(re.match(reason, command) for reason in NOT_RUN):
            commands[small(words_of(command))] = page
    return list(commands)


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("words", to_run(), ids=" ".join)
def test_a_printed_command_runs(words, measured_folder, run, tmp_path):
    """With results of two encoders, or a small model; full tasks are their quick versions."""
    save_tiny(tmp_path)
    for folder in ("docs", "leaderboard"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for file in (ROOT / "docs" / "own_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    folders = ["results", "board"]
    if words[1:3] == ("leaderboard", "init"):
        folders.remove("board")  # which it makes
    with_baselines = shutil.ignore_patterns("Noun*")
    for folder in folders:
        shutil.copytree(measured_folder, tmp_path / folder, ignore=with_baselines)
    done = run(*words, check=False)
    may_be_unsafe = words[1] == "safe-to-merge"
    assert done.returncode in ({0, 1} if may_be_unsafe else {0}), f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_python_of_the_pages_is_sound():
    """Tests of what each page is about run it, where weights and data are at hand."""
    for page in PAGES:
        for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language in {"py", "python"} and page.name != "api.md":
                compile(code, page.name, "exec")
