"""The package as people get it: a wheel, or an editable install of a checkout; used from
anywhere.
"""

import json
import os
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import harness_ext
from tests.clean_environment import link_requirements
from tests.processes import ended

ROOT = Path(__file__).parents[1]
PARTS = ("harness_ext", "tasks", "datasets_scripts")
LOCKED = re.compile(r"^([a-z0-9-]+)==([^ ;\\]+)((?:.*\\\n)*.*)", re.MULTILINE)
PROGRAM = """if True:
    import mteb, datasets
    print(mteb.get_task("EpsilonCompositionalityMini").metadata.name)
    print(len(datasets.load_dataset("compound_mini", split="naturalistic")))
    from lm_eval.tasks import TaskManager
    from harness_ext.common.folders import lm_eval_tasks
    found = TaskManager(include_path=str(lm_eval_tasks()), include_defaults=False)
    print(len(found.load(["compound_question_mini"])["tasks"]["compound_question_mini"].eval_docs))
    import harness_ext.tasks, harness_ext.datasets_scripts.ncimp.ncimp
    print(harness_ext.tasks.__file__)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What git has of this folder, where builds may write."""
    target = tmp_path_factory.mktemp("checkout")
    built_by = ("pyproject.toml", "hatch_build.py", "REPOSITORY", "harness_ext_autoload.pth")
    names = (*PARTS, *built_by, "README.md", "LICENSE")
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, target / name)
    for cache in target.rglob("__pycache__"):
        shutil.rmtree(cache)
    return target


@pytest.fixture(scope="module")
def wheel(checkout):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(command, cwd=checkout, check=True)
    (file,) = (checkout / "dist").glob("*.whl")
    return file


def install(folder, *what, plain=False):
    """A new environment with this package; it borrows all packages that are installed here, or what
    a plain one has.
    """
    command = [sys.executable, "-m", "venv", "--without-pip", folder]
    subprocess.run(command, check=True)
    python = folder / "bin" / "python"
    (inside,) = (folder / "lib").glob("python*/site-packages")
    if plain:
        link_requirements(inside)
    else:
        (inside / "borrowed.pth").write_text("\n".join(site.getsitepackages()))
    pip = [sys.executable, "-m", "pip", "--python", python, "install"]
    options = ["--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, *options, *what], check=True)
    return python


def test_the_wheel_has_everything_in_the_package_and_nothing_beside_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    facts = f"compositionality_harness-{harness_ext.__version__}.dist-info"
    assert tops == {"harness_ext", "harness_ext_autoload.pth", facts}
    expected = set()
    for part in PARTS:
        place = "." if part == "harness_ext" else "harness_ext"
        for file in (ROOT / part).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                expected.add(str(Path(place, file.relative_to(ROOT))))
    assert expected <= {*names}


def test_links_and_authors_are_those_of_the_file_and_else_none(checkout):
    def metadata():
        done = ended([sys.executable, "-m", "hatchling", "metadata"], checkout)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    file = checkout / "REPOSITORY"
    before = file.read_text(encoding="utf-8")
    assert not {"urls", "authors"} & metadata().keys()
    filled = re.sub(r"^# (authors =|\[urls\]|[A-Z]\w+ = )", r"\1", before, flags=re.MULTILINE)
    file.write_text(filled, encoding="utf-8")
    assert [*metadata()["urls"]] == ["Source", "Documentation", "Issues", "Changelog"]
    assert metadata()["authors"] == [{"name": "A. Person", "email": "person@example.org"}]
    file.write_text(before, encoding="utf-8")


def test_tensorflow_comes_only_with_the_extras_that_need_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    heavy = re.compile(r"tensorflow|simple-elmo|harness\[.*\b(use|elmo)(?![\w-])")
    extras = project["optional-dependencies"].items()
    heavy_extras = {extra for extra, needs in extras if any(map(heavy.search, needs))}
    assert heavy_extras == {"use", "elmo", "test-slow"}
    assert not any(map(heavy.search, project["dependencies"]))


EXTRAS_OF_LOCKS = {"demo": ["demo"], "docker": ["lm", "static"], "test": ["test"]}
"""Lock -> the extras that are installed with it."""


def required(extras):
    """The names of all distributions that this one requires with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [*map(Requirement, project["dependencies"])]
    waiting = [*extras]
    while waiting:
        for requirement in map(Requirement, project["optional-dependencies"][waiting.pop()]):
            if requirement.name == project["name"]:
                waiting += requirement.extras
            else:
                requirements.append(requirement)
    return {canonicalize_name(requirement.name) for requirement in requirements}


@pytest.mark.parametrize(("name", "extras"), EXTRAS_OF_LOCKS.items())
def test_a_lock_has_what_is_installed_with_it_at_the_versions_of_the_constraints(name, extras):
    lock = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    locked = {}
    for distribution, versions, hashes in LOCKED.findall(lock):
        locked[distribution] = versions
        assert "--hash=sha256:" in hashes
    assert required(extras) - locked.keys() == {"torch"}  # whose builds differ by machine
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for distribution, version in re.findall(r"(?m)^([\w-]+)==(\S+)$", constraints):
        pinned = canonicalize_name(distribution)
        assert locked.get(pinned, version) == version, pinned


def test_a_commit_is_checked_by_the_ruff_of_the_tests():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    lock = (ROOT / "locks" / "test.txt").read_text(encoding="utf-8")
    assert {*re.findall(r"ruff==[\d.]+", hooks)} == {
        *re.findall(r"^ruff==[\d.]+", lock, re.MULTILINE)
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "place"), [("a wheel", "the repository root"), ("editable", "elsewhere")]
)
def test_works_in_every_install_from_everywhere(checkout, wheel, tmp_path, kind, place):
    what = ["--editable", checkout] if kind == "editable" else [wheel]
    python = install(tmp_path / "environment", *what)
    folder = checkout if place == "the repository root" else tmp_path
    environment = os.environ | {"HF_DATASETS_CACHE": str(tmp_path / "datasets")}
    # it may name another checkout, which would take the place of the install
    environment.pop("PYTHONPATH", None)
    done = ended([python, "-c", PROGRAM], folder, environment)
    assert done.returncode == 0, done.stderr
    name, n_rows, n_questions, path = done.stdout.split()[:4]
    assert name == "EpsilonCompositionalityMini"
    assert n_rows == "360"
    assert n_questions == "120"
    tasks = Path(path)
    assert tasks.parent.name == "tasks"
    assert (checkout if kind == "editable" else python.parents[1]) in tasks.parents
    assert "could not" not in done.stderr


@pytest.mark.slow
@pytest.mark.real_data
def test_every_task_is_measured_by_the_wheel_without_an_extra(wheel, unverified_mirror, tmp_path):
    """As the nox session `plain`, but for the additive baselines, which take longer than all else
    here.
    """
    python = install(tmp_path / "environment", wheel, plain=True)
    environment = {**os.environ, "HARNESS_EXT_ADDITIVE": "0"}
    environment.pop("PYTHONPATH", None)
    program = [python, "-P", ROOT / "tests" / "every_task.py"]
    (tmp_path / "run").mkdir()
    done = ended(program, tmp_path / "run", environment)
    assert done.returncode == 0, done.stdout + done.stderr
