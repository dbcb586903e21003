"""Where the rows come from: one folder per dataset, with its `datasets` builder, its card, and its
pinned files.
"""
