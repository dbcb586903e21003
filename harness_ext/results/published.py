"""The papers' own tables, under the names of our result keys and of mteb's models.

`published/<task>.csv` has a line per model and a column per key, in natural ranges (shares, not percent) and with the
digits that were printed: a p-value printed as .000 is 0.

- `EpsilonCompositionality`: Wold, Simon, Velldal, Øvrelid, Tables 1, 3 and 4.
- `PolaritySensitivity`, `TreeReconstruction`: the PSS paper, with the encoders as it names them; it does not say which
  releases of them it used, so they are no names of mteb's.
"""

from __future__ import annotations

import csv
from importlib.resources import files


def published_scores(task: str) -> dict[str, dict[str, float]]:
    """What was published for `task`: model -> result key -> value; empty if nothing was."""
    table = files("harness_ext.results") / "published" / f"{task}.csv"
    if not table.is_file():
        return {}
    return {
        line.pop("model"): {key: float(value) for key, value in line.items() if value}
        for line in csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    }
