"""Every wrap of mteb, `datasets` and lm-eval. `wraps` lists the names; `register` of the other
modules wraps them.
"""
