"""Errors for names that do not exist."""

import difflib
from collections.abc import Iterable

_N_NEAR = 3  # so many names are asked for at most
_FEWEST_LETTERS = 4  # of a part of a name that is asked for
ALL_TASKS = "`harness-ext tasks` lists them all."  # where the names of tasks are


class UnknownNameError(KeyError):
    """There is nothing of a name; the message says what there is, the nearest names first."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError puts it in quotes


def shown(name: str) -> str:
    """Write a name in a message: in quotes where it is empty, or begins or ends with a blank."""
    is_plain = name.isprintable() and name == name.strip()
    return name if name and is_plain else repr(name)


def unknown_name(
    kind: str,
    name: str,
    known: Iterable[str],
    more: str = "",
) -> UnknownNameError:
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
    listed = "" if meant or more else f"There are: {', '.join(known)}."
    sentences = [f"{shown(name)}: no such {kind}.", meant, listed, more]
    return UnknownNameError(" ".join(filter(None, sentences)))


def did_you_mean(
    name: str,
    known: Iterable[str],
) -> str:
    """Ask for the nearest known names, whatever the case of letters: one is a part of the other, or
    they are alike.

    Returns:
        Such as `Did you mean EpsilonCompositionality?`; empty if none is near.
    """
    small = name.lower()
    by_small_letters = {word.lower(): word for word in known}
    alike = difflib.get_close_matches(small, by_small_letters, n=_N_NEAR)
    parts = [word for word in by_small_letters if _is_part(small, word)]
    near = [*dict.fromkeys([*alike, *parts])][:_N_NEAR]
    names = [by_small_letters[word] for word in near]
    return f"Did you mean {' or '.join(names)}?" if names else ""


def _is_part(one: str, other: str) -> bool:
    """Whether one of two words is a part of the other, and more than a syllable."""
    if min(len(one), len(other)) < _FEWEST_LETTERS:
        return False
    return one in other or other in one
