"""Which effects a number of units can show."""

DETECTED = 2.8
"""The effect that is found in 80 % of all samples, in standard errors: z(.975) + z(.8), for tests at .05, two-sided."""
