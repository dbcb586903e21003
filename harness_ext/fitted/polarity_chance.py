"""The chance of polarity sensitivity: what the same labels get if they are dealt out blindly.

It depends on how often both labels are given: .25 if equally often, 0 if one label is given to all. So it is measured
on the answers themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.arrays import Floats
from harness_ext.statistics.statistic import average

CHANCE_PSS: dict[str, Any] = {
    "title": "chance of polarity sensitivity",
    "formula": "p · (1 − p), p the share of the pairs' sentences that are labelled positive; mean over the seeds",
    "range": (0, 0.25),
    "source": "this project",
    "interval": True,
}


def chance_of_both_labels(*positive_and_times: Floats) -> Floats:
    """What labels get that are independent of the sentences, and positive as often as those that were given.

    Args:
        positive_and_times: For each seed, the share of the sentences of a pair that are labelled positive, shape (n,).
            Then the number of times that each pair is in each sample, shape (m, n).

    Returns:
        In [0, .25], shape (m,).

    Examples:
        >>> chance_of_both_labels(np.array([1.0, 0.5, 0.0]), np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 0.0]]))
        array([0.25, 0.  ])
    """
    *positive, times = positive_and_times
    shares = [average(each, times) for each in positive]
    found: Floats = np.mean([share * (1 - share) for share in shares], axis=0)
    return found
