"""The citations, in BibTeX, of the papers whose data and measures are here, and of this project."""

import re
from importlib.resources import files

_ENTRIES = (files("harness_ext.data") / "citations.bib").read_text(encoding="utf-8").strip()
_ENTRY = {re.split("[{,]", entry)[1]: entry for entry in _ENTRIES.split("\n\n")}

OF_THIS_PROJECT = "compositionality-harness"
"""The key of what to cite for data that was written for this project alone."""


def cite(*keys: str) -> str:
    """The entries of citations.bib with these keys."""
    return "\n\n".join(_ENTRY[key] for key in keys)
