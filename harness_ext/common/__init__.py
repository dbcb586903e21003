"""What every package may use: arrays, files, names, errors."""
