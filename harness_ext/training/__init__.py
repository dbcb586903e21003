"""Training with sentence-transformers: the evaluator, and the fine-tuning of polarity
sensitivity.
"""
