"""Sources of the rows: pinned files, the builders' base class, compound rows, export."""
