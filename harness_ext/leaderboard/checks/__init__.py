"""Checks that decide whether a result may be believed, and the records that maintainers sign."""
