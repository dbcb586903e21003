"""Whichever package comes first: mteb knows this project's tasks, and nothing is imported in a circle.

That lm-eval knows them is in `test_autoload.py`: it takes seconds to find all of its own.
"""

import subprocess
import sys

import pytest

FIRST = ("import harness_ext", "import mteb", "import harness_ext.harnesses.mteb.task", "import lm_eval")
KNOWN = """
import harness_ext.harnesses.mteb.task, lm_eval.tasks, mteb
task = mteb.get_task("EpsilonCompositionality")
assert isinstance(task, harness_ext.harnesses.mteb.task.AbsTaskCompositionality)
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", FIRST)
def test_tasks_are_known_whatever_is_imported_first(first, tmp_path):
    line = [sys.executable, "-c", first + KNOWN]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
