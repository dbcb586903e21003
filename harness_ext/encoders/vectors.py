"""From what encoders return to vectors that can be computed with: the one place that decides what is taken.

What says the same in float32 or float64 is converted. All else is refused: a wrong guess would be a wrong score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from numpy.typing import NDArray

LARGEST_RATIO = 1e12
"""Values between its inverse and itself can be squared and summed in float32, so that is how far lengths may differ."""

_FLOATS = {2: np.float32, 4: np.float32, 8: np.float64}
_PACKED = ("binary", "ubinary")

_REMEDIES = {
    "b": "If each is a dimension, return 1.0 and -1.0 (or 0.0) as float32.",
    "c": "Return real numbers, for example the real and the imaginary parts one after the other.",
    "O": "Return one array of floats, with the same number of dimensions for each text.",
}


class UnusableVectorsError(Exception):
    """An encoder's output is of a kind that cannot be used.

    Attributes:
        kind: What it is, as the object of a sentence.
        remedy: What to do about it, a sentence.
    """

    def __init__(self, kind: str, remedy: str = "Return a numpy array of floats, one row per text.") -> None:
        super().__init__(f"{kind}: {remedy}")
        self.kind = kind
        self.remedy = remedy


def as_vectors(
    encoded: Any, dimensions: int | Sequence[int] | None = None, precision: str | None = None
) -> NDArray[np.floating[Any]]:
    """What an encoder returned, as a new array of real numbers of whatever shape.

    Taken are arrays and torch tensors of floats of any width and on any device, with or without a gradient, dense or
    sparse; signed integers of 16 bits and more; and lists of all that. Integers of 8 bits, and unsigned ones, are as
    often bits packed together as they are numbers: they are taken only if they were asked for as `int8` or `uint8`, or
    if the model is known to have as many dimensions as there are columns.

    Args:
        encoded: What the encoder returned.
        dimensions: How many dimensions its metadata say that the model has.
        precision: What it was asked for in sentence-transformers' words, as `int8` or `ubinary`.

    Returns:
        float32 or float64.

    Raises:
        UnusableVectorsError: Bits, packed or not, complex numbers, Python objects, vectors of several lengths, floats
            of which underflow has left too few digits, and anything that is no array.
    """
    array = _array(encoded)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "f":
        if 0 < np.abs(array).max(initial=0) < np.finfo(array.dtype).tiny:
            raise UnusableVectorsError(
                f"values too small for {array.dtype} to keep their digits", "Scale them up, or return float64."
            )
        return np.array(array, dtype=_FLOATS.get(size, np.float64))
    if kind == "i" and size > 1 and precision not in _PACKED:
        return np.array(array, dtype=np.float64)
    if kind in "iu":
        known = [dimensions] if isinstance(dimensions, int) else dimensions or []
        columns = array.shape[-1] if array.ndim else 0
        if precision not in _PACKED and (precision in ("int8", "uint8") or columns in known):
            return np.array(array, dtype=np.float64)
        raise UnusableVectorsError(
            f"{array.dtype} integers",
            "They may be packed bits. If they are, unpack them (numpy.unpackbits) into 1.0 and -1.0; if each is the "
            "value of a dimension, return them as float32.",
        )
    raise UnusableVectorsError(f"values of type {array.dtype}", *([_REMEDIES[kind]] if kind in _REMEDIES else []))


def largest_values(vectors: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """The largest absolute value of each vector, NaN where there is one, (n, d) -> (n,)."""
    largest: NDArray[np.floating[Any]] = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    return largest


def rescaled(vectors: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Vectors of the same directions and relative lengths, of which squares neither overflow nor vanish.

    Those with values of a usual size are returned as they are, others times a power of two, which loses no digit.

    Args:
        vectors: Finite, shape (n, d).

    Raises:
        UnusableVectorsError: A vector other than zero is shorter than another by more than `LARGEST_RATIO`.
    """
    largest = largest_values(vectors)
    largest = largest[largest > 0]
    if not len(largest) or (largest.min() >= 1 / LARGEST_RATIO and largest.max() <= LARGEST_RATIO):
        return vectors
    if largest.min() < largest.max() / LARGEST_RATIO:
        raise UnusableVectorsError(
            f"vectors of lengths from about {largest.min():.1g} to {largest.max():.1g}",
            f"Lengths may differ by a factor of {LARGEST_RATIO:.0e} at most; L2-normalise the vectors.",
        )
    power = -int(np.frexp(largest.max())[1])
    scaled: NDArray[np.floating[Any]] = np.ldexp(vectors, power)
    return scaled


def _array(encoded: Any) -> NDArray[Any]:
    """As a dense array on this machine's memory, of whatever type."""
    import torch  # not above: `import mteb` imports this module, and does without torch

    if isinstance(encoded, torch.Tensor):
        return _from_torch(encoded)
    if scipy.sparse.issparse(encoded):
        dense: NDArray[Any] = encoded.toarray()
        return dense
    if isinstance(encoded, np.ma.MaskedArray) and np.ma.is_masked(encoded):
        raise UnusableVectorsError("an array with masked values", "Fill them.")
    if isinstance(encoded, list | tuple):
        return _stacked(encoded)
    if not hasattr(encoded, "__array__"):
        raise UnusableVectorsError(f"an object of type {type(encoded).__name__}")
    try:
        return np.asarray(encoded)
    except (TypeError, ValueError) as error:
        raise UnusableVectorsError(f"an object of type {type(encoded).__name__} ({error})") from None


def _stacked(rows: list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    """One array of a list of vectors, or of a list of lists of numbers."""
    try:
        arrays = [
            _array(row) if hasattr(row, "__array__") or scipy.sparse.issparse(row) else np.asarray(row) for row in rows
        ]
        return np.array(arrays)
    except ValueError:
        raise UnusableVectorsError("vectors of several lengths", _REMEDIES["O"]) from None


def _from_torch(tensor: torch.Tensor) -> NDArray[Any]:
    import torch

    if tensor.is_nested:
        raise UnusableVectorsError("vectors of several lengths", _REMEDIES["O"])
    try:
        tensor = tensor.detach()
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        if tensor.is_quantized:
            tensor = tensor.dequantize()
        if tensor.is_floating_point() and tensor.dtype not in {torch.float16, torch.float32, torch.float64}:
            tensor = tensor.float()  # bfloat16 and float8, of which numpy knows nothing
        array: NDArray[Any] = tensor.cpu().resolve_conj().resolve_neg().numpy()
    except (RuntimeError, TypeError) as error:
        raise UnusableVectorsError(f"a tensor of {tensor.dtype} on {tensor.device} ({error})") from None
    return array
