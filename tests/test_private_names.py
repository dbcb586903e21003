"""A private name of another package may go without notice: each that is used is in `NAMES`, with
what is lost.
"""

import ast
import re
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from harness_ext.common.wraps import NAMES

ROOT = Path(__file__).parents[1]
FOLDERS = ("harness_ext", "tasks", "datasets_scripts")
FILES = list(chain.from_iterable(sorted((ROOT / folder).rglob("*.py")) for folder in FOLDERS))
HARNESSES = ("mteb", "datasets", "lm_eval", "sentence_transformers")

LISTED = {re.split(r"[.:]", place)[-1] for place in NAMES}
DOCUMENTED = {
    **dict.fromkeys(("_asdict", "_make", "_replace"), "of a NamedTuple"),
    "_exit": "of os",
    "_version": "of tensors of torch",
    "_repr_html_": "of notebooks",
    "_hf_hook": "of accelerate",
}
"""Names of other packages than the harnesses, which are no private ones or have no other."""

ASKED_BY_NAME = {"getattr", "hasattr", "setattr", "delattr", "attrgetter"}


def is_private(name):
    return bool(re.fullmatch(r"_[A-Za-z]\w*", name))


def names_made(tree):
    """What a module defines itself: functions, classes, variables, and attributes that it sets."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def imports(node):
    """The parts of the names that a statement imports from other packages."""
    match node:
        case ast.Import(names=names):
            imported = [each.name for each in names]
        case ast.ImportFrom(module=str(module), names=names):
            imported = [f"{module}.{each.name}" for each in names]
        case _:
            return
    for name in imported:
        if not name.startswith("harness_ext"):
            yield from name.split(".")


def is_of_this_object(owner):
    """Whether an attribute is asked of `self`, `cls` or `super()`: of a class of ours, or a base of
    it.
    """
    match owner:
        case ast.Name(id="self" | "cls"):
            return True
        case ast.Call(func=ast.Name(id="super")):
            return True
    return False


def texts_asked_for(node):
    """The texts that a call such as `getattr` may take for the name of an attribute."""
    match node:
        case ast.Call(func=ast.Name(id=function), args=arguments) if function in ASKED_BY_NAME:
            # of the arguments, the second, or the last as of `attrgetter`
            for argument in {*arguments[1:2], *arguments[-1:]}:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def names_used(tree, made_anywhere):
    """The private names of others that a module uses: imported, or asked of an object."""
    made_here = {*names_made(tree)}
    for node in ast.walk(tree):
        yield from filter(is_private, imports(node))
        yield from filter(is_private, texts_asked_for(node))
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            made = made_anywhere if is_of_this_object(node.value) else made_here
            if node.attr not in made:
                yield node.attr


@pytest.fixture(scope="module")
def trees():
    sources = {file: file.read_text(encoding="utf-8") for file in FILES}
    return {file: ast.parse(source) for file, source in sources.items()}


@pytest.fixture(scope="module")
def made_anywhere(trees):
    names = set()
    for tree in trees.values():
        names |= {*names_made(tree)}
    return names


@pytest.mark.parametrize(
    "line",
    [
        "from mteb._hf_integration.eval_model import HFEvalMeta",
        "from mteb.get_tasks import _TASKS_REGISTRY",
        "import mteb._set_seed",
        "ModelMeta._resolve_loader(folder)",
        "rows._fingerprint",
        "task_of(name)()._create_task_hf_config(meta)",
        "self._metric_fn_list",
        "super()._verify_server()",
        'getattr(config, "_name_or_path", None)',
    ],
)
def test_every_way_to_use_a_private_name_is_seen(line):
    assert [*names_used(ast.parse(line), set())]


@pytest.mark.slow
def test_every_private_name_that_is_used_is_listed_with_what_is_lost(trees, made_anywhere):
    unlisted = set()
    for file, tree in trees.items():
        names = {*names_used(tree, made_anywhere)} - LISTED - DOCUMENTED.keys()
        for name in names:
            if not is_declared_abstract(name):
                unlisted.add(f"{file.relative_to(ROOT)}: {name}")
    assert unlisted == set()


def test_every_private_name_that_is_overridden_is_listed_with_what_is_lost():
    overridden = {
        f"{kind.__qualname__}.{name} of {base.__module__}"
        for kind, name, base in overrides()
        if name not in LISTED and not is_abstract(base, name)
    }
    assert overridden == set()


@pytest.fixture(scope="module")
def written(trees):
    """All strings of modules other than the one with the list."""
    strings = set()
    for file, tree in trees.items():
        if file.name == "wraps.py":
            continue
        constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        strings |= {node.value for node in constants if isinstance(node.value, str)}
    return strings


PRIVATE = [place for place in NAMES if is_private(place.rpartition(".")[2])]


@pytest.mark.parametrize("place", PRIVATE)
def test_every_private_name_that_is_listed_is_used(place, written):
    name = re.split(r"[.:]", place)[-1]
    overridden = {override.name for override in overrides()}
    assert place in written or name in overridden


def classes():
    """Every class of this project."""
    for file in FILES:
        parts = file.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        name = module if module.startswith("harness_ext") else f"harness_ext.{module}"
        if name.endswith(("__main__", "harness_ext._autoload")):
            continue
        for value in vars(import_module(name)).values():
            if isinstance(value, type) and value.__module__ == name:
                yield value


class Override(NamedTuple):
    """A private name that a class of ours has, and its base of a harness too."""

    kind: type
    name: str
    base: type


def is_of_a_harness(kind):
    package, _, _ = kind.__module__.partition(".")
    return package in HARNESSES


@cache
def overrides():
    """All of them."""
    found = []
    for kind in classes():
        bases = [base for base in kind.__mro__[1:] if is_of_a_harness(base)]
        for name in filter(is_private, vars(kind)):
            for base in bases:
                if name in vars(base) and name != "_abc_impl":
                    found.append(Override(kind, name, base))
    return found


def is_abstract(base, name):
    """Whether a base asks its subclasses to have this method: an extension point is not private."""
    return getattr(vars(base)[name], "__isabstractmethod__", False)


def is_declared_abstract(name):
    bases = [override.base for override in overrides() if override.name == name]
    return any(is_abstract(base, name) for base in bases)
