"""mteb, datasets and lm-eval know this project without being told, at no cost to those who use none of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_the_hook_can_be_switched_off(run):
    arguments = ("available-tasks", "-t", "EpsilonCompositionality")
    done = run("mteb", *arguments, check=False, apart=True, HARNESS_EXT_AUTOLOAD="0")
    assert done.returncode != 0
    assert "EpsilonCompositionality" in done.stderr
    assert "harness_ext" not in done.stderr


FIRST = (("mteb", "1"), ("harness_ext.tasks", "0"), ("lm_eval", "0"))
KNOWN = """
import harness_ext.harnesses.mteb.task, lm_eval.tasks, mteb
task = mteb.get_task("EpsilonCompositionality")
assert isinstance(task, harness_ext.harnesses.mteb.task.AbsTaskCompositionality)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("first", "hook"), FIRST)
def test_tasks_are_known_whatever_is_imported_first_and_nothing_is_imported_in_a_circle(first, hook):
    done = python(f"import {first}{KNOWN}", HARNESS_EXT_AUTOLOAD=hook)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert "could not register" not in done.stderr


def copy_of_the_package(folder):
    for name in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / name, folder / name)


@pytest.mark.slow
def test_a_broken_install_warns_and_leaves_mteb_alone(tmp_path):
    """A copy whose tasks do not import: mteb goes on, and one warning says why, also where warnings are errors."""
    copy_of_the_package(tmp_path)
    (tmp_path / "tasks" / "__init__.py").write_text("import a_module_that_is_not_there\n")
    program = "import warnings; warnings.simplefilter('error', UserWarning); import mteb; print(mteb.get_task('STS12'))"
    done = python(program, PYTHONPATH=str(tmp_path))
    assert "STS12" in done.stdout
    assert done.stderr.count("compositionality-harness could not register with mteb") == 1
    assert "No module named 'a_module_that_is_not_there'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["datasets", "mteb"])
@pytest.mark.parametrize("kind", ["a module", "a package", "a folder"])
def test_a_project_may_have_a_module_of_the_same_name(tmp_path, name, kind):
    """It is theirs: imported as ever, without a warning, and so without a failure under -W error."""
    file = {"a module": f"{name}.py", "a package": f"{name}/__init__.py", "a folder": f"{name}/load.py"}[kind]
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("mine = 1\n")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys, {name}; print(sorted(sys.modules.keys() & {{'torch'}}))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_package_that_does_not_import_warns_and_leaves_python_alone(tmp_path):
    (tmp_path / "harness_ext").mkdir()
    (tmp_path / "harness_ext" / "__init__.py").write_text("import a_module_that_is_not_there\n")
    done = python("print('alive')", PYTHONPATH=str(tmp_path))
    assert done.stdout.strip() == "alive"
    assert done.stderr.count("compositionality-harness could not be loaded (ModuleNotFoundError") == 1


def test_a_python_that_imports_neither_loads_nothing_of_ours_but_the_hook():
    program = "import sys; print(sorted(name for name in sys.modules if name.startswith('harness_ext')))"
    assert python(program).stdout.strip() == "['harness_ext', 'harness_ext._autoload']"
    with_hook, without = (
        set(python("import sys; print(*sys.modules)", HARNESS_EXT_AUTOLOAD=switch).stdout.split()) for switch in "10"
    )
    assert with_hook - without == {"harness_ext", "harness_ext._autoload"}


@pytest.mark.slow
def test_importing_mteb_still_does_without_heavy_libraries():
    """Also where they are installed: what models need comes with the first model that is loaded."""
    heavy = {"torch", "transformers", "gensim", "openpyxl", "tensorflow", "keras", "simple_elmo", "h5py"}
    assert python(f"import sys, mteb; print(sorted({heavy} & sys.modules.keys()))").stdout.strip() == "[]"


def test_the_hook_costs_less_than_a_millisecond():
    """What Python itself reports for importing the package at start-up, as ever from compiled files.

    The least of several starts: whatever else the machine does only adds to it.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-X", "importtime", "-c", "pass"]
    costs = []
    for _ in range(9):
        lines = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr.splitlines()
        columns = [line.split("|") for line in lines]
        (cost,) = (int(column[1]) for column in columns if column[-1].strip() == "harness_ext")
        costs.append(cost)
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
        searched.extend(map(str, paths))
        return build([path for path in paths if path.parts[-2:] != ("lm_eval", "tasks")])
    _index.TaskIndex.build = staticmethod(build_without_their_own)
    found = TaskManager({arguments})
    print(json.dumps([
        [folder for folder in searched if not folder.endswith("lm_eval/tasks")],
        {{name: str(entry.yaml_path) for name, entry in found.task_index.items()}},
        str(found.include_path),
        sorted({{"mteb", "torch", "harness_ext.tasks"}} & sys.modules.keys()),
    ]))
"""
LM_EVAL_TASKS = str(ROOT / "tasks" / "lm_eval")


def find_lm_eval_tasks(arguments="", **environment):
    """What a TaskManager searches beside lm-eval's own folder, finds there, is said to include, and what it imports."""
    done = python(FIND_LM_EVAL_TASKS.format(arguments=arguments), **environment)
    return *json.loads(done.stdout), done.stderr


@pytest.mark.slow
def test_lm_eval_finds_the_tasks_and_nothing_heavy_is_imported_for_it():
    searched, found, include_path, heavy, errors = find_lm_eval_tasks()
    assert searched == [LM_EVAL_TASKS]
    assert found["compositionality"] == f"{LM_EVAL_TASKS}/compositionality.yaml"
    assert (include_path, heavy) == ("None", [])
    assert "compositionality" not in errors


@pytest.mark.slow
def test_lm_eval_without_its_defaults_is_left_alone():
    assert find_lm_eval_tasks("include_defaults=False")[:3] == ([], {}, "None")


@pytest.mark.slow
def test_tasks_of_the_user_come_after_ours_and_win(tmp_path):
    (tmp_path / "mine.yaml").write_text("task: idiom_minimal_pairs_mini\noutput_type: generate_until\n")
    for given in (str(tmp_path), [str(tmp_path)]):
        searched, found, include_path, _, _ = find_lm_eval_tasks(f"include_path={given!r}")
        assert searched == [LM_EVAL_TASKS, str(tmp_path)]
        assert found["idiom_minimal_pairs_mini"] == str(tmp_path / "mine.yaml")
        assert found["compositionality"] == f"{LM_EVAL_TASKS}/compositionality.yaml"
        assert include_path == str(given)
