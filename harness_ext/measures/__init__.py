"""The measures: `core`, four `kinds`, and a package for each paper's."""
