"""The measures of what language models answer to lm-eval's questions: one module per measure."""
