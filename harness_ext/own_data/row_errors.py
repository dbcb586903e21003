"""What is wrong with a user's own rows: a message per row, and equal faults in one message."""

from collections import Counter
from collections.abc import Iterator, Sequence

from harness_ext.own_data.own_table import OwnDataError

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

    def __init__(self, place: str, column: str, says: str, found: str = "") -> None:
        self.place, self.column, self.says, self.found = place, column, says, found
        super().__init__(self.message(place, found))

    def message(self, places: str, found: str) -> str:
        """Say it of one place, or of several."""
        column = f", column {self.column!r}" if self.column else ""
        word = self.found if " " in self.found else self.found.strip("'")  # for the command line
        return f"{places}{column}: {self.says.replace('{word}', word).replace('{}', found)}"


def grouped(errors: Sequence[OwnRowError]) -> Iterator[str]:
    """Say each kind of error once, with at most five of its rows."""
    kinds: dict[tuple[str, ...], list[OwnRowError]] = {}
    for error in errors:
        file, comma, _ = error.place.rpartition(", ")
        kinds.setdefault((f"{file}{comma}", error.column, error.says), []).append(error)
    for (file, *_), alike in kinds.items():
        rows = [error.place.removeprefix(file) for error in alike]
        found = [
            f"{n} × {what}" if n > 1 else what
            for what, n in Counter(one.found for one in alike).most_common()
        ]
        yield alike[0].message(f"{file}{_few(rows)}", _few(found))


def _few(words: Sequence[str]) -> str:
    """Five of them, and how many more."""
    more = len(words) - _N_NAMED
    return f"{', '.join(words[:_N_NAMED])}{f' and {more} more' if more > 0 else ''}"
