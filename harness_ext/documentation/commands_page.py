"""The page docs/commands.md: every command of `harness-ext`, from its own help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from harness_ext.cli import app

_INTRODUCTION = """# Commands

Written by `make docs` from the help of the commands. `harness-ext COMMAND --help` has the rest of it, and the defaults.
"""


def commands_page() -> str:
    """The page, as Markdown."""
    return "\n".join([_INTRODUCTION, *_described(typer.main.get_command(app), "harness-ext")])


def _described(command: Any, name: str) -> Iterator[str]:
    """A section for each command; what has commands of its own, has none."""
    parts = getattr(command, "commands", {})
    for part, below in parts.items():
        yield from _described(below, f"{name} {part}")
    if not parts:
        yield f"## {name}\n"
        yield _one_line((command.help or "").split("\n\n")[0]) + "\n"
        helped = [one for one in command.params if getattr(one, "help", "")]
        yield "".join(f"- {_names(one)}: {_one_line(one.help)}\n" for one in helped)


def _names(parameter: Any) -> str:
    is_argument = parameter.param_type_name == "argument"
    return ", ".join(f"`{name.upper() if is_argument else name}`" for name in parameter.opts)


def _one_line(text: str) -> str:
    return " ".join(text.split())
