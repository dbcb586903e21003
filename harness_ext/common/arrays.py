"""The kinds of arrays in signatures and tables. Shapes stand in the docstrings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]  # distances, cosines, scores and other numbers
Vectors = NDArray[np.floating[Any]]  # of texts, in the precision of their encoder, shape (n, d)
Names = NDArray[np.str_]  # ids, words and names of classes
Indices = NDArray[np.intp]  # into another array
Integers = NDArray[np.int64]  # counts
Flags = NDArray[np.bool_]  # true or false
Texts = NDArray[np.object_]  # what an encoder is to encode: strings, or words inside a sentence
Array = NDArray[Any]  # any of them


def positions(names: Names, among: Names) -> Indices:
    """Where each of `names` stands in `among`, shapes (m,) and (k,) -> (m,).

    Raises:
        KeyError: A name does not; it is the error's argument.

    Examples:
        >>> positions(np.array(["box", "box", "rain"]), np.array(["rain", "box"]))
        array([1, 1, 0])
    """
    places = {name: place for place, name in enumerate(among.tolist())}
    found = [places[name] for name in names.tolist()]
    return np.array(found, dtype=np.intp)
