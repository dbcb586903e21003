"""Conversion of encoders' output to float vectors: the one place that decides what is accepted.

Output that keeps its meaning in float32 or float64 is converted. All other output is refused,
because a wrong guess would give a wrong score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from harness_ext.common.arrays import Array, Vectors

if TYPE_CHECKING:
    import torch

_FLOATS = {2: np.float32, 4: np.float32, 8: np.float64}
_PACKED = ("binary", "ubinary")

_REMEDIES = {
    "b": "If each is a dimension, return 1.0 and -1.0 (or 0.0) as float32.",
    "c": "Return real numbers, for example the real and the imaginary parts one after the other.",
    "O": "Return one array of floats, with the same number of dimensions for each text.",
}


class UnusableVectorsError(Exception):
    """An encoder's output cannot be used. The arguments: its kind, as the object of a sentence, and
    the remedy.
    """

    def __init__(
        self, kind: str, remedy: str = "Return a numpy array of floats, one row per text."
    ) -> None:
        super().__init__(kind, remedy)


def as_vectors(
    encoded: Any,
    dimensions: int | Sequence[int] | None = None,
    precision: str | None = None,
) -> Vectors:
    """Convert an encoder's output to a new array of float32 or float64, of any shape.

    Accepted are arrays and torch tensors of floats of any width and on any device, with or without
    a gradient, dense or sparse; signed integers of 16 bits or more; and lists of these. Integers of
    8 bits, and unsigned integers, may be packed bits. They are accepted only if they were requested
    as `int8` or `uint8`, or if the number of columns is the model's known number of dimensions.

    The precision is the requested one, in sentence-transformers' terms, such as `int8` or
    `ubinary`.

    Raises:
        UnusableVectorsError: Bits, packed or not, complex numbers, Python objects, vectors of
            several lengths, floats with too few digits after underflow, and anything that is not an
            array.
    """
    array = _array(encoded)
    kind = array.dtype.kind
    size = array.dtype.itemsize
    if kind == "f":
        # not of absolute values, which would be a copy of all
        largest = max(array.max(initial=0), -array.min(initial=0))
        if 0 < largest < np.finfo(array.dtype).tiny:
            raise UnusableVectorsError(
                f"values too small for {array.dtype} to keep their digits",
                "Scale them up, or return float64.",
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
            "They may be packed bits. If they are, unpack them (numpy.unpackbits) into 1.0 and "
            "-1.0; if each is the value of a dimension, return them as float32.",
        )
    raise UnusableVectorsError(
        f"values of type {array.dtype}", *([_REMEDIES[kind]] if kind in _REMEDIES else [])
    )


def _array(encoded: Any) -> Array:
    """Convert to a dense array in main memory, of any type."""
    import torch  # not above: `import mteb` imports this module, and does without torch

    if isinstance(encoded, torch.Tensor):
        return _from_torch(encoded)
    if scipy.sparse.issparse(encoded):
        return encoded.toarray()
    if isinstance(encoded, np.ma.MaskedArray) and np.ma.is_masked(encoded):
        raise UnusableVectorsError("an array with masked values", "Fill them.")
    if isinstance(encoded, list | tuple):  # of vectors, or of lists of numbers
        rows = [
            _array(row) if hasattr(row, "__array__") or scipy.sparse.issparse(row) else row
            for row in encoded
        ]
        try:
            return np.array(rows)
        except ValueError:
            raise UnusableVectorsError("vectors of several lengths", _REMEDIES["O"]) from None
    if not hasattr(encoded, "__array__"):
        raise UnusableVectorsError(f"an object of type {type(encoded).__name__}")
    try:
        return np.asarray(encoded)
    except (TypeError, ValueError) as error:
        raise UnusableVectorsError(
            f"an object of type {type(encoded).__name__} ({error})"
        ) from None


def _from_torch(tensor: torch.Tensor) -> Array:
    import torch

    if tensor.is_nested:
        raise UnusableVectorsError("vectors of several lengths", _REMEDIES["O"])
    try:
        tensor = tensor.detach()
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        if tensor.is_quantized:
            tensor = tensor.dequantize()
        if tensor.is_floating_point() and tensor.dtype not in {
            torch.float16,
            torch.float32,
            torch.float64,
        }:
            tensor = tensor.float()  # numpy has no bfloat16 and float8
        array: Array = tensor.cpu().resolve_conj().resolve_neg().numpy()
    except (RuntimeError, TypeError) as error:
        raise UnusableVectorsError(
            f"a tensor of {tensor.dtype} on {tensor.device} ({error})"
        ) from None
    return array
