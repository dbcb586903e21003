"""A private name of another package may go without notice: each that is used is in `NAMES`, with
what is lost.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from harness_ext.common.wraps import NAMES

ROOT = Path(__file__).parents[1]
FOLDERS = ("harness_ext", "tasks", "datasets_scripts")
FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
HARNESSES = ("mteb", "datasets", "lm_eval", "sentence_transformers")

LISTED = {re.split(r"[.:]", place)[-1] for place in NAMES}
DOCUMENTED = {
    **dict.fromkeys(("_asdict", "_make", "_replace"), "of a NamedTuple"),
    "_exit": "of os",
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
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
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
        case ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super")):
            return True
    return False


def names_used(tree, made_anywhere):
    """The private names of others that a module uses: imported, or asked of an object."""
    made_here = {*names_made(tree)}
    for node in ast.walk(tree):
        yield from filter(is_private, imports(node))
        match node:
            case ast.Attribute(attr=name, value=owner) if is_private(name):
                if name not in (made_anywhere if is_of_this_object(owner) else made_here):
                    yield name
            case (
                ast.Call(func=ast.Name(id=asked), args=[*_, ast.Constant(value=str(name))])
                | ast.Call(func=ast.Name(id=asked), args=[_, ast.Constant(value=str(name)), *_])
            ):
                if asked in ASKED_BY_NAME and is_private(name):
                    yield name


@pytest.fixture(scope="module")
def trees():
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in FILES}


@pytest.fixture(scope="module")
def made_anywhere(trees):
    return {name for tree in trees.values() for name in names_made(tree)}


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


def test_every_private_name_that_is_used_is_listed_with_what_is_lost(trees, made_anywhere):
    used = {
        f"{file.relative_to(ROOT)}: {name}"
        for file, tree in trees.items()
        for name in names_used(tree, made_anywhere)
        if name not in LISTED | DOCUMENTED.keys() and not is_declared_abstract(name)
    }
    assert used == set()


def test_every_private_name_that_is_overridden_is_listed_with_what_is_lost():
    overridden = {
        f"{kind.__qualname__}.{name} of {base.__module__}"
        for kind, name, base in overrides()
        if name not in LISTED and not is_abstract(base, name)
    }
    assert overridden == set()


@pytest.mark.parametrize(
    "place", [place for place in NAMES if is_private(place.rpartition(".")[2])]
)
def test_every_private_name_that_is_listed_is_used(place, trees):
    name = re.split(r"[.:]", place)[-1]
    others = [tree for file, tree in trees.items() if file.name != "wraps.py"]
    written = {
        constant.value
        for tree in others
        for constant in ast.walk(tree)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    assert place in written or name in {name for _, name, _ in overrides()}


def classes():
    """Every class of this project."""
    for file in FILES:
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        name = module if module.startswith("harness_ext") else f"harness_ext.{module}"
        if not name.endswith(("__main__", "harness_ext._autoload")):
            found = vars(import_module(name)).values()
            yield from (
                each for each in found if isinstance(each, type) and each.__module__ == name
            )


def overrides():
    """Class, name and base for each private name that a class of ours has, and its base of a
    harness too.
    """
    for kind in classes():
        for name in filter(is_private, vars(kind)):
            for base in kind.__mro__[1:]:
                if (
                    base.__module__.partition(".")[0] in HARNESSES
                    and name in vars(base)
                    and name != "_abc_impl"
                ):
                    yield kind, name, base


def is_abstract(base, name):
    """Whether a base asks its subclasses to have this method: an extension point is not private."""
    return getattr(vars(base)[name], "__isabstractmethod__", False)


def is_declared_abstract(name):
    return any(is_abstract(base, name) for _, other, base in overrides() if other == name)
