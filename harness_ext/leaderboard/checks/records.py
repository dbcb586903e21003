"""Records of a board's maintainers: reruns of submitted models.

They stand in the board's repository, beside its results: `reruns/<any name>.json`, one file per
rerun. No submission may change them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from operator import attrgetter
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from harness_ext.common.files import whole_file
from harness_ext.common.json_files import Number, read_model
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.results.entry import Entry

RERUNS = "reruns"
"""The folder of reruns."""

TOLERANCE = {"float32": 0.01, "float64": 0.01, "bfloat16": 0.05, "float16": 0.05}
"""Dtype of the weights -> how far a rerun's score may be from the submitted score, in the score's
own units.

Only scores with a better direction are compared: the last digits of spreads, counts and p-values
say nothing about a model. docs/leaderboard.md says how the tolerance was measured.
"""

_LONGEST_NAME = 180
"""The most letters of a file name without its ending: Windows takes 259 for a whole path."""

COARSE = 0.1
"""The tolerance of every other dtype: quantized weights depend on the machine in more than the last
digits.
"""


class CellKey(NamedTuple):
    """Names a cell of a board."""

    model: str
    revision: str
    task: str
    split: str
    subset: str


def cell_key(result: Entry | Rerun) -> CellKey:
    """Name the cell of an entry or of its rerun."""
    return CellKey(result.model, result.revision, result.task, result.split, result.subset)


_Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Rerun:
    """One run of a submitted cell by a maintainer.

    Attributes:
        items: The digest of the submitted items, so that the record does not hold for later items.
        dtype: The dtype of the model's weights, or of its vectors if the weights cannot be reached.
        scores: The maintainer's scores.
        by: The maintainer's name.
        date: The date, as 2026-01-31.
        versions: Package, such as mteb or torch -> its version.
    """

    model: _Text
    revision: _Text
    task: _Text
    split: _Text
    subset: _Text
    items: _Text
    dtype: _Text
    scores: Mapping[str, Number]
    by: _Text
    date: _Text
    versions: Mapping[str, str] = field(default_factory=dict)

    def disagreements(self, entry: Entry) -> list[Finding]:
        """List the scores of the entry that the rerun did not confirm.

        A difference is no proof of fraud, so no finding is `refused`.
        """
        tolerance = TOLERANCE.get(self.dtype, COARSE)
        message = f"A rerun of {self.date} by {self.by} differs by more than {tolerance:g}."
        findings = []
        for key, (score, _) in entry.measure.declarations.items():
            if score.better == "neither":
                continue
            submitted = entry.scores.get(key)
            anew = self.scores.get(key)
            if submitted is None or anew is None:
                is_confirmed = submitted is anew
            else:
                is_confirmed = abs(anew - submitted) <= tolerance
            if not is_confirmed:
                finding = Finding(entry.file, key, submitted, anew, message, refused=False)
                findings.append(finding)
        return findings

    def write(self, folder: Path) -> Path:
        """Write it into a board's folder of reruns. Returns the file."""
        path = folder / RERUNS / f"{_file_stem(cell_key(self))}.json"
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        with whole_file(path) as partial:
            partial.write_text(f"{text}\n", encoding="utf-8")
        return path


def _file_stem(key: CellKey) -> str:
    """The name of a record's file, which ends in a hash where it would be too long for a disk."""
    name = "__".join(key).replace("/", "__").replace(" ", "_")
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[: _LONGEST_NAME - len(digest)]}{digest}"


Reruns = Mapping[tuple[CellKey, str | None], Rerun]
"""Cell and digest of its items -> its latest rerun."""


def load_reruns(folder: Path) -> Reruns:
    """Read the records of a board's folder.

    Raises:
        DamagedFileError: A record is damaged; names it.
    """
    paths = sorted((folder / RERUNS).glob("*.json"))
    records = [read_model(path, Rerun) for path in paths]
    records.sort(key=attrgetter("date"))
    return {(cell_key(record), record.items): record for record in records}
