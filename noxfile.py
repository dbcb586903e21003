"""The tests on every Python that is supported, with the lowest dependencies that are declared, and
with transformers 4.

The lowest that are declared are tried on the lowest Python: of many there is no build for a later
one. With transformers 4, since mteb refuses some models beside a newer one. Pinned are those of
constraints.txt.

`nox --list` names the sessions; `nox --session "tests(python='3.12', dependencies='newest')"` runs
one. What is given after `--` goes to pytest. `make test` runs with what locks/ pins, which is what
development happens with.

`make release-check` runs three sessions:

- `build` makes and checks what would be released.
- `plain` installs the wheel without an extra and runs every task on the data of HARNESS_EXT_MIRROR.
- `release` installs the wheel in a clean environment and runs the quick tests of the source
  distribution.
"""

import os
import shlex
import shutil
import tarfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|virtualenv"
QUICK = ("-m", "not slow", "-n", "2")
EACH = nox.parametrize(
    ("python", "dependencies"),
    [
        *(("3.11", dependencies) for dependencies in ("lowest", "transformers-4", "pinned")),
        *((python, "newest") for python in ("3.11", "3.12", "3.13")),
    ],
)
ROOT, SOURCE = Path(__file__).parent, Path("build", "sdist")
WORKS = """
harness-ext --version
harness-ext tasks
mteb run -m mteb/baseline-random-encoder -t EpsilonCompositionalityMini --output-folder results
harness-ext show results
python -c 'import datasets; print(datasets.load_dataset("compound_mini", split="naturalistic"))'
"""
"""What an installation must do, from any folder."""


@nox.session
@EACH
def tests(session: nox.Session, dependencies: str) -> None:
    """The quick tests; the lowest dependencies are those of pyproject.toml, as uv resolves them."""
    _install(session, dependencies, "--editable", ".")
    session.run("python", "-m", "pytest", *(session.posargs or QUICK))


@nox.session
def build(session: nox.Session) -> None:
    """Make wheel and source distribution in dist/, check them, and unpack the source into
    build/sdist.
    """
    session.install("build", "twine", "check-wheel-contents")
    for folder in (Path("dist"), SOURCE):
        shutil.rmtree(folder, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", "dist")
    made = sorted(map(str, Path("dist").iterdir()))
    session.run("twine", "check", "--strict", *made)
    session.run("check-wheel-contents", *(file for file in made if file.endswith(".whl")))
    for file in made:
        session.log(f"{file}: {Path(file).stat().st_size / 2**20:.2f} MiB")
    with tarfile.open(next(file for file in made if file.endswith(".gz"))) as source:
        source.extractall(SOURCE.parent, filter="data")
        shutil.move(SOURCE.parent / source.getnames()[0].split("/")[0], SOURCE)
    (SOURCE / "leaderboard").symlink_to(
        ROOT / "leaderboard"
    )  # 30 MB of results, which are in no distribution


@nox.session
def plain(session: nox.Session) -> None:
    """The wheel of dist/ as the README installs it, without an extra: no task may need another
    package.
    """
    (wheel,) = (ROOT / "dist").glob("*.whl")
    session.install(str(wheel), "--constraint", "constraints.txt", *_given())
    with session.chdir(session.create_tmp()):
        for folder in ("results", "datasets", "huggingface"):
            shutil.rmtree(folder, ignore_errors=True)
        session.run("python", "-P", str(ROOT / "tests" / "every_task.py"))


@nox.session
@EACH
def release(session: nox.Session, dependencies: str) -> None:
    """The wheel of dist/ in a clean environment: its commands, from another folder, and the tests
    of the source.
    """
    (wheel,) = (ROOT / "dist").glob("*.whl")
    _install(session, dependencies, str(wheel))
    with session.chdir(session.create_tmp()):
        for line in WORKS.strip().splitlines():
            session.run(*shlex.split(line))
    with session.chdir(ROOT / SOURCE):
        session.run("python", "-m", "pytest", *(session.posargs or QUICK))


def _install(session: nox.Session, dependencies: str, *what: str) -> None:
    """Install this project with the dependencies of its tests, and what the tests
    themselves need.
    """
    resolution = "lowest-direct" if dependencies == "lowest" else "highest"
    folder = Path(session.create_tmp())
    pins, below = folder / f"{dependencies}.txt", folder / "below.txt"
    known = {"transformers-4": "transformers<5\n", "pinned": (ROOT / "constraints.txt").read_text()}
    below.write_text(known.get(dependencies, ""))
    session.install("pip", "uv")  # with pip the tests install the package anew
    session.run(
        *(
            "uv",
            "pip",
            "compile",
            "pyproject.toml",
            "--extra",
            "test",
            "--quiet",
            "--resolution",
            resolution,
        ),
        *(
            "--python-version",
            str(session.python),
            "--constraint",
            str(below),
            "--output-file",
            str(pins),
        ),
        *_given(),
    )
    session.run("uv", "pip", "install", "--requirement", str(pins), *what, *_given())


def _given() -> list[str]:
    """Where not every version can be had: NOX_CONSTRAINTS names a file of pins, NOX_FIND_LINKS a
    folder of wheels.
    """
    options = {"--constraint": "NOX_CONSTRAINTS", "--find-links": "NOX_FIND_LINKS"}
    return [
        part
        for option, name in options.items()
        if (value := os.environ.get(name))
        for part in (option, value)
    ]
