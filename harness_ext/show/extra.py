"""The extra `report`, without which there are no pictures and no pages."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from harness_ext.common.extras import MissingExtraError

if TYPE_CHECKING:
    import altair as altair  # so that others may import it from here

_PACKAGES = ("altair", "itables", "jinja2", "vl_convert")


class _OnFirstUse:
    """A module that is imported when something of it is used: Altair takes as long as a table does
    in all.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


if not TYPE_CHECKING:
    altair = _OnFirstUse("altair")


def check_extra() -> None:
    """Look for the packages, without the second that importing them takes.

    Raises:
        MissingExtraError: One is missing.
    """
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise MissingExtraError("Pictures and pages need", missing[0], "report")
