"""The readers' side of results: tables, figures and pages."""
