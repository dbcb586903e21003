"""The mteb tasks, one module per measure, and the benchmarks.

The list of tasks is in `every_task`.
"""

import mteb  # noqa: F401 - mteb's import registers our tasks, so it must come first
