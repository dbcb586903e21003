"""The tasks for lm-eval: a YAML file per task, and the functions it names in the module of its measure.

lm-eval reads this folder itself and loads the modules from their files, so nothing here imports `harness_ext.tasks`,
which would import mteb.
"""
