"""Rows of items that differ from the rows of the pinned dataset, and values that they leave out.

The plan of a measure has all rows before an encoder has seen them. Every submission must have the
same values in the columns that no encoder determines. A zero vector has no direction: its distances
are NaN, and left out of the scores.
"""

import functools
from collections.abc import Iterator

import numpy as np

from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.left_out import counted, left_out_findings
from harness_ext.leaderboard.checks.outlines import Outline, Planned, shipped_outline
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.work import ROWS_OF_ENTRY, TIMES_A_ROW, WORK
from harness_ext.measures.core.baseline_keys import ADDITIVE, Baseline
from harness_ext.measures.core.items import COSINE, SEPARATOR, Items
from harness_ext.results.entry import Entry
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision, load_rows

SAME = 1e-6
"""Distances and cosines of equal vectors may be this far from 0 and 1."""

OTHER_ROWS = "items"
"""The key of the finding that the rows are not those of the data, or too many."""

MOST_ROWS = 100_000
"""The most rows of a table of items that nothing here can compare with the data. The largest task
has half as many.
"""

NOT_COMPARED = "items.rows"
"""The key of the note that the rows could not be compared."""


def row_findings(
    entry: Entry,
    items: Items,
    baseline: Baseline | None = None,
) -> Iterator[Finding]:
    """Check the rows of an entry's items, and the values that they leave out: one finding per
    column.

    The rows are compared with the shipped outline of their plan, else with the dataset. Without
    both they cannot be compared. A finding that is not `refused` says so.

    Args:
        entry: The entry.
        items: Its items.
        baseline: The baseline of the encoder that they are the items of; None for its own.
    """
    joined = list(_joined_texts(entry, items))
    if joined:
        yield from joined
        return
    different = [Finding(entry.file, *contradiction) for contradiction in items.contradictions()]
    items = items.as_planned()
    planned = _planned(entry, items, baseline)
    outline = _outline(planned)
    if outline is None:
        yield _not_compared(entry, _plan(planned))
        n_rows = ROWS_OF_ENTRY + TIMES_A_ROW * len(items)
        problem = WORK.problem(n_rows, READER.n_bytes)
        if problem is not None:
            yield Finding(entry.file, OTHER_ROWS, *problem)
        for name, table in items.tables().items():
            if len(table) > MOST_ROWS:
                message = f"The table {name} of {entry.split} {entry.subset} is too long."
                found = f"{len(table)} rows"
                yield Finding(entry.file, OTHER_ROWS, found, f"at most {MOST_ROWS}", message)
        return
    if items.digest(measured=False) != outline.digest:
        message = (
            f"Rows of the items of {entry.split} {entry.subset} are missing, doubled or changed."
        )
        different.append(
            Finding(entry.file, OTHER_ROWS, "other rows", "those of the pinned dataset", message)
        )
    if not different and baseline == ADDITIVE:
        different += _word_order_findings(entry, items, outline)
    yield from different or left_out_findings(entry, items, outline)


def _joined_texts(entry: Entry, items: Items) -> Iterator[Finding]:
    """Find texts with the letter that separates texts where a digest is made: two rows in one would
    have the digest of two.
    """
    for name, table in items.tables().items():
        for column, values in table.values().items():
            if values.dtype.kind != "U":
                continue
            texts = values.tolist()
            if SEPARATOR not in "".join(texts):
                continue
            row = next(place for place, text in enumerate(texts) if SEPARATOR in text)
            message = (
                f"A text in the items of {entry.split} {entry.subset} has the letter that "
                "separates texts, so it would count as several."
            )
            place = f"{name}.{column}, row {row}"
            found = f"{place}: {texts[row][:80]!r}"
            yield Finding(entry.file, OTHER_ROWS, found, f"no {SEPARATOR!r}", message)
            return


def is_split(entry: Entry) -> bool:
    """Whether the task has the split of an entry: its dataset does, or it is a protocol with a
    shipped outline.
    """
    planned = Planned(entry.task, entry.split, entry.subset, entry.dataset_revision, "texts")
    task = ENCODER_TASKS[entry.task]
    if entry.split in task.dataset_splits(entry.subset):
        return True
    return shipped_outline(planned) is not None


def least_favorable(entry: Entry) -> Entry:
    """Count what an entry's items leave out as the least favorable values; the entry itself if
    nothing is known.
    """
    outline = _outline(_planned(entry, entry.items()))
    return entry if outline is None else counted(entry, outline)


def _word_order_findings(
    entry: Entry,
    items: Items,
    outline: Outline,
) -> Iterator[Finding]:
    """Find texts of the same words that the additive baseline compares as different: its order of
    words is free.
    """
    for name, table in items.tables().items():
        for column, declared in table.measured().items():
            rows = outline.same_words.get(f"{name}.{column}")
            if rows is None:
                continue
            values = table.values()[column]
            same = float(declared.range == COSINE)
            wrong = rows & (np.abs(values - same) > SAME)
            if wrong.any():
                row = int(np.argmax(wrong))
                yield Finding.of_row(
                    entry.file,
                    (name, column, row),
                    float(values[row]),
                    same,
                    f"{int(wrong.sum())} pairs of texts have the same words, but another additive "
                    "baseline.",
                )


def _planned(
    entry: Entry,
    items: Items,
    baseline: Baseline | None = None,
) -> Planned:
    """Say of which plan items are."""
    kind = "texts"
    if baseline is not None:
        kind = "baselines"
    elif _has_spans(items):
        kind = "spans"
    return Planned(entry.task, entry.split, entry.subset, entry.dataset_revision, kind)


def _has_spans(items: Items) -> bool:
    """Whether items compare words inside sentences."""
    for table in items.tables().values():
        levels = table.values().get("level", ())
        if "span" in levels:
            return True
    return False


def _outline(planned: Planned) -> Outline | None:
    """The shipped outline of a plan, else that of the dataset; None without both."""
    shipped = shipped_outline(planned)
    if shipped is not None:
        return shipped
    plan = _plan(planned)
    return Outline.of(plan) if isinstance(plan, Items) else None


def _not_compared(entry: Entry, reason: object) -> Finding:
    said = str(reason).splitlines()[0]
    if isinstance(reason, SourceError):
        message = f"Their rows could not be compared with the pinned dataset: {said}"
        return Finding(entry.file, NOT_COMPARED, "", "", message, refused=False)
    return Finding(
        entry.file,
        "scores",
        f"{entry.split} {entry.subset}",
        "a split and a subset of the task",
        said,
    )


# remembers failures too, so that a missing dataset is looked for once
@functools.lru_cache(maxsize=32)
def _plan(planned: Planned) -> Items | SourceError | ValueError:
    """Plan the comparisons of a task on the dataset at that revision.

    Returns:
        The plan; a `SourceError` if the dataset is missing or another; a `ValueError` if it has no
        such split or subset.
    """
    task = ENCODER_TASKS[planned.task]
    split = planned.split
    subset = planned.subset
    try:
        revision = data_revision(task, split, subset)
        if revision != planned.revision:
            raise SourceError(
                f"that is here at the revision {revision}, and not {planned.revision}"
            )
        rows = load_rows(task, split, subset).to_list()
        plan = task.planned(rows, split)
    except (SourceError, ValueError) as error:
        return error
    if planned.of == "baselines":
        return plan.of_baselines()
    return plan if planned.of == "spans" else plan.without_spans()
