"""ε-compositionality (Wold et al.), of encoders and of language models."""
