"""What is measured and tried, by hand or by the tests; not part of the package."""
