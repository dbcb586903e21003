"""General packages name no paper: pyproject.toml lists them and what they may not import, and no
string has a name.
"""

import ast
import re
import tomllib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest

import harness_ext
from harness_ext.measures.kinds.pair_classes import PAIR_CLASSES
from harness_ext.measures.kinds.rated_pairs import RATED_PAIRS
from harness_ext.measures.kinds.retrieval import RETRIEVAL
from harness_ext.measures.kinds.triplets import TRIPLETS
from harness_ext.tasks import TASKS
from harness_ext.tasks.papers import PAPERS
from harness_ext.tasks.task import LanguageModelTask

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def contract(kind):
    """The first contract of a kind, about what may import what."""
    settings = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    of_kind = [contract for contract in contracts if contract["type"] == kind]
    return of_kind[0]


LAYERS = contract("layers")
FORBIDDEN = contract("forbidden")
NAME_PAPERS = {"__main__", "training", "deciding", "measuring", "tasks"}
"""Packages above the measures that may name them; `__main__` calls `cli`."""

OF_ONE_DECISION = {"cli.safe_to_merge", "cli.finetune_pss", "show.papers"}
GENERAL_TASK_MODULES = {"task", "data", "papers", "overall"}
KINDS = {"kind", "pair_classes", "rated_pairs", "retrieval", "triplets"}
"""The modules of `measures/kinds/` that measure a user's own rows too, and so are of no paper."""

PLAIN_WORDS = {"question"}
"""Names of measures that are also words of everything."""


def modules_of(package):
    """The names of the modules in a package's folder."""
    folders = find_spec(f"harness_ext.{package}").submodule_search_locations
    return {module.name for module in iter_modules(folders)}


def below(package, names):
    """Modules with the name of their package."""
    return {f"{package}.{name}" for name in names}


def test_the_contract_lists_every_general_module_and_every_module_of_a_paper():
    layers = " | ".join(LAYERS["layers"]).split(" | ")
    general = {*layers[: layers.index("measures")]} - NAME_PAPERS - {"cli", "show"}
    general |= below("cli", modules_of("cli")) - OF_ONE_DECISION
    general |= below("show", modules_of("show")) - OF_ONE_DECISION
    assert {*FORBIDDEN["source_modules"]} == below("harness_ext", general)
    of_papers = {"show.papers.*"}
    of_papers |= below("measures", modules_of("measures") - {"core", "kinds"})
    of_papers |= below("measures.kinds", modules_of("measures.kinds") - KINDS)
    of_papers |= below("tasks", modules_of("tasks") - GENERAL_TASK_MODULES)
    assert {*FORBIDDEN["forbidden_modules"]} == below("harness_ext", of_papers)


@cache
def names_of_papers():
    """The names of tasks and measures but the kinds', and of papers; and of their modules, as in
    `import_module`.
    """
    names = {*TASKS, *PAPERS, *PAPERS.values()}
    for task in TASKS.values():
        names.add(task.measure.name)
        if isinstance(task, LanguageModelTask):
            names.add(task.module)
    names -= {kind.name for kind in (TRIPLETS, RATED_PAIRS, PAIR_CLASSES, RETRIEVAL)}
    names -= PLAIN_WORDS
    for module in FORBIDDEN["forbidden_modules"]:
        names.add(module.removeprefix("harness_ext.").removesuffix(".*"))
    any_name = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<!\w)({any_name})(?!\w)")


def strings_of(code):
    """The string literals of code but its docstrings, with their lines."""
    nodes = list(ast.walk(ast.parse(code)))
    docstrings = [node.value for node in nodes if isinstance(node, ast.Expr)]
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if node not in docstrings:
                yield node.lineno, text


def found_names(code):
    """Line -> the names of papers in its strings."""
    names_by_line = {}
    for line, text in strings_of(code):
        names = names_of_papers().findall(text)
        if names:
            names_by_line.setdefault(line, []).extend(names)
    return names_by_line


def test_strings_are_found():
    code = (
        '"""epsilon."""\nx = f"of {1} '
        'polarity"\nimport_module("harness_ext.tasks.pair_similarity")\n"""epsilon."""'
    )
    assert found_names(code) == {2: ["polarity"], 3: ["tasks.pair_similarity"]}
    assert len(list(strings_of(code))) == 3


@pytest.mark.parametrize("module", sorted(FORBIDDEN["source_modules"]))
def test_no_string_names_a_paper(module):
    package = Path(harness_ext.__file__).parent
    origin = Path(find_spec(module).origin)
    files = origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]
    found = []
    for file in files:
        for line, names in found_names(file.read_text(encoding="utf-8")).items():
            found.append(f"{file.relative_to(package)}:{line}: {names}")
    assert not found, "\n".join(found)
