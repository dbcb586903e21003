"""What tests of submissions share: the table of items that they change, and a look at the findings."""

from __future__ import annotations

import re

SAMPLES = "samples"


def only(findings, key="", message=""):
    """The one finding, which is about this key."""
    assert findings, "nothing was refused"
    assert any(key in finding.key and re.search(message, finding.message) for finding in findings), findings
    return findings
