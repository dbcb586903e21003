"""General packages name no paper: pyproject.toml lists them and what they may not import, and no
string has a name.
"""

import ast
import re
import tomllib
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

PYPROJECT = tomllib.loads(
    (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
)
LAYERS, FORBIDDEN = (
    next(one for one in PYPROJECT["tool"]["importlinter"]["contracts"] if one["type"] == kind)
    for kind in ("layers", "forbidden")
)
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
    return {
        module.name
        for module in iter_modules(find_spec(f"harness_ext.{package}").submodule_search_locations)
    }


def test_the_contract_lists_every_general_module_and_every_module_of_a_paper():
    layers = [name for layer in LAYERS["layers"] for name in layer.split(" | ")]
    general = {*layers[: layers.index("measures")]} - NAME_PAPERS
    by_module = {f"{package}.{name}" for package in ("cli", "show") for name in modules_of(package)}
    expected = (general - {"cli", "show"}) | (by_module - OF_ONE_DECISION)
    assert {*FORBIDDEN["source_modules"]} == {f"harness_ext.{name}" for name in expected}
    of_papers = {f"measures.{name}" for name in modules_of("measures") - {"core", "kinds"}}
    of_papers |= {f"measures.kinds.{name}" for name in modules_of("measures.kinds") - KINDS}
    of_papers |= {f"tasks.{name}" for name in modules_of("tasks") - GENERAL_TASK_MODULES}
    assert {*FORBIDDEN["forbidden_modules"]} == {
        f"harness_ext.{name}" for name in of_papers | {"show.papers.*"}
    }


def names_of_papers():
    """The names of tasks and measures but the kinds', and of papers; and of their modules, as in
    `import_module`.
    """
    of_kinds = {kind.name for kind in (TRIPLETS, RATED_PAIRS, PAIR_CLASSES, RETRIEVAL)}
    names = {*TASKS, *PAPERS, *PAPERS.values()}
    names |= {task.module for task in TASKS.values() if isinstance(task, LanguageModelTask)}
    names |= {task.measure.name for task in TASKS.values()} - of_kinds - PLAIN_WORDS
    modules = (
        name.removeprefix("harness_ext.").removesuffix(".*")
        for name in FORBIDDEN["forbidden_modules"]
    )
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, sorted({*names, *modules})))})(?!\w)")


def strings_of(code):
    """The string literals of code but its docstrings, with their lines."""
    tree = ast.parse(code)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def test_strings_are_found():
    code = (
        '"""epsilon."""\nx = f"of {1} '
        'polarity"\nimport_module("harness_ext.tasks.pair_similarity")\n"""epsilon."""'
    )
    named = names_of_papers()
    assert [(line, *named.findall(text)) for line, text in strings_of(code)] == [
        (2,),
        (2, "polarity"),
        (3, "tasks.pair_similarity"),
    ]


@pytest.mark.parametrize("module", sorted(FORBIDDEN["source_modules"]))
def test_no_string_names_a_paper(module):
    named = names_of_papers()
    origin = Path(find_spec(module).origin)
    files = origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]
    found = [
        f"{file.relative_to(Path(harness_ext.__file__).parent)}:{line}: {names}"
        for file in files
        for line, text in strings_of(file.read_text(encoding="utf-8"))
        if (names := named.findall(text))
    ]
    assert not found, "\n".join(found)
