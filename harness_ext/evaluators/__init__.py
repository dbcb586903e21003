"""The measures that compare vectors: one module per measure, and no text, no file, no model in it."""
