"""How much memory this process may use."""

import os
from contextlib import suppress
from pathlib import Path

_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files of Linux with the limit of a container, by the version of its control groups. The first has
`max` where there is none, the second a number larger than any memory.
"""


def usable_memory() -> int:
    """The memory of the machine, or the limit of the container if it is less, in bytes; 0 where the
    system does not say.
    """
    usable = 0
    # Windows has no such function
    with suppress(AttributeError, OSError, ValueError):
        usable = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in _LIMITS:
        # no such file, or no limit
        with suppress(OSError, ValueError):
            usable = min(usable, int(path.read_text(encoding="ascii")))
    return usable
