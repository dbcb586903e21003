"""Seeds that a text determines, so that what is drawn for it is the same everywhere."""

import hashlib
from typing import Literal

_BYTES = 8  # of the digest that are the seed


def seed_of(
    text: str,
    byteorder: Literal["big", "little"] = "big",
) -> int:
    """The first 8 bytes of a text's SHA-256 as a number, at least 0.

    Examples:
        >>> seed_of("black") == seed_of("black") != seed_of("box")
        True
    """
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:_BYTES], byteorder)
