"""What is wrong with a user's own rows: a message per row, and equal faults in one message."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness_ext.own_data.table import OwnDataError

_N_NAMED = 5  # of one kind so many rows, or cells, are named


class OwnRowError(OwnDataError):
    """A row does not fit, or is perhaps a mistake.

    Attributes:
        place: File and line.
        column: The column; empty if the row is wrong as a whole.
        says: What is wrong, with `{}` for what the row has; errors of a column that say the same
            are of one kind.
        found: What the row has.
    """

    def __init__(
        self,
        place: str,
        column: str,
        says: str,
        found: str = "",
    ) -> None:
        self.place = place
        self.column = column
        self.says = says
        self.found = found
        super().__init__(self.message(place, found))

    def message(
        self,
        places: str,
        found: str,
    ) -> str:
        """Say it of one place, or of several."""
        column = f", column {self.column!r}" if self.column else ""
        word = self.found if " " in self.found else self.found.strip("'")  # for the command line
        sentence = self.says.replace("{word}", word).replace("{}", found)
        return f"{places}{column}: {sentence}"


def grouped(errors: Sequence[OwnRowError]) -> Iterator[str]:
    """Say each kind of error once, with at most five of its rows."""
    kinds: dict[_Kind, list[OwnRowError]] = {}
    for error in errors:
        file, comma, _ = error.place.rpartition(", ")
        kind = _Kind(f"{file}{comma}", error.column, error.says)
        kinds.setdefault(kind, []).append(error)
    for kind, alike in kinds.items():
        rows = [error.place.removeprefix(kind.file) for error in alike]
        counts = Counter(error.found for error in alike).most_common()
        found = [f"{count} × {what}" if count > 1 else what for what, count in counts]
        yield alike[0].message(f"{kind.file}{_few(rows)}", _few(found))


class _Kind(NamedTuple):
    """What errors of one kind have in common: the file, the column, what is wrong."""

    file: str
    column: str
    says: str


def _few(words: Sequence[str]) -> str:
    """Five of them, and how many more."""
    named = ", ".join(words[:_N_NAMED])
    n_more = len(words) - _N_NAMED
    return f"{named} and {n_more} more" if n_more > 0 else named
