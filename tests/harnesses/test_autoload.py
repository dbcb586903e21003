"""mteb, datasets and lm-eval know this project without being told, at no cost to those who use none
of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ended

ROOT = Path(__file__).parents[2]


def python(program, *arguments, **environment):
    line = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        line,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


HEAVY = {
    "torch",
    "transformers",
    "gensim",
    "openpyxl",
    "tensorflow",
    "keras",
    "simple_elmo",
    "h5py",
}
"""What models need comes with the first model that is loaded."""
KNOWN = f"""
import sys
print(sorted({HEAVY} & sys.modules.keys()))
import harness_ext.harnesses.mteb.task, lm_eval.tasks, mteb
task = mteb.get_task("EpsilonCompositionality")
assert isinstance(task, harness_ext.harnesses.mteb.task.AbsTaskCompositionality)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "hook"),
    [
        ("mteb", "1"),
        ("harness_ext.tasks", "0"),
        ("lm_eval", "0"),
    ],
)
def test_tasks_are_known_whatever_is_imported_first_and_nothing_is_imported_in_a_circle(
    first, hook
):
    done = python(f"import {first}{KNOWN}", HARNESS_EXT_AUTOLOAD=hook)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
    assert "Warning" not in done.stderr
    assert "could not register" not in done.stderr


@pytest.mark.slow
def test_a_broken_install_warns_and_leaves_mteb_alone(tmp_path):
    """A copy whose tasks do not import: mteb goes on, and one warning says why, also where warnings
    are errors.
    """
    for name in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "tasks" / "__init__.py").write_text("import a_module_that_is_not_there\n")
    program = (
        "import warnings; warnings.simplefilter('error', UserWarning); import mteb; "
        "print(mteb.get_task('STS12'))"
    )
    done = python(program, PYTHONPATH=str(tmp_path))
    assert "STS12" in done.stdout
    assert done.stderr.count("compositionality-harness could not register with mteb") == 1
    assert "No module named 'a_module_that_is_not_there'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", ["datasets.py", "datasets/__init__.py", "datasets/load.py"])
def test_a_project_may_have_a_module_of_the_same_name(tmp_path, file):
    """It is theirs: imported as ever, without a warning, and so without a failure under -W
    error.
    """
    module = tmp_path / file
    module.parent.mkdir(exist_ok=True)
    module.write_text("mine = 1\n")
    program = "import sys, datasets; print('torch' in sys.modules)"
    done = ended([sys.executable, "-W", "error", "-c", program], tmp_path)
    assert done.returncode == 0
    assert done.stdout == "False\n"
    assert done.stderr == ""


def test_a_package_that_does_not_import_warns_and_leaves_python_alone(tmp_path):
    (tmp_path / "harness_ext").mkdir()
    (tmp_path / "harness_ext" / "__init__.py").write_text("import a_module_that_is_not_there\n")
    done = python("print('alive')", PYTHONPATH=str(tmp_path))
    assert done.stdout.strip() == "alive"
    said = "compositionality-harness could not be loaded (ModuleNotFoundError"
    assert done.stderr.count(said) == 1


def test_a_python_that_imports_neither_loads_nothing_but_the_hook():
    def modules(switch):
        done = python("import sys; print(*sys.modules)", HARNESS_EXT_AUTOLOAD=switch)
        return {*done.stdout.split()}

    assert modules("1") - modules("0") == {"harness_ext", "harness_ext._autoload"}


def test_the_hook_costs_less_than_a_millisecond():
    """What Python reports for it, from compiled files: the least of several starts, to which the
    machine only adds.
    """
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-X", "importtime", "-c", "pass"]
    costs = []
    for _ in range(25):
        done = ended(command, environment=environment)
        assert done.returncode == 0, done.stderr
        (cost,) = re.findall(r"(?m)\| *(\d+) \| *harness_ext$", done.stderr)
        costs.append(int(cost))
    assert min(costs) < 1000, f"{costs} microseconds"


@pytest.mark.slow
def test_a_task_of_the_same_name_in_mteb_comes_first():
    program = """if True:
        import sys, warnings, importlib
        import mteb
        registry = importlib.import_module("mteb.get_tasks")
        class Theirs(mteb.get_task("STS12").__class__):
            metadata = mteb.get_task("STS12").metadata.model_copy(update={"name": "EpsilonCompositionality"})
        registry._TASKS_REGISTRY["EpsilonCompositionality"] = Theirs
        import harness_ext
        print(type(mteb.get_task("EpsilonCompositionality")).__name__)
    """
    done = python(program, HARNESS_EXT_AUTOLOAD="0")
    assert done.stdout.strip() == "Theirs"
    assert "This mteb has tasks named EpsilonCompositionality of its own" in done.stderr


FIND_LM_EVAL_TASKS = """if True:
    import json, sys
    from lm_eval.tasks import TaskManager, _index
    build, searched = _index.TaskIndex.build, []
    def build_without_their_own(paths):  # of which there are 14 000
        searched.append([str(path) for path in paths if path.parts[-2:] != ("lm_eval", "tasks")])
        return build([path for path in paths if path.parts[-2:] != ("lm_eval", "tasks")])
    _index.TaskIndex.build = staticmethod(build_without_their_own)
    found = [TaskManager(**arguments) for arguments in json.loads(sys.argv[1])]
    print(json.dumps([
        searched,
        [{name: str(entry.yaml_path) for name, entry in one.task_index.items()} for one in found],
        [one.include_path for one in found],
        sorted({"mteb", "torch", "harness_ext.tasks"} & sys.modules.keys()),
    ]))
"""


@pytest.mark.slow
def test_lm_eval_finds_the_tasks_and_those_of_the_user_come_after_ours_and_win(tmp_path):
    """What managers search beside lm-eval's own folder, find there, and are said to include:
    nothing heavy for it.
    """
    ours = str(ROOT / "tasks" / "lm_eval")
    mine = str(tmp_path)
    (tmp_path / "mine.yaml").write_text(
        "task: idiom_minimal_pairs_mini\noutput_type: generate_until\n"
    )
    arguments = [
        {},
        {"include_defaults": False},
        {"include_path": mine},
        {"include_path": [mine]},
    ]
    done = python(FIND_LM_EVAL_TASKS, json.dumps(arguments))
    searched, found, include_path, heavy = json.loads(done.stdout)
    assert searched == [
        [ours],
        [],
        [ours, mine],
        [ours, mine],
    ]
    assert include_path == [None, None, mine, [mine]]
    by_default, without_defaults, *with_mine = found
    assert without_defaults == {}
    for tasks in (by_default, *with_mine):
        assert tasks["compositionality"] == f"{ours}/compositionality.yaml"
    for tasks in with_mine:
        assert tasks["idiom_minimal_pairs_mini"] == f"{mine}/mine.yaml"
    assert heavy == []
    assert "compositionality" not in done.stderr
