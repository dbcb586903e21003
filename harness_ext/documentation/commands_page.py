"""The page docs/commands.md: every command of `harness-ext`, from its own help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import typer

from harness_ext.cli import app

_INTRODUCTION = """# Commands

Written by `make docs` from the help of the commands. `harness-ext COMMAND --help` has the rest of it, and the defaults.
Arguments and options of more than two commands:
"""


def commands_page() -> str:
    """The page, as Markdown."""
    commands = dict(_commands(typer.main.get_command(app), "harness-ext"))
    times = Counter(line for command in commands.values() for line in _options(command))
    often = [line for line, number in times.items() if number > 2]
    lines = [_INTRODUCTION, *often]
    for name, command in commands.items():
        lines += [f"\n## {name}\n", _one_line((command.help or "").split("\n\n")[0])]
        own = [line for line in _options(command) if line not in often]
        lines += ["", *own] if own else []
    return "\n".join(lines) + "\n"


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The commands below one, itself if there are none."""
    parts = getattr(command, "commands", {})
    for part, below in parts.items():
        yield from _commands(below, f"{name} {part}")
    if not parts:
        yield name, command


def _options(command: Any) -> list[str]:
    return [
        f"- {_names(parameter)}: {_one_line(parameter.help)}"
        for parameter in command.params
        if getattr(parameter, "help", "")
    ]


def _names(parameter: Any) -> str:
    is_argument = parameter.param_type_name == "argument"
    return ", ".join(f"`{name.upper() if is_argument else name}`" for name in parameter.opts)


def _one_line(text: str) -> str:
    return " ".join(text.split())
