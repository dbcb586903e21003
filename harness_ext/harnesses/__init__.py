"""Every wrap of mteb, `datasets` and lm-eval: what is wrapped, since which version, and why.

A module that wraps says so in its first line, and has one `register` that does it.
"""
