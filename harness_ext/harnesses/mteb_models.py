"""The models that mteb knows, without importing mteb, which takes seconds.

Reads `mteb/models/model_implementations/` as text: since mteb 2.0 each model there is a `ModelMeta(name="owner/name")`.
"""

from __future__ import annotations

import functools
import re
from importlib.util import find_spec
from pathlib import Path

_NAMED = re.compile(r"""\bname=["']([\w.-]+/[\w.-]+)["']""")


@functools.cache
def known_models() -> frozenset[str]:
    """The names of the models that mteb has metadata of; none where its files lie elsewhere."""
    spec = find_spec("mteb")
    places = (spec and spec.submodule_search_locations) or ()
    files = (file for place in places for file in Path(place, "models", "model_implementations").glob("*.py"))
    texts = (file.read_text(encoding="utf-8") for file in files)
    return frozenset(name for text in texts for name in _NAMED.findall(text))
