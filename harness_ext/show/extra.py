"""The extra `report`, without which there are no pictures and no pages; the formats of pictures."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

FigureFormat = Literal["pdf", "svg", "png"]

_PACKAGES = ("altair", "itables", "jinja2", "vl_convert")


class MissingExtraError(ModuleNotFoundError):
    """The extra `report` is not installed; the message says how to install it."""


def check_extra() -> None:
    """Look for the packages, without the second that importing them takes.

    Raises:
        MissingExtraError: One is missing.
    """
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise MissingExtraError(
            f'Pictures and pages need {missing[0]}, of the extra "report". In the checkout: pip install ".[report]"'
        )
