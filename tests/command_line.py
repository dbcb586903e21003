"""The command `harness-ext` in this process."""

import warnings

from typer.testing import CliRunner

from harness_ext.cli import app


def harness_ext(*arguments, columns="200"):
    """A command that has ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": columns})
