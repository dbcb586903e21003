"""The package as people get it: a wheel, or an editable install of a checkout; used from anywhere."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PARTS = ("harness_ext", "tasks", "datasets_scripts")
PROGRAM = """if True:
    import mteb, datasets
    print(mteb.get_task("EpsilonCompositionalityMini").metadata.name)
    print(len(datasets.load_dataset("compound_mini", split="naturalistic")))
    from lm_eval.tasks import TaskManager
    from harness_ext.names import lm_eval_tasks
    found = TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)
    print(len(found.load(["modifier_entailment"])["tasks"]["modifier_entailment"].eval_docs))
    import harness_ext.tasks, harness_ext.datasets_scripts.ncimp.ncimp
    print(harness_ext.tasks.__file__)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What git has of this folder, where builds may write."""
    target = tmp_path_factory.mktemp("checkout")
    names = (*PARTS, "pyproject.toml", "hatch_build.py", "harness_ext_autoload.pth", "README.md", "LICENSE")
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, target / name)
    for cache in target.rglob("__pycache__"):
        shutil.rmtree(cache)
    return target


@pytest.fixture(scope="module")
def wheel(checkout):
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=checkout, check=True)
    (file,) = (checkout / "dist").glob("*.whl")
    return file


def install(folder, *what):
    """A new environment with only this package in it; what it depends on is borrowed from ours."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (packages,) = (folder / "lib").glob("python*/site-packages")
    (packages / "borrowed.pth").write_text("\n".join(site.getsitepackages()))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, *what], check=True)
    return python


@pytest.fixture(scope="module")
def from_wheel(wheel, tmp_path_factory):
    return install(tmp_path_factory.mktemp("wheel"), wheel)


@pytest.fixture(scope="module")
def editable(checkout, tmp_path_factory):
    return install(tmp_path_factory.mktemp("editable"), "--editable", checkout)


def test_the_wheel_has_everything_in_the_package_and_nothing_beside_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"harness_ext", "harness_ext_autoload.pth", "compositionality_harness-0.1.0.dist-info"}
    for part, inside in (("tasks", "harness_ext/tasks"), ("datasets_scripts", "harness_ext/datasets_scripts")):
        for file in (ROOT / part).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                assert f"{inside}/{file.relative_to(ROOT / part)}" in names
    assert "harness_ext/results/published/EpsilonCompositionality.csv" in names
    assert "harness_ext/py.typed" in names


def test_tensorflow_comes_only_with_the_extras_that_need_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def needs(requirements):
        for requirement in map(Requirement, requirements):
            yield requirement.name
            for extra in requirement.extras if requirement.name == project["name"] else ():
                yield from needs(extras[extra])

    heavy = {"tensorflow", "tensorflow-hub", "tf-keras", "simple-elmo"}
    having = {extra for extra, requirements in extras.items() if heavy & set(needs(requirements))}
    assert having == {"use", "elmo", "test-slow"}
    assert not heavy & set(needs(project["dependencies"]))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "place"), [("from_wheel", "the repository root"), ("editable", "elsewhere")])
def test_works_in_every_install_from_everywhere(request, checkout, tmp_path, kind, place):
    python = request.getfixturevalue(kind)
    folder = checkout if place == "the repository root" else tmp_path
    done = subprocess.run(
        [python, "-c", PROGRAM],
        cwd=folder,
        # PYTHONPATH may name another checkout, which would take the place of the install
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        | {"HF_DATASETS_CACHE": str(tmp_path / "datasets")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:3] == ["EpsilonCompositionalityMini", "180", "2088"]
    tasks = Path(done.stdout.split()[3])
    if kind == "editable":
        assert tasks == checkout / "tasks" / "__init__.py"
    else:
        assert tasks.parent.name == "tasks"
        assert python.parents[1] in tasks.parents
    assert "could not" not in done.stderr
