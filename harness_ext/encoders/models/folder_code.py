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

_FILES_OF_MODULES = ("modules.json", "router_config.json")
"""The files that name folders of modules: by `path`, and by the keys of `types`."""

_KEYS = ("type", "types", "activation_function", "tokenizer_class")
"""The keys in them that do."""

_LIBRARIES = ("sentence_transformers.", "torch.nn.")
"""How the names of classes begin that come with the libraries."""


def check_folder(folder: Path) -> None:
    """Refuse a folder whose files name code of other libraries or of its own, or modules outside.

    Raises:
        UnknownNameError: They do; says which file, and what to do.
    """
    for name in _FILES:
        for file in sorted(folder.rglob(name)):
            if name in _FILES_OF_MODULES:
                _check_places(file, folder)
            for named in _named_classes(file):
                if "." in named and not named.startswith(_LIBRARIES):
                    raise UnknownNameError(
                        f"{file} names code that does not come with sentence-transformers: "
                        f"{shown(named)}. It is not run. Read it, and if you trust it, load the "
                        "model in Python with trust_remote_code=True."
                    )


def _check_places(file: Path, folder: Path) -> None:
    """Refuse a file that names the folder of a module outside of the model's: nobody looked at the
    files there.
    """
    for part in _parts(file):
        routes = part.get("types")
        places = [part.get("path"), *(routes if isinstance(routes, dict) else ())]
        for place in places:
            if not isinstance(place, str):
                continue
            module = (file.parent / place).resolve()
            if not module.is_relative_to(folder.resolve()):
                raise UnknownNameError(
                    f"{file} names a module outside of the model's folder: {shown(place)}. It is "
                    "not loaded. Put the module into the folder."
                )


def _named_classes(file: Path) -> Iterator[str]:
    """List what a file names in the keys of classes."""
    for part in _parts(file):
        for key in _KEYS:
            yield from _texts(part.get(key))


def _parts(file: Path) -> list[dict[str, Any]]:
    """The objects in a file; none if it cannot be read."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []  # the library says what is wrong with it
    parts = content if isinstance(content, list) else [content]
    return [part for part in parts if isinstance(part, dict)]


def _texts(value: Any) -> list[str]:
    """The texts in a value: itself, or those of a mapping."""
    values = value.values() if isinstance(value, dict) else [value]
    return [text for text in values if isinstance(text, str)]
