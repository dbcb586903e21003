"""Which models a sweep is of: the lines of a file, or what a query finds among mteb's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame


_LINE = re.compile(r"""(?:(?P<quote>['"])(?P<quoted>.+)(?P=quote)|(?P<plain>.*?))(?:(?:^|\s+)#.*)?""")
"""A name, in quotes or not, and a note after # at the beginning or after a blank."""


class SweepError(ValueError):
    """A sweep cannot begin; the message says what is wrong with which option."""


def read_models(path: Path) -> list[str]:
    """The models that a file names, one per line, in quotes or not; a blank and # begin a note.

    Raises:
        SweepError: There is no such file, or it names no model.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise SweepError(f"--models {path}: {error}") from None
    names = (match["quoted"] or match["plain"] for line in lines if (match := _LINE.fullmatch(line)))
    models = list(dict.fromkeys(name for name in names if name))
    if not models:
        raise SweepError(f"--models {path} names no model: one name or folder per line, as `mteb run -m` takes it.")
    return models


def find_models(query: str) -> list[str]:
    """The models of mteb's registry, this project's among them, that a query holds for, the smallest first.

    Args:
        query: As `pandas.DataFrame.query` takes it, over the columns of `model_table`.

    Raises:
        SweepError: It is not such a query, or holds for no model.
    """
    table = model_table()
    try:
        found = table.query(query, engine="python")
    except Exception as error:  # of many kinds, by what is wrong
        columns = ", ".join(table.columns)
        raise SweepError(f"--query {query!r}: {error}. There are these columns: {columns}.") from None
    if found.empty:
        raise SweepError(f"--query {query!r} holds for none of the {len(table)} models that mteb knows.")
    return list(found.sort_values(["n_parameters", "name"])["name"])


def model_table() -> DataFrame:
    """What mteb says of every text encoder that it can load, a row per model; lists are strings with commas.

    Columns: name, n_parameters, memory_usage_mb, max_tokens, embed_dim, open_weights, use_instructions, license,
    release_date, framework, languages, superseded_by. Of several dimensions the last is the row's.
    """
    import mteb
    import pandas as pd

    names = [
        *("name", "n_parameters", "memory_usage_mb", "max_tokens", "embed_dim", "open_weights", "use_instructions"),
        *("license", "release_date", "framework", "languages", "superseded_by"),
    ]
    metas = mteb.get_model_metas(modalities=["text"], model_types=["dense"])
    rows = [{name: _cell(getattr(meta, name)) for name in names} for meta in metas if meta.loader and meta.name]
    table = pd.DataFrame(rows, columns=names)
    table["embed_dim"] = pd.to_numeric(table["embed_dim"].astype(str).str.split(", ").str[-1], errors="coerce")
    return table


def _cell(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
