"""Reads the models of a sweep from a file, or selects them from mteb's registry with a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    from pandas import DataFrame

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


def find_models(query: str) -> list[str]:
    """Select models from mteb's registry, which includes this project's models; the smallest come first.

    Args:
        query: A query for `pandas.DataFrame.query` over the columns of `model_table`.

    Raises:
        SweepError: The query is invalid, or selects no model.
    """
    table = model_table()
    try:
        selected = table.query(query, engine="python")
    except Exception as error:  # pandas raises many kinds of exceptions here
        columns = ", ".join(table.columns)
        raise SweepError(f"--query {query!r}: {error}. The columns: {columns}.") from None
    if selected.empty:
        raise SweepError(f"--query {query!r} selects none of the {len(table)} models that mteb knows.")
    return list(selected.sort_values(["n_parameters", "name"])["name"])


def model_table() -> DataFrame:
    """Collect mteb's metadata of every text encoder that it can load, a row per model. Lists are joined by commas.

    Columns: name, n_parameters, memory_usage_mb, max_tokens, embed_dim, open_weights, use_instructions, license,
    release_date, framework, languages, superseded_by. A model with several dimensions has its last one as embed_dim.
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
