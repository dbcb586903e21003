"""Every layer of a checkpoint."""
