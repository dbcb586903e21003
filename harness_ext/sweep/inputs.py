"""Reads the models and the instructions of a sweep."""

import re
from pathlib import Path

import yaml

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+-]{0,39}")
"""A name of an instruction is part of a folder's name, of pages, and of what a submission to a
board is called.
"""


class SweepError(ValueError):
    """A sweep, or one of its jobs, cannot start; the message names the option and the problem."""


def read_models(path: Path) -> list[str]:
    """Read the models in a file: one per line; a line that begins with # is a note.

    Raises:
        SweepError: The file cannot be read, or has no model.
    """
    models: list[str] = []
    for line in _text(path, "--models").splitlines():
        model = line.strip()
        is_note = model.startswith("#")
        if model and not is_note and model not in models:
            models.append(model)
    if not models:
        raise SweepError(
            f"--models {path} names no model: one name or folder per line, as `mteb run -m` takes "
            "it."
        )
    return models


def read_prompts(path: Path) -> dict[str, str]:
    r"""Read instructions, lines of YAML: `NAME: "instruction"`; # begins a note.

    Returns:
        Name -> instruction, as written between the quotes; an empty one is none at all.

    Raises:
        SweepError: The file cannot be read, or is of another form; or two instructions have the
            same name or text. Names file and line.
    """
    expected = 'NAME: "instruction", such as meaning: "Represent the meaning: "'
    try:
        lines = yaml.compose(_text(path, "--prompts"), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise SweepError(f"--prompts {path}: expected lines of {expected}.\n{error}") from None
    if not isinstance(lines, yaml.MappingNode):
        raise SweepError(f"--prompts {path} has no instruction: one per line, {expected}.")
    prompts: dict[str, str] = {}
    for key, value in lines.value:
        place = f"--prompts {path}, line {key.start_mark.line + 1}"
        name = str(key.value)
        kind = value.tag.rpartition(":")[2]
        text = value.value if kind == "str" else ""
        if kind not in {"str", "null"}:
            raise SweepError(f"{place}: found {value.value!r}, expected {expected}.")
        if not _NAME.fullmatch(name):
            raise SweepError(
                f"{place}: {name!r} is no name. Take up to 40 of the characters A-Z a-z 0-9 . _ = "
                "+ -"
            )
        for other, of_other in prompts.items():
            if name.casefold() == other.casefold() or text == of_other:
                same = "instruction" if text == of_other else "name"
                raise SweepError(
                    f"{place}: {name} has the same {same} as {other}. Leave one of them out."
                )
        prompts[name] = text
    return prompts


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SweepError(f"{option} {path}: {error}") from None
