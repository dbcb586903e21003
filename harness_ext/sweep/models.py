"""Reads the models of a sweep from a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from harness_ext.model_name import ModelName

_LINE = re.compile(r"""(?:(?P<quote>['"])(?P<quoted>.+)(?P=quote)|(?P<plain>.*?))(?:(?:^|\s+)#.*)?""")
"""A name, with or without quotes, and a note that begins with # at the start of the line or after a blank."""


class SweepError(ValueError):
    """A sweep, or one of its jobs, cannot start; the message names the option and the problem."""


def read_lines(path: Path, option: str) -> list[str]:
    """Read the lines of the file that an option names.

    Raises:
        SweepError: The file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SweepError(f"{option} {path}: {error}") from None


def read_models(path: Path) -> list[str]:
    """Read the models in a file: one per line, with or without quotes; # after a blank begins a note.

    Raises:
        SweepError: The file cannot be read, or has no model.
    """
    lines = read_lines(path, "--models")
    names = (match["quoted"] or match["plain"] for line in lines if (match := _LINE.fullmatch(line.strip())))
    models = list(dict.fromkeys(name for name in names if name))
    if not models:
        raise SweepError(f"--models {path} names no model: one name or folder per line, as `mteb run -m` takes it.")
    return models


def check_names(models: Sequence[str]) -> None:
    """Refuse names that no model can have; errors as of `ModelName.check`."""
    from mteb.models.model_implementations import MODEL_REGISTRY  # some have options of their own

    for name in models:
        if name not in MODEL_REGISTRY:
            ModelName.parse(name).check()
