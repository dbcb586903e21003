"""A report: a folder of static pages that shows results in words, pictures and single examples."""

from harness_ext.show.report.write import write_report
from harness_ext.show.static_site import ReportError

__all__ = ["ReportError", "write_report"]
