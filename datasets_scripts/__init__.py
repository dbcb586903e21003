"""Where the rows come from: one folder per dataset, with its `datasets` builder and its card."""
