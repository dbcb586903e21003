"""What is measured: one module per mteb task, and the benchmarks they make up.

The list of tasks is in `every_task`.
"""

import mteb  # noqa: F401 - its import registers our tasks, so it must come before that of any of them
