"""Many models × many tasks: a process per model, on this machine or on a Ray cluster."""
