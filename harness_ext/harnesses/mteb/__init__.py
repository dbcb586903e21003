"""What mteb runs. mteb is imported first, whichever module is: its import registers our tasks, with
all modules.
"""

import mteb  # noqa: F401
