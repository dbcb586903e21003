"""A cache's own log: each hit has the prompt that came, and the prompt whose answer was served."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness_ext.data.tables import Line
from harness_ext.own_data.table import OwnDataError, OwnTable, table_of_files

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "prompt": ("prompt", "query", "question", "text", "input"),
    "key": (
        "key",
        "hit_key",
        "matched_prompt",
        "matched_query",
        "matched_question",
        "cached_prompt",
        "cached_query",
        "cached_question",
    ),
    "key_id": ("cache_key", "key_id", "entry_id"),
    "cosine": ("cosine", "similarity", "similarity_score", "score"),
    "hit": ("hit", "cache_hit", "is_hit"),
    "right": ("verdict", "was_correct", "correct"),
    "wrong": ("flag_wrong",),
    "stale": ("stale",),
}
"""Field -> names of its column in logs, as cache-doctor and cacheverifier read them and others
write them; the first counts.
"""

_YES = {"1", "1.0", "true", "t", "yes", "y", "right", "correct", "same"}
_NO = {"0", "0.0", "false", "f", "no", "n", "wrong", "incorrect"}


class Hit(NamedTuple):
    """A hit of a cache.

    Attributes:
        prompt: The text that came.
        key: The text that the served answer was stored for.
        cosine: Of both; NaN if the log has none.
        is_right: Whether the answer was right; None if nobody judged it.
    """

    prompt: str
    key: str
    cosine: float
    is_right: bool | None


@dataclass(frozen=True)
class HitLog:
    """The hits of a log.

    Attributes:
        name: The file.
        hits: In the order of the log.
        left_out: Why lines are no such hit -> how many.
    """

    name: str
    hits: Sequence[Hit]
    left_out: Mapping[str, int]


def read_hits(file: str) -> HitLog:
    """Read the hits of a log: JSONL, or another table.

    Where a line names its key by a name alone (`cache_key`), the text of the key is the prompt of
    the first line with that name: the one that missed, and was stored.

    Args:
        file: Its path. `COLUMNS` has the names of the columns.

    Raises:
        OwnDataError: The file cannot be read, has no prompts or keys, or a cell is not what its
            column says; names the place, and what to do.
    """
    table = table_of_files([file])
    columns = _columns_of(table)
    if "prompt" not in columns or not {"key", "key_id"} & columns.keys():
        answers = ""
        if "candidate_answer" in table.columns:
            answers = "An answer is no prompt: log the prompt that it was stored for. "
        raise OwnDataError(
            f"{table.name}: a column with the prompt that came ({', '.join(COLUMNS['prompt'])}) "
            f"and one with the prompt whose answer was served ({', '.join(COLUMNS['key'])}), or "
            f"its name ({', '.join(COLUMNS['key_id'])}), are expected. {answers}"
            f"{table.columns_in_words()}"
        )
    stored = _stored_prompts(table.lines, columns)
    hits: list[Hit] = []
    left_out: Counter[str] = Counter()
    for line in table.lines:
        reason = _reason_to_leave_out(line, columns)
        key = _key_of(line, columns, stored)
        if not reason and key is None:
            reason = "without the prompt of the key"
        if reason or key is None:
            left_out[reason] += 1
            continue
        hit = Hit(
            line[columns["prompt"]].strip(),
            key.strip(),
            _cosine(line, columns),
            _verdict(line, columns),
        )
        hits.append(hit)
    if not hits:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        raise OwnDataError(
            f"{table.name}: no hit with both prompts in it: {reasons}. Log the prompt of the key "
            "too, under the name key."
        )
    return HitLog(table.name, hits, left_out)


def _columns_of(table: OwnTable) -> dict[str, str]:
    """Field -> its column, of the fields that the log has."""
    by_small_letters = {str(column).casefold(): str(column) for column in table.columns}
    columns: dict[str, str] = {}
    for field, names in COLUMNS.items():
        present = [name for name in names if name in by_small_letters]
        if present:
            columns[field] = by_small_letters[present[0]]
    return columns


def _stored_prompts(
    lines: Sequence[Line],
    columns: Mapping[str, str],
) -> dict[str, str]:
    """Name of a key -> the prompt of the first line with it, if that was no hit."""
    if "key_id" not in columns:
        return {}
    first_lines: dict[str, Line] = {}
    for line in lines:
        name = line.get(columns["key_id"])
        if name is not None:
            first_lines.setdefault(name, line)
    stored: dict[str, str] = {}
    for name, line in first_lines.items():
        prompt = line.get(columns["prompt"])
        if prompt is not None and _says(line, columns, "hit") is False:
            stored[name] = prompt
    return stored


def _reason_to_leave_out(
    line: Line,
    columns: Mapping[str, str],
) -> str:
    """Why a line is no hit to look at; empty if it is one."""
    if line.get(columns["prompt"]) is None:
        return "without a prompt"
    if _says(line, columns, "hit") is False:
        return "no hits"
    if _says(line, columns, "stale"):
        return "stale"
    return ""


def _key_of(
    line: Line,
    columns: Mapping[str, str],
    stored: Mapping[str, str],
) -> str | None:
    """The text of the key that was hit, if the log has it."""
    if "key" in columns:
        text = line.get(columns["key"])
        if text is not None:
            return text
    if "key_id" not in columns:
        return None
    return stored.get(line.get(columns["key_id"]) or "")


def _cosine(
    line: Line,
    columns: Mapping[str, str],
) -> float:
    """The cosine of a hit, NaN if it has none."""
    if "cosine" not in columns or line.get(columns["cosine"]) is None:
        return math.nan
    try:
        return line.number(columns["cosine"])
    except ValueError as error:
        raise OwnDataError(f"{error}.") from None


def _verdict(
    line: Line,
    columns: Mapping[str, str],
) -> bool | None:
    """Whether a hit was right. A flag says that it was wrong; its absence says nothing."""
    if _says(line, columns, "wrong"):
        return False
    return _says(line, columns, "right")


def _says(
    line: Line,
    columns: Mapping[str, str],
    field: str,
) -> bool | None:
    """What a cell says, yes or no; None if it is empty or missing."""
    if field not in columns:
        return None
    text = line.get(columns[field])
    if text is None:
        return None
    word = text.strip().casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise OwnDataError(
        f"{line.place}, column {columns[field]!r}: true or false expected, found {text!r}."
    )
