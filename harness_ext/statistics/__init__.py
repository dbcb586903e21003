"""Values of independent units: their statistics, the resamples of them, and the distance all
measures share.
"""
