"""The tests on every Python that is supported, and with the lowest dependencies that are declared.

The lowest are tried on the lowest Python: of many there is no build for a later one.

`nox --list` names the sessions; `nox --session "tests(python='3.12', dependencies='newest')"` runs one. What is given
after `--` goes to pytest. `make test` runs with what constraints.txt pins, which is what development happens with.
"""

import os
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|virtualenv"
QUICK = ("-m", "not slow", "-n", "2")


@nox.session
@nox.parametrize(
    ("python", "dependencies"),
    [("3.11", "lowest"), *((python, "newest") for python in ("3.11", "3.12", "3.13"))],
)
def tests(session: nox.Session, dependencies: str) -> None:
    """The quick tests; the lowest dependencies are those of pyproject.toml, as uv resolves them."""
    resolution = "lowest-direct" if dependencies == "lowest" else "highest"
    pins = Path(session.create_tmp(), f"{dependencies}.txt")
    session.install("pip", "uv")  # with pip the tests install the package anew
    session.run(
        *("uv", "pip", "compile", "pyproject.toml", "--extra", "test", "--quiet", "--resolution", resolution),
        *("--python-version", str(session.python), "--output-file", str(pins)),
        *_given(),
    )
    session.run("uv", "pip", "install", "--requirement", str(pins), "--editable", ".", *_given())
    session.run("python", "-m", "pytest", *(session.posargs or QUICK))


def _given() -> list[str]:
    """Where not every version can be had: NOX_CONSTRAINTS names a file of pins, NOX_FIND_LINKS a folder of wheels."""
    options = {"--constraint": "NOX_CONSTRAINTS", "--find-links": "NOX_FIND_LINKS"}
    return [part for option, name in options.items() if (value := os.environ.get(name)) for part in (option, value)]
