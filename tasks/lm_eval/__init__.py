"""The tasks for lm-eval: a YAML file per task, and the class it names in the module of its measure.

lm-eval reads this folder itself and loads the modules from their files.
"""
