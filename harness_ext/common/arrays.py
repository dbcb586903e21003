"""The kinds of arrays in signatures and tables. Shapes stand in the docstrings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Distances, cosines, scores and other numbers."""

Vectors = NDArray[np.floating[Any]]
"""Vectors of texts, in the precision of their encoder, shape (n, d)."""

Names = NDArray[np.str_]
"""Ids, words and names of classes."""

Indices = NDArray[np.intp]
"""Indices into another array."""

Integers = NDArray[np.int64]
"""Counts."""

Flags = NDArray[np.bool_]
"""True or False."""

Texts = NDArray[np.object_]
"""What an encoder is to encode: strings, or words inside a sentence."""

Array = NDArray[Any]
"""Any of them."""


def positions(names: Names, among: Names) -> Indices:
    """Where each of `names` stands in `among`, shapes (m,) and (k,) -> (m,).

    Raises:
        KeyError: A name does not; it is the error's argument.

    Examples:
        >>> positions(np.array(["box", "box", "rain"]), np.array(["rain", "box"]))
        array([1, 1, 0])
    """
    place = {name: number for number, name in enumerate(among.tolist())}
    return np.array([place[name] for name in names.tolist()], dtype=np.intp)
