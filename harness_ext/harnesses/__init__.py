"""Every wrap of mteb, `datasets` and lm-eval, which `register` of each module makes.

`harness_ext.common.wraps` lists the names.
"""
