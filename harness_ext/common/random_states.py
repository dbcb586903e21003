"""Global random states, which mteb seeds whenever it makes a task."""

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


@contextmanager
def random_states_kept() -> Iterator[None]:
    """Leave the global random states of Python, numpy and torch as they were before the block.

    A library that was not imported before the block has no state to keep, and is not imported for
    this. For a GPU that is not in use yet, the seed of torch is kept: to read its state is to start
    it.

    Examples:
        >>> random.seed(1)
        >>> with random_states_kept():
        ...     random.seed(42)
        >>> random.random() == random.Random(1).random()
        True
    """
    of_python = random.getstate()
    numpy: Any = sys.modules.get("numpy")
    of_numpy = numpy.random.get_state() if numpy else None
    with ExitStack() as stack:
        if "torch" in sys.modules:
            stack.enter_context(_torch_kept())
        try:
            yield
        finally:
            random.setstate(of_python)
            if numpy:
                numpy.random.set_state(of_numpy)


@contextmanager
def _torch_kept() -> Iterator[None]:
    import torch

    cuda: Any = torch.cuda
    is_in_use = cuda.is_initialized()
    devices = range(cuda.device_count()) if is_in_use else ()
    try:
        with torch.random.fork_rng(devices, device_type="cuda"):
            yield
    finally:
        if not is_in_use:
            cuda.manual_seed_all(torch.initial_seed())
