"""How many texts a model takes at once: fewer after memory ended, as an endpoint is asked for
fewer.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

logger = logging.getLogger(__name__)

Computed = TypeVar("Computed")

_SAYS_SO = ("out of memory", "can't allocate memory", "failed to allocate memory", "alloc_failed")
"""What a RuntimeError says where memory ended: of CUDA and MPS, of a CPU, of ONNX Runtime, of
cuBLAS.
"""


class Attempt(NamedTuple, Generic[Computed]):
    """What came of a computation: its result, or None and the reason if memory ended."""

    result: Computed | None
    reason: str


def attempt(compute: Callable[[], Computed]) -> Attempt[Computed]:
    """Compute something that may need too much memory. All other errors are raised."""
    try:
        return Attempt(compute(), "")
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
    # here the error is gone, which held the tensors of all its frames
    _free_memory()
    return Attempt(None, reason)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of a device, or of this machine, was not enough."""
    import torch  # not above: `import mteb` imports this module, and does without torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and any(words in said for words in _SAYS_SO)


def _free_memory() -> None:
    import torch

    gc.collect()
    torch.cuda.empty_cache()  # does nothing where no GPU is in use


class AtOnce(NamedTuple):
    """How many texts a model gets.

    Attributes:
        batch_size: In a batch, at least 1.
        n_texts: In a call, at least 1.
    """

    batch_size: int
    n_texts: int

    def halved(self, n_tried: int) -> AtOnce:
        """Half of what was tried in a call of so many texts, at least 2: of its batches and of the
        call.
        """
        batch_size = max(1, min(self.batch_size, n_tried) // 2)
        calls_as_long = self.n_texts * batch_size // self.batch_size
        return AtOnce(batch_size, max(1, min(calls_as_long, n_tried // 2)))

    def at_most(self, other: AtOnce) -> AtOnce:
        """The smaller of each number."""
        return AtOnce(min(self.batch_size, other.batch_size), min(self.n_texts, other.n_texts))


_FITTED: weakref.WeakKeyDictionary[Any, AtOnce] = weakref.WeakKeyDictionary()
"""Model -> what it gets since its memory ended."""


def fitted(model: Any) -> AtOnce | None:
    """How many texts a model gets since memory ended; None if it never did."""
    try:
        return _FITTED.get(model)
    except TypeError:  # a model without weak references, or one that is unhashable
        return None


def halve(
    model: Any,
    name: str,
    tried: AtOnce,
    n_tried: int,
) -> AtOnce:
    """Halve how many texts a model gets, for this call and later ones; says so the first time."""
    is_first = fitted(model) is None
    smaller = tried.halved(n_tried)
    with contextlib.suppress(TypeError):
        _FITTED[model] = smaller
    if is_first:
        logger.warning(
            "%s: not enough memory for batches of %d texts. They are halved until they fit. A "
            "smaller batch size from the start saves the attempts.",
            name,
            min(tried.batch_size, n_tried),
        )
    return smaller
