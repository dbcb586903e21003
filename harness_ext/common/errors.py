"""Errors for names that do not exist."""

import difflib
from collections.abc import Iterable

ALL_TASKS = "`harness-ext tasks` lists them all."  # where the names of tasks are


class UnknownNameError(KeyError):
    """There is nothing of a name; the message says what there is, the nearest names first."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError puts it in quotes


def shown(name: str) -> str:
    """Write a name in a message: in quotes where it is empty, or begins or ends with a blank."""
    return name if name.isprintable() and name and name == name.strip() else repr(name)


def unknown_name(kind: str, name: str, known: Iterable[str], more: str = "") -> UnknownNameError:
    """The error for a name that is none of those known.

    Args:
        kind: Of what it is the name, such as `task`.
        name: The name.
        known: All names.
        more: Where all names are listed; they are in the message if this is empty and no name is
            near.
    """
    known = [*dict.fromkeys(known)]
    meant = did_you_mean(name, known)
    there = "" if meant or more else f"There are: {', '.join(known)}."
    return UnknownNameError(
        " ".join(filter(None, (f"{shown(name)}: no such {kind}.", meant, there, more)))
    )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the nearest known names, whatever the case of letters: one is a part of the other, or
    they are alike.

    Returns:
        Such as `Did you mean EpsilonCompositionality?`; empty if none is near.
    """
    by_small_letters, small = {word.lower(): word for word in known}, name.lower()
    parts = [
        word
        for word in by_small_letters
        if min(len(word), len(small)) > 3 and (small in word or word in small)
    ]
    near = [*dict.fromkeys([*difflib.get_close_matches(small, by_small_letters, n=3), *parts])][:3]
    return f"Did you mean {' or '.join(by_small_letters[word] for word in near)}?" if near else ""
