"""Code that the files of a folder name: it runs only where the user says so.

sentence-transformers before 6.0 takes a folder of this machine for trusted, and imports what its
files name.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness_ext.common.errors import UnknownNameError, shown

_FILES = ("modules.json", "config.json", "router_config.json", "wordembedding_config.json")
"""The files of sentence-transformers that name classes, in the folder and in those of modules."""

_KEYS = ("type", "types", "activation_function", "tokenizer_class")
"""The keys in them that do."""

_LIBRARIES = ("sentence_transformers.", "torch.nn.")
"""How the names of classes begin that come with the libraries."""


def check_folder(folder: Path) -> None:
    """Refuse a folder whose files name code of other libraries, or of its own.

    Raises:
        UnknownNameError: They do; says which file, and what to do.
    """
    for name in _FILES:
        for file in sorted(folder.rglob(name)):
            for named in _named_classes(file):
                if "." in named and not named.startswith(_LIBRARIES):
                    raise UnknownNameError(
                        f"{file} names code that does not come with sentence-transformers: "
                        f"{shown(named)}. It is not run. Read it, and if you trust it, load the "
                        "model in Python with trust_remote_code=True."
                    )


def _named_classes(file: Path) -> Iterator[str]:
    """List what a file names in the keys of classes; nothing if it cannot be read."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return  # the library says what is wrong with it
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if isinstance(part, dict):
            for key in _KEYS:
                yield from _texts(part.get(key))


def _texts(value: Any) -> list[str]:
    """The texts in a value: itself, or those of a mapping."""
    values = value.values() if isinstance(value, dict) else [value]
    return [text for text in values if isinstance(text, str)]
