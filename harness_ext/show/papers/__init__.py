"""What one paper, or one decision, shows of its own: a module for each package of
`harness_ext.measures`.
"""
