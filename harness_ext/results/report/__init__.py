"""A report: a folder of static pages that says what a results folder holds, in words, pictures and single examples."""

from harness_ext.results.report.site import ReportError
from harness_ext.results.report.write import write_report

__all__ = ["ReportError", "write_report"]
