"""The tests on every Python that is supported, with the lowest and with the newest dependencies that are declared.

`nox --list` names the sessions; `nox --session "tests-3.12(dependencies='lowest')"` runs one. What is given after `--`
goes to pytest. `make test` runs with what constraints.txt pins, which is what development happens with.
"""

import os
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|virtualenv"
QUICK = ("-m", "not slow", "-n", "2")


@nox.session(python=["3.11", "3.12", "3.13"])
@nox.parametrize("dependencies", ["lowest", "newest"])
def tests(session: nox.Session, dependencies: str) -> None:
    """The quick tests; the lowest dependencies are those of pyproject.toml, as uv resolves them."""
    resolution = "lowest-direct" if dependencies == "lowest" else "highest"
    pins = Path(session.create_tmp(), f"{dependencies}.txt")
    session.install("uv")
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
