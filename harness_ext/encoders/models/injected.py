"""One-token injection: each compound is one token, with a vector from a file.

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021 (doi 10.18653/v1/2021.acl-long.212) use
the vectors of BERTRAM: Schick, Schütze 2020: *BERTRAM: Improved Word Embeddings Have Big Impact on
Contextualized Model Performance*.
"""

import logging
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.data.compounds import words_of
from harness_ext.encoders.models.local_files import files_hash
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.models.static import read_vectors

logger = logging.getLogger(__name__)


class InjectedTransformer(PooledTransformer):
    """A `PooledTransformer` with one token for each expression of a file, with the vector from this
    file.

    An expression becomes one token wherever it occurs in a text as whole words; at span level its
    vector is the vector of this token. Tasks on compounds give the forms of each compound (see
    `add_compounds`), so that the vector of *black box* serves for *black boxes* too, unless the
    file has a vector for *black boxes*.
    """

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        injected: str,
        **kwargs: Any,
    ) -> None:
        """Load the checkpoint as `PooledTransformer` does, and put the vectors of a file into its
        input embeddings.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: As `PooledTransformer` and `read_injected`.
        """
        file = Path(injected)
        if not file.is_file():
            raise FileNotFoundError(f"{model_name}: there is no file {injected} of vectors.")
        self._file = file
        self._names_pooling = "pooling" in kwargs or "layer" in kwargs
        super().__init__(model_name, revision, **kwargs)
        embeddings = self.model.get_input_embeddings().weight
        forms = dict(read_injected(file, embeddings.shape[1]))
        self._vectors: dict[str, NDArray[np.float32]] = {}
        for expression, vector in forms.items():
            self._vectors[_key(expression)] = vector
        self._forms: set[str] = set()
        self._inject(forms)

    def _options(self) -> dict[str, str]:
        options = super()._options() if self._names_pooling else {}
        return {**options, "injected": self._file.name}

    def _revision(self, checkpoint: str, revision: str | None) -> str:
        loaded = super()._revision(checkpoint, revision) or "no_revision_available"
        return f"{loaded}+{files_hash([self._file])[:16]}"

    def add_compounds(
        self,
        forms: Mapping[str, str],
    ) -> list[str]:
        """Make one token of every form of the compounds with a vector in the file; return the
        others, which stay words.

        `forms` has each compound as it is written in a sentence -> the compound.
        """
        new = {}
        for form, compound in forms.items():
            vector = self._vectors.get(_key(form))
            if vector is None:
                vector = self._vectors.get(_key(compound))
            if vector is not None and form not in self._forms:
                new[form] = vector
        self._inject(new)
        without_vector = set()
        for form, compound in forms.items():
            if form not in self._forms:
                without_vector.add(compound)
        without = sorted(without_vector)
        if without:
            logger.warning(
                "%s: %d of %d compounds have no vector and stay words, for example %r.",
                self.mteb_model_meta.name,
                len(without),
                len(set(forms.values())),
                without[0],
            )
        return without

    def _inject(
        self,
        forms: Mapping[str, NDArray[np.float32]],
    ) -> None:
        import torch
        from tokenizers import AddedToken

        known = self.tokenizer.get_vocab()
        new = [form for form in forms if form not in known]
        taken = [form for form in forms if form in known]
        if taken:
            logger.warning(
                "%s: %d expressions are tokens already and keep their own vectors, for example %r.",
                self.token_model.name,
                len(taken),
                taken[0],
            )
        tokens = []
        for form in new:
            # lstrip: otherwise the blank becomes a token of its own in a byte-level vocabulary
            token = AddedToken(form, single_word=True, lstrip=True, normalized=True)
            tokens.append(token)
        self.tokenizer.add_tokens(tokens)
        self._forms.update(new)
        if not new:
            return
        ids: Any = self.tokenizer.convert_tokens_to_ids(new)
        embeddings = self.model.get_input_embeddings().weight
        if max(ids) >= len(embeddings):
            resize = self.model.resize_token_embeddings
            # from transformers 4.46 on, new rows are drawn at some cost, and would be replaced
            # below
            no_drawing = (
                {"mean_resizing": False} if "mean_resizing" in signature(resize).parameters else {}
            )
            resize(max(ids) + 1, **no_drawing)
            embeddings = self.model.get_input_embeddings().weight
        vectors = np.array([forms[form] for form in new])
        with torch.no_grad():
            embeddings[ids] = torch.tensor(vectors).to(embeddings)


def read_injected(
    file: Path,
    dimensions: int,
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Read expressions and their vectors, shape (d,), in the input-embedding space of a model with
    d dimensions.

    A line is an expression and its numbers, as in the output of BERTRAM's `infer_vectors.py`, see
    `harness_ext.encoders.models.static.read_vectors`. Words of an expression are separated by
    blanks or underscores.

    Raises:
        ValueError: As for `read_vectors`, or the expression is in an earlier line; names file and
            line.
    """
    lines: dict[str, int] = {}
    for number, name, vector in read_vectors(file, dimensions):
        expression = name.replace("_", " ").strip()
        first = lines.setdefault(_key(expression), number)
        if first != number:
            raise ValueError(f"{file}, line {number}: {expression!r} is in line {first} already.")
        yield expression, vector


def _key(expression: str) -> str:
    """Make one key of all spellings of an expression: blanks or hyphens, case."""
    return " ".join(words_of(expression)).casefold()
