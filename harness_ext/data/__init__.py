"""Where the rows come from: pinned sources, the builders' base, compound rows, export."""
