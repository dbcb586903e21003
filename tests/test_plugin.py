"""mteb and datasets know this project without being told, at no cost to those who use neither."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


def test_mteb_lists_the_tasks_and_benchmarks(run):
    tasks = run("mteb", "available-tasks", "--task-types", "Compositionality").stdout
    assert "- EpsilonCompositionality," in tasks
    assert "- EpsilonCompositionalityMini," in tasks
    benchmarks = run("mteb", "available-benchmarks", "-b", "Compositionality", "CompositionalityMini").stdout
    assert "- EpsilonCompositionality," in benchmarks
    assert "- EpsilonCompositionalityMini," in benchmarks


def test_the_hook_can_be_switched_off(run):
    done = run("mteb", "available-tasks", "-t", "EpsilonCompositionality", check=False, HARNESS_EXT_AUTOLOAD="0")
    assert done.returncode != 0
    assert "EpsilonCompositionality" in done.stderr
    assert "harness_ext" not in done.stderr


def test_importing_the_package_registers_even_then():
    program = "import {}, {}; print(mteb.get_task('EpsilonCompositionality').metadata.name)"
    for order in (("mteb", "harness_ext"), ("harness_ext", "mteb"), ("harness_ext.tasks", "mteb")):
        done = python(program.format(*order), HARNESS_EXT_AUTOLOAD="0")
        assert done.stdout.strip() == "EpsilonCompositionality", (order, done.stderr)
        assert "could not register" not in done.stderr


def test_a_broken_install_warns_and_leaves_mteb_alone(tmp_path):
    """A copy whose tasks do not import: mteb goes on, and one warning says why its tasks are missing."""
    for folder in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "tasks" / "__init__.py").write_text("import a_module_that_is_not_there\n")
    done = python("import mteb; print(mteb.get_task('STS12').metadata.name)", PYTHONPATH=str(tmp_path))
    assert done.stdout.strip() == "STS12"
    assert done.stderr.count("compositionality-harness could not register with mteb") == 1
    assert "No module named 'a_module_that_is_not_there'" in done.stderr


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


def test_a_failure_to_register_fails_no_import_even_where_warnings_do(tmp_path):
    for folder in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "harness_ext" / "plugin.py").write_text("import a_module_that_is_not_there\n")
    program = "import warnings; warnings.simplefilter('error', UserWarning); import mteb; print('alive')"
    done = python(program, PYTHONPATH=str(tmp_path))
    assert done.stdout.strip() == "alive"
    assert "compositionality-harness could not register with mteb (ModuleNotFoundError" in done.stderr


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


def test_importing_mteb_still_does_without_torch():
    done = python(
        "import sys, mteb; print(sorted({'torch', 'transformers', 'gensim', 'openpyxl'} & sys.modules.keys()))"
    )
    assert done.stdout.strip() == "[]"


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


def test_a_run_killed_while_writing_leaves_the_old_result_file_or_the_new_one(tmp_path):
    """A process that does nothing but write a result file over and over is killed again and again."""
    program = f"""if True:
        from pathlib import Path
        import mteb
        from mteb.results import TaskResult
        result = TaskResult(
            dataset_revision="1", task_name="EpsilonCompositionalityMini", mteb_version="2", evaluation_time=0,
            scores={{"naturalistic": [{{"main_score": 0.5, "hf_subset": "default", "languages": ["eng-Latn"],
                                        "padding": "x" * 1_000_000}}]}},
        )
        path = Path({str(tmp_path)!r}, "EpsilonCompositionalityMini.json")
        print("ready", flush=True)
        while True:
            result.to_disk(path)
    """
    for delay in (0.0, 0.01, 0.05, 0.1):
        writer = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        for file in tmp_path.glob("*.json"):
            assert json.loads(file.read_text())["task_name"] == "EpsilonCompositionalityMini"


@pytest.mark.slow
def test_a_run_killed_at_any_moment_leaves_no_half_result_and_the_next_one_continues(run, minilm, tmp_path):
    command = ["mteb", "run", "-m", minilm, "-t", "EpsilonCompositionalityMini"]
    command += ["--output-folder", "out", "--prediction-folder", "predictions"]
    program = Path(sys.executable).with_name("mteb")
    environment = {**os.environ, "HF_DATASETS_CACHE": str(tmp_path / "datasets")}
    for seconds in (5, 8, 11, 14, 17):
        process = subprocess.Popen([program, *command[1:]], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for file in (*tmp_path.glob("out/results/*/*/Epsilon*.json"), *tmp_path.glob("predictions/*.json")):
            json.loads(file.read_text())
    run(*command)
    (file,) = tmp_path.glob("out/results/*/*/Epsilon*.json")
    assert json.loads(file.read_text())["scores"]["naturalistic"][0]["main_score"] > 0
    again = run(*command)
    assert "already exist" in again.stdout + again.stderr
