"""Four kinds of test, each a measure for any rows of its form."""
