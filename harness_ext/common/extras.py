"""Packages that only some uses need, each in an extra of this package."""

from importlib import import_module
from typing import Any


class MissingExtraError(ModuleNotFoundError):
    """A package of an extra is not installed; the message says how to install it."""

    def __init__(
        self,
        what: str,
        package: str,
        extra: str,
    ) -> None:
        """Say what needs the package, such as `Word vectors need`."""
        install = f'pip install -c constraints.txt ".[{extra}]"'
        super().__init__(
            f'{what} {package}, of the extra "{extra}". In the checkout: {install}', name=package
        )


def imported(
    module: str,
    extra: str,
    what: str,
) -> Any:
    """Import a module of an extra.

    Args:
        module: The module.
        extra: The extra of this package that installs it.
        what: What needs it, and the verb: `Word vectors need`.

    Raises:
        MissingExtraError: It is not installed, or a package that it imports.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or module).partition(".")[0]
        raise MissingExtraError(what, package, extra) from error
