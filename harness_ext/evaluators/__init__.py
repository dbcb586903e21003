"""How it is measured: one module per measure. Vectors and index arrays in, scores out; no text, no I/O, no model."""
