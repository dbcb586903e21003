"""Every wrap of mteb, `datasets` and lm-eval.

The first line of each module names the wrapped function and its versions. Its function `register` wraps it.
"""
