"""What a measure is declared with: tables of texts and distances, scores, sentences; from a plan to
items to scores.
"""
