"""Names of models, revisions and experiments: none may mislead a reader, a page or a file system."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from harness_ext.harnesses.mteb_models import known_models
from harness_ext.leaderboard.checks.finding import Finding, brief
from harness_ext.model_name import ModelName

_NAME = re.compile(r"[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9 ._+=,:()/-]{0,198}(?<![ ./])|[A-Za-z0-9]")
"""No HTML, no formula, no way out of a folder, and no letter that looks like another."""

_EXPERIMENT = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9 ._+=,:()-]{0,198}(?<![ .])|[A-Za-z0-9_]")

_NO_REVISION = {None, "", "external", "no_revision_available"}
_MOVING = {"main", "master", "head", "latest"}
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)),
             "none", "null", "unknown", "no_model_name"}  # fmt: skip
"""Names of devices, which are no file names on some systems, and names that say that there is no model."""

_ALIKE = str.maketrans("01i", "oll")


def name_findings(file: Path, name: object, folder: Path, on_board: Collection[str]) -> Iterator[Finding]:
    """Check a model's name.

    Args:
        file: Its `model_meta.json`.
        name: The name in it.
        folder: The folder of the model.
        on_board: The names of the models on the board.
    """
    yield from _written_findings(file, "name", name, folder)
    if not isinstance(name, str):
        return
    if any(part.partition(".")[0].lower() in _RESERVED for part in (name, *name.split("/"))):
        yield Finding(file, "name", brief(name), "a model's name", "The name is reserved. Choose another.")
    known = known_models() | {*on_board}
    alike = {_skeleton(name), _skeleton(name if _is_variant(name) else name.partition(" ")[0])}
    like = sorted(each for each in known if _skeleton(each) in alike)
    if like and name not in known:
        yield Finding(file, "name", brief(name), like[0], "The name looks like the name of a known model. If it is "
                      "that model, write its name; if not, choose another.")  # fmt: skip


def revision_findings(file: Path, revision: object, folder: Path) -> Iterator[Finding]:
    """Check a revision; arguments as in `name_findings`."""
    yield from _written_findings(file, "revision", revision, folder)
    if revision in _NO_REVISION:
        yield Finding(file, "revision", brief(revision), "a revision", "Nothing says which version this is.")
    elif str(revision).lower() in _MOVING:
        yield Finding(file, "revision", brief(revision), "a commit", "A branch is another version tomorrow. Name the "
                      "commit: mteb run --model-revision COMMIT")  # fmt: skip


def experiment_findings(folder: Path) -> Iterator[Finding]:
    """Check the name of an experiment, which is the name of its folder."""
    if not _EXPERIMENT.fullmatch(folder.name):
        yield Finding(folder, "experiment", brief(folder.name), "letters, digits, spaces and ._+=,:()-",
                      "This cannot be an experiment's name.")  # fmt: skip


def _written_findings(file: Path, key: str, value: object, folder: Path) -> Iterator[Finding]:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        yield Finding(file, key, brief(value), "letters, digits, spaces and ._+=,:()/-, no blank or dot at the end",
                      f"This cannot be a model's {key}.")  # fmt: skip
    elif value.replace("/", "__").replace(" ", "_") != folder.name:
        yield Finding(file, key, value, folder.name, "The results are in the folder of another model or revision.")


def _is_variant(name: str) -> bool:
    """Whether brackets at the end have options of this project's encoders, and not a layer alone."""
    options = ModelName.parse(name).options
    return bool(options) and "layer" not in options


def _skeleton(name: str) -> str:
    """Remove what a reader overlooks: case, separators, brackets at the end, differences of letters that look alike."""
    bare = name if _is_variant(name) else re.sub(r"[\s.]*([\[(][^\])]*[\])][\s.]*)+$", "", name)
    bare = re.sub(r"[^a-z0-9/]", "", re.sub(r"__|/+", "/", bare.casefold()))
    return bare.translate(_ALIKE).replace("rn", "m").replace("vv", "w")
