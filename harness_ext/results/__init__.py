"""Reading results, and the published tables to hold them against."""
