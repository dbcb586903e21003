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
from harness_ext.show.terms import anchor, parts_of_heading

LONGEST = 2000
"""The most characters of a text that pages show. A result file may hold a name of any length."""

_HERE = files("harness_ext.show") / "report"

_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Letters that say in which direction a browser writes what follows, also behind the text."""

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {*map(ord, "\n\r\t")}

_REPLACED = dict.fromkeys((*_CONTROLS, *_TURNING), "\N{REPLACEMENT CHARACTER}")
"""Letter that no page has -> its replacement."""

_MARK_OF_CUT = 30
"""The most characters of the mark behind a text that was cut."""

_LONGEST_SLUG = 60
"""The most characters of a file name."""

_SCRIPTS = "assets"
"""The folder of styles and scripts."""

_BEFORE_INDEX = {_SCRIPTS, "data"}
"""The folders that are written before the first page."""

_MADE_BY = "Made by compositionality-harness"
"""Words in the footer of every page, also of earlier versions."""


class ReportError(ValueError):
    """The report cannot be written; the message names the reason and the remedy."""


def check_is_ours(folder: Path) -> None:
    """Make sure that pages in a folder would replace no file of others.

    Raises:
        ReportError: The folder has files, but no page of this program.
    """
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if not names:
        return
    index = folder / "index.html"
    if index.is_file() and _MADE_BY in index.read_text(encoding="utf-8", errors="replace"):
        return
    scripts = [path.name for path in (folder / _SCRIPTS).glob("*")]
    has_our_scripts = any(name.startswith(("charts-", "tables-")) for name in scripts)
    if names <= _BEFORE_INDEX and has_our_scripts:
        return  # left by a killed run: index.html is written last
    found = ", ".join(sorted(names)[:3])
    raise ReportError(
        f"{folder} is not empty, and has no index.html of this program (found: {found}). Name "
        "another folder with -o, or write into this one with --force."
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
        homes = [more, _HERE] if more else [_HERE]
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader([str(home / "templates") for home in homes]),
            autoescape=True,
            finalize=cut,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.policies["json.dumps_function"] = _as_json
        self._environment.policies["json.dumps_kwargs"] = {}
        self._environment.filters |= {
            "digits": digits,
            "cells": cells,
            "zip": zip,
            "anchor": anchor,
            "breakable": breakable,
            "linked": linked,
        }
        charts_script = f"charts-{version('vl-convert-python')}.js"
        self._environment.globals |= {
            "harness_version": version("compositionality-harness"),
            "tables_version": version("itables"),
            "charts_script": charts_script,
            "kind": kind,
        }
        for home in reversed(homes):
            self._copy_assets(home)
        self._write_tables_script()
        if charts:
            self._write_charts_script(charts_script)

    def _copy_assets(self, home: Traversable) -> None:
        """Write the styles and scripts of a package."""
        for asset in home.iterdir():
            if asset.name.endswith((".css", ".js")):
                self.asset(asset.name, asset.read_text(encoding="utf-8"))

    def _write_tables_script(self) -> None:
        """Write style and script of tables that sort."""
        name = f"tables-{version('itables')}"
        bundle = files("itables") / "html"
        self.asset(f"{name}.css", (bundle / "dt_bundle.css").read_text(encoding="utf-8"))
        # browsers import no module from file://, but they do from a blob of the page
        module = json.dumps((bundle / "dt_bundle.js").read_text(encoding="utf-8"))
        script = (
            f"window.tables = import(URL.createObjectURL(new Blob([{module}], {{type: "
            '"text/javascript"})));\n'
        )
        self.asset(f"{name}.js", script)

    def _write_charts_script(self, name: str) -> None:
        """Write the script of charts, unless it is there: it takes seconds to make."""
        if (self.folder / _SCRIPTS / name).is_file():
            return
        import vl_convert

        script = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub says otherwise
        self.asset(name, script)

    def write(self, name: str, template: str, /, **content: Any) -> None:
        """Write a page.

        Args:
            name: The file, relative to the folder, with `/`.
            template: One of `templates/`.
            content: The content of the template; `root`, the way from the page to the folder, is
                added.
        """
        root = "../" * name.count("/")
        page = self._environment.get_template(template).render(
            **content,
            root=root,
            page=name,
        )
        write_file(self.folder / name, page)

    def share(self, **content: Any) -> None:
        """Add content to every page written from now on."""
        self._environment.globals |= content

    def asset(
        self,
        name: str,
        text: str,
    ) -> None:
        """Write a shared file into `assets/`."""
        write_file(self.folder / _SCRIPTS / name, text)


def cut(value: Any) -> Any:
    """Cut a text at `LONGEST`, and replace halves of letters, control characters, and what turns
    the text around it.

    Examples:
        >>> len(cut("x" * 10_000_000))
        2030
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    text = value
    if len(value) > LONGEST:
        text = f"{value[:LONGEST]}… ({len(value)} characters in all)"[: LONGEST + _MARK_OF_CUT]
    without_controls = text if text.isprintable() else text.translate(_REPLACED)
    return without_controls.encode("utf-8", "replace").decode("utf-8")


def digits(value: float) -> str:
    """Write a number with three digits after the point, or a whole number without.

    Examples:
        >>> digits(0.12345), digits(12.0), digits(-2)
        ('.123', '12', '-2')
    """
    if float(value).is_integer():
        return str(int(value))
    return without_zero(f"{value:.3f}")


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


def breakable(name: str) -> Markup:
    """Let a browser break a name behind `_` and within words such as `IdiomRetrieval`.

    Examples:
        >>> breakable("IdiomRetrieval")
        Markup('Idiom<wbr>Retrieval')
    """
    words = re.split(r"(?<=_)|(?<=[a-z])(?=[A-Z])", cut(name))
    return Markup("<wbr>").join(words)


def linked(
    heading: str,
    root: str,
) -> Markup:
    """Write the heading of a column with a link from each word of the glossary to its term; `root`
    is the way from the page to the folder.

    Examples:
        >>> linked("vs noise", "../")
        Markup('vs <a href="../glossary.html#matched-noise">noise</a>')
    """
    parts = []
    for text, term in parts_of_heading(cut(heading)):
        part = breakable(text)
        if term:
            address = f"{root}glossary.html#{anchor(term)}"
            part = Markup('<a href="{}">{}</a>').format(address, part)
        parts.append(part)
    return Markup("").join(parts)


def _as_json(value: Any) -> str:
    return json.dumps(
        plain(value),
        ensure_ascii=True,
        allow_nan=False,
        separators=(",", ":"),
    )


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
        base = _slug(name)
        candidates = chain([base], (f"{base}-{n}" for n in count(2)))
        taken = {*by_name.values()}
        by_name[name] = next(candidate for candidate in candidates if candidate not in taken)
    return by_name


def _slug(name: str) -> str:
    """A file name for a name, `x` where no letter or digit is left."""
    decomposed = unicodedata.normalize("NFKD", name[:LONGEST])
    letters = decomposed.encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    return words[:_LONGEST_SLUG].strip("-") or "x"
