"""A user's own data: any table with the fields that a measure needs is a dataset."""
