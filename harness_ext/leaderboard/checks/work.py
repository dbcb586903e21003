"""Counts the work that a submission asks for beyond that of its rows: a few kilobytes could make a
check compute scores for hours.
"""

FIRST_ROWS = 5_000_000
"""The rows that scores are computed from, whatever the size of the files; in each process, if
several check them.
"""

ROWS_A_BYTE = 10
"""The rows more for each byte of the items. Real ones take at most 7."""

ROWS_OF_ENTRY = 50_000
"""The rows that take as long as the intervals of an entry."""

TIMES_A_ROW = 12
"""A row of an entry takes as long in all its scores as so many rows in its main score."""


class Work:
    """Counts the rows that main scores are computed from, for the results of a folder."""

    def __init__(self) -> None:
        self._n_rows = 0

    def start(self) -> None:
        """Begin to count the rows of another folder."""
        self._n_rows = 0

    def problem(self, n_rows: int, n_bytes: int) -> tuple[str, str, str] | None:
        """Add rows, unless they are too many; says then what was found and expected, and a
        sentence.

        Args:
            n_rows: The rows of all main scores that are computed.
            n_bytes: The bytes of the items that were read so far.
        """
        most = FIRST_ROWS + ROWS_A_BYTE * n_bytes
        n_all = self._n_rows + n_rows
        if n_all > most:
            message = "Its scores, with those of the files before, take too long to compute."
            return f"{n_all} rows of all scores together", f"at most {most}", message
        self._n_rows = n_all
        return None


WORK = Work()
