"""What a version of sentence-transformers has in a place of its own, or has not."""

import pytest

try:
    from sentence_transformers.sentence_transformer.evaluation import SequentialEvaluator
    from sentence_transformers.sentence_transformer.modules import (
        Normalize,
        Pooling,
        StaticEmbedding,
        Transformer,
    )
except ModuleNotFoundError:  # sentence-transformers 5
    from sentence_transformers.evaluation import SequentialEvaluator
    from sentence_transformers.models import Normalize, Pooling, StaticEmbedding, Transformer

try:
    from sentence_transformers import MultiVectorEncoder
except ImportError:
    MultiVectorEncoder = None

needs_late_interaction = pytest.mark.skipif(
    MultiVectorEncoder is None, reason="late interaction needs sentence-transformers 6"
)

__all__ = [
    "MultiVectorEncoder",
    "Normalize",
    "Pooling",
    "SequentialEvaluator",
    "StaticEmbedding",
    "Transformer",
]
