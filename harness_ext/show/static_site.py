"""Writes a folder of static pages: templates, styles, scripts, file names, and strangers' texts of
any length.
"""

from __future__ import annotations  # which name altair; it is imported on first use

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain, count
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from harness_ext.common.files import write_file
from harness_ext.results.published import without_zero
from harness_ext.show.extra import check_extra

LONGEST = 2000
"""The most characters of a text that pages show. A result file may hold a name of any length."""

_HERE = files("harness_ext.show") / "report"
_SCRIPTS = "assets"
_BEFORE_INDEX = {_SCRIPTS, "data"}
_MADE_BY = "Made by compositionality-harness"
"""Words in the footer of every page, also of earlier versions."""


class ReportError(ValueError):
    """The report cannot be written; the message names the reason and the remedy."""


def check_is_ours(folder: Path) -> None:
    """Make sure that pages in a folder would replace no file of others.

    Raises:
        ReportError: The folder has files, but no page of this program.
    """
    if not folder.is_dir() or not (names := {path.name for path in folder.iterdir()}):
        return
    index = folder / "index.html"
    if index.is_file() and _MADE_BY in index.read_text(encoding="utf-8", errors="replace"):
        return
    scripts = (path.name for path in (folder / _SCRIPTS).glob("*"))
    if names <= _BEFORE_INDEX and any(name.startswith(("charts-", "tables-")) for name in scripts):
        return  # left by a killed run: index.html is written last
    raise ReportError(
        f"{folder} is not empty, and has no index.html of this program (found: "
        f"{', '.join(sorted(names)[:3])}). Name another folder with -o, or write into this one "
        "with --force."
    )


class Site:
    """Writes pages into a folder, and their shared files.

    Jinja2 escapes every text and `cut` cuts it at `LONGEST`; charts are JSON that cannot end its
    script element. The pages forbid the browser every request outside of their folder.

    Args:
        folder: The folder; made if missing. Other files in it stay.
        kind: The kind of pages, for their titles.
        more: A package with `templates`, styles and scripts of its own, which come first.
        charts: Whether pages may have charts.

    Raises:
        MissingExtraError: A package is missing.
        ReportError: The folder cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        *,
        kind: str = "compositionality report",
        more: Traversable | None = None,
        charts: bool = True,
    ) -> None:
        check_extra()
        import jinja2

        self.folder = folder
        try:
            (folder / _SCRIPTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ReportError(
                f"{folder}: the folder cannot be made: {error.strerror}. Name another one with -o."
            ) from None
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(
                [str(home / "templates") for home in (more, _HERE) if home]
            ),
            autoescape=True,
            finalize=cut,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.policies["json.dumps_function"] = _as_json
        self._environment.policies["json.dumps_kwargs"] = {}
        self._environment.filters |= {"digits": digits, "cells": cells, "zip": zip}
        self._environment.globals["harness_version"] = version("compositionality-harness")
        for home in filter(None, (_HERE, more)):
            for asset in home.iterdir():
                if asset.name.endswith((".css", ".js")):
                    self.asset(asset.name, asset.read_text(encoding="utf-8"))
        tables = files("itables") / "html"
        self.asset(
            f"tables-{version('itables')}.css",
            (tables / "dt_bundle.css").read_text(encoding="utf-8"),
        )
        # browsers import no module from file://, but they do from a blob of the page
        module = json.dumps((tables / "dt_bundle.js").read_text(encoding="utf-8"))
        script = (
            f"window.tables = import(URL.createObjectURL(new Blob([{module}], {{type: "
            '"text/javascript"})));\n'
        )
        self.asset(f"tables-{version('itables')}.js", script)
        charts_script = f"charts-{version('vl-convert-python')}.js"
        if charts and not (folder / _SCRIPTS / charts_script).is_file():  # it takes seconds to make
            import vl_convert

            self.asset(charts_script, vl_convert.javascript_bundle())  # type: ignore[call-arg]  # its stub says otherwise
        self._environment.globals |= {"charts_script": charts_script, "kind": kind}
        self._environment.globals["tables_version"] = version("itables")

    def write(self, name: str, template: str, /, **content: Any) -> None:
        """Write a page.

        Args:
            name: The file, relative to the folder, with `/`.
            template: One of `templates/`.
            content: The content of the template; `root`, the way from the page to the folder, is
                added.
        """
        page = self._environment.get_template(template).render(
            **content, root="../" * name.count("/"), page=name
        )
        write_file(self.folder / name, page)

    def share(self, **content: Any) -> None:
        """Add content to every page written from now on."""
        self._environment.globals |= content

    def asset(self, name: str, text: str) -> None:
        """Write a shared file into `assets/`."""
        write_file(self.folder / _SCRIPTS / name, text)


def cut(value: Any) -> Any:
    """Cut a text at `LONGEST`, and replace halves of letters.

    Examples:
        >>> len(cut("x" * 10_000_000))
        2030
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    text = (
        value
        if len(value) <= LONGEST
        else f"{value[:LONGEST]}… ({len(value)} characters in all)"[: LONGEST + 30]
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def digits(value: float) -> str:
    """Write a number with three digits after the point, or a whole number without.

    Examples:
        >>> digits(0.12345), digits(12.0), digits(-2)
        ('.123', '12', '-2')
    """
    return str(int(value)) if float(value).is_integer() else without_zero(f"{value:.3f}")


def cells(row: Iterable[Any]) -> Markup:
    """Write the cells of a row, much quicker than a template. Tables sort by six digits of a
    number.
    """
    return Markup("".join(map(_cell, row)))


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "<td></td>"
    if isinstance(value, str):
        return f"<td>{escape(cut(value))}</td>"
    return f'<td class="figure" data-order="{value:.6g}">{digits(value)}</td>'


def _as_json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """Prepare a value for JSON: texts are cut as by `cut`, NaN and infinities become null."""
    if isinstance(value, dict):
        return {cut(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return cut(value)


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Make of each name a different file name of lower-case letters, digits and hyphens.

    Examples:
        >>> slugs(["../../Caixa forte", "caixa forte", "§"])
        {'../../Caixa forte': 'caixa-forte', 'caixa forte': 'caixa-forte-2', '§': 'x'}
    """
    by_name: dict[str, str] = {}
    for name in dict.fromkeys(names):
        letters = (
            unicodedata.normalize("NFKD", name[:LONGEST]).encode("ascii", "ignore").decode().lower()
        )
        base = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:60].strip("-") or "x"
        candidates = chain([base], (f"{base}-{n}" for n in count(2)))
        taken = {*by_name.values()}
        by_name[name] = next(candidate for candidate in candidates if candidate not in taken)
    return by_name
