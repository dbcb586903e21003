"""Cases that are much alike: some run in the quick suite, the others in the slow one."""

import pytest


def every_third_quick(cases):
    """The cases, each marked as slow but the first and every third after it."""
    marked = []
    for place, case in enumerate(cases):
        marks = [] if place % 3 == 0 else [pytest.mark.slow]
        marked.append(pytest.param(case, marks=marks))
    return marked
