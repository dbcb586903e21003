"""Encodes every distinct text once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from datasets import Dataset
from tqdm.auto import tqdm

from harness_ext.common.arrays import Vectors
from harness_ext.common.foreign_code import no_exit
from harness_ext.encoders.at_once import AtOnce, attempt, fitted, halve
from harness_ext.encoders.one_call import depends_on_call, output_dtype
from harness_ext.encoders.vectors import UnusableVectorsError, as_vectors
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol

_LEAST_SIZE = 1e-12
"""Of the largest number of a vector: float32 holds sums of such squares."""

_LARGEST_SIZE = 1e12
"""The same, upwards."""

_BATCHES = 16  # in a call

_BATCH_SIZE = 32
"""Of mteb, where the user gives none."""

_N_TOKENS = 512
"""Of a batch of short texts, if the user gives no batch size: in batches of 32, words take a sixth
longer.
"""

_OF_A_CALL = {"precision", "device", "pool"}
"""Arguments whose effect or cost may depend on the call: a pool starts anew for each."""


def longest_first(
    lengths: Sequence[int], batch_size: int, *, show_progress_bar: bool
) -> Iterator[list[int]]:
    """Yield batches of indices of texts, those with the largest lengths first, under a progress
    bar.
    """
    order = _by_length(lengths)
    with _bar(len(lengths), is_shown=show_progress_bar) as progress:
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            yield batch
            progress.update(len(batch))


def _by_length(lengths: Sequence[int]) -> list[int]:
    """The indices of lengths, that of the largest first, equal ones in their order."""
    return sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)


def _bar(n_texts: int, *, is_shown: bool) -> tqdm[NoReturn]:
    """A bar over so many texts that are encoded."""
    return tqdm(total=n_texts, desc="Encoding", disable=not is_shown)


class EncodingError(ValueError):
    """No measure can be computed from an encoder's output."""


def words_of_span(
    sentence: str,
    span: tuple[int, int],
) -> list[str]:
    """List the words of a span (first word, first word after it).

    Raises:
        EncodingError: The span is not in the sentence; names both.
    """
    start, end = span
    words = sentence.split()
    if not 0 <= start < end <= len(words):
        raise EncodingError(f"The span {span} is outside the {len(words)} words of {sentence!r}.")
    return words[start:end]


def as_seen_by_models(task_metadata: TaskMetadata) -> TaskMetadata:
    """The metadata of a task as a model is shown them: of type STS, because texts are compared
    symmetrically, as there.

    Models choose their prompt and their adapter by the type of a task. None knows what
    `Compositionality` is. The task's own instruction stays.
    """
    return task_metadata.model_copy(update={"type": "STS"})


def encode_texts(
    model: EncoderProtocol,
    texts: list[str],
    *,
    task_metadata: TaskMetadata,
    hf_split: str,
    hf_subset: str,
    encode_kwargs: dict[str, Any],
) -> Vectors:
    """Encode texts by `model.encode`, which batches them itself, and check them, see `checked`.

    A batch is padded to its longest text. Models sort by letters, which do not tell the number of
    tokens. So more than 16 batches are sorted by tokens, and the model is called several times.
    A batch of short texts then has more of them, unless the user gives another batch size than
    mteb's own.
    Where memory ends, the model gets half as many texts at once, in later calls too.

    An encoder whose vectors depend on the call, see `one_call`, gets all texts in one.

    Raises:
        EncodingError: What `checked` raises; or there is not enough memory for a single text, or
            for a call that must not be split; names model, task and what to do.
    """
    place = {"task_metadata": task_metadata, "hf_split": hf_split, "hf_subset": hf_subset}
    asked = _Asked(model, texts, place, encode_kwargs)
    return asked.in_one_call() if depends_on_call(model, encode_kwargs) else asked.in_parts()


class _Asked:
    """Texts that a model is asked to encode, of one task."""

    def __init__(
        self,
        model: EncoderProtocol,
        texts: list[str],
        place: Mapping[str, Any],
        encode_kwargs: Mapping[str, Any],
    ) -> None:
        self._model = model
        self._name = _name_of(model)
        self._texts = texts
        self._every_row = [*range(len(texts))]
        self._place = place
        self._encode_kwargs = encode_kwargs
        self._batch_size: int = encode_kwargs.get("batch_size", 32)

    def in_one_call(self) -> Vectors:
        """Encode all texts in one call."""
        whole = attempt(partial(self._encode, self._every_row))
        if whole.result is None:
            task = self._place["task_metadata"].name
            dtype = output_dtype(self._model, self._encode_kwargs)
            raise EncodingError(
                f"{self._name}: not enough memory for the {len(self._texts)} texts, words and "
                f"probes of {task} in one call ({whole.reason}). It is not split, because vectors "
                f"in {dtype} depend on all vectors of their call. Set a smaller batch_size, or "
                "measure without this conversion."
            )
        return whole.result

    def in_parts(self) -> Vectors:
        """Encode the texts, in several calls if they are many or if memory ends."""
        at_once = AtOnce(self._batch_size, _BATCHES * self._batch_size)
        earlier = fitted(self._model)
        lengths = None
        if earlier is not None and self._texts:
            at_once = at_once.at_most(earlier)
        else:
            is_many = len(self._texts) > at_once.n_texts
            may_split = is_many and not _OF_A_CALL & self._encode_kwargs.keys()
            lengths = _n_tokens(self._model, self._texts) if may_split else None
            if lengths is None:
                whole = attempt(partial(self._encode, self._every_row))
                if whole.result is not None:
                    return whole.result
                at_once = smaller(
                    self._model,
                    self._name,
                    AtOnce(self._batch_size, len(self._texts)),
                    len(self._texts),
                    whole.reason,
                )
        if lengths:
            return self._longest_first(lengths, at_once, are_tokens=True)
        return self._longest_first([*map(len, self._texts)], at_once, are_tokens=False)

    def _longest_first(
        self,
        lengths: Sequence[int],
        at_once: AtOnce,
        *,
        are_tokens: bool,
    ) -> Vectors:
        """Encode the texts in several calls, those with the largest lengths first."""
        rest = _by_length(lengths)
        is_shown = self._encode_kwargs.get("show_progress_bar", True)
        vectors: Vectors | None = None
        with _bar(len(rest), is_shown=is_shown) as progress:
            while rest:
                rows = rest[: at_once.n_texts]
                options: dict[str, Any] = {"show_progress_bar": False}
                batch_size = at_once.batch_size
                if are_tokens and batch_size == self._batch_size == _BATCH_SIZE:
                    batch_size = max(batch_size, _N_TOKENS // lengths[rows[0]])
                if batch_size != self._batch_size:
                    options["batch_size"] = batch_size
                part = attempt(partial(self._encode, rows, **options))
                if part.result is None:
                    at_once = smaller(
                        self._model,
                        self._name,
                        at_once,
                        len(rows),
                        part.reason,
                    )
                    continue
                vectors = self._written(vectors, rows, part.result)
                rest = rest[len(rows) :]
                progress.update(len(rows))
        assert vectors is not None  # there is a text
        return vectors

    def _written(
        self,
        vectors: Vectors | None,
        rows: list[int],
        part: Vectors,
    ) -> Vectors:
        """Write the vectors of some texts into their rows of the array of all, which the first call
        makes. Parts that are joined and put into order at the end would be three copies.
        """
        if vectors is None:
            _, dimensions = part.shape
            vectors = np.empty((len(self._texts), dimensions), dtype=part.dtype)
        check_dimensions(self._model, vectors, part)
        vectors = vectors.astype(np.result_type(vectors, part), copy=False)
        vectors[rows] = part
        return vectors

    def _encode(
        self,
        rows: list[int],
        **changed: Any,
    ) -> Vectors:
        """Encode some of the texts in one call."""
        import torch  # not above: `import mteb` imports this module, and does without torch
        from torch.utils.data import DataLoader

        texts = [self._texts[row] for row in rows]
        loader = DataLoader(
            Dataset.from_dict({"text": texts}),
            batch_size=changed.get("batch_size", self._batch_size),
            generator=torch.Generator(),  # of its own: a loader draws a seed whenever it is read
        )
        options = {**self._encode_kwargs, **changed}
        with no_exit(self._name):
            encoded = self._model.encode(loader, **self._place, **options)
        return checked(
            encoded,
            texts,
            self._model,
            self._place["task_metadata"],
            self._encode_kwargs.get("precision"),
        )


def smaller(
    model: Any,
    name: str,
    tried: AtOnce,
    n_texts: int,
    reason: str,
) -> AtOnce:
    """Halve how many texts a model gets at once, after memory ended in a call of so many texts.

    Raises:
        EncodingError: It was a single text; names the model, and the reason.
    """
    if n_texts < 2:
        raise EncodingError(
            f"{name}: not enough memory for a single text ({reason}). Load the model in half "
            "precision, or on another device."
        )
    return halve(model, name, tried, n_texts)


def _n_tokens(
    model: EncoderProtocol,
    texts: list[str],
) -> list[int] | None:
    """How many tokens each text has, at least 1, shape (n,); None if the model has no fast
    tokenizer.
    """
    for inside in unwrapped(model):
        tokenizer: Any = getattr(inside, "tokenizer", None)
        if getattr(tokenizer, "is_fast", False) is True:
            encoded = tokenizer(
                texts,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
            )
            return [max(1, len(tokens)) for tokens in encoded["input_ids"]]
    return None


def _name_of(model: object) -> str:
    """The name of a model in mteb, else that of its class."""
    meta = getattr(model, "mteb_model_meta", None)
    return str(getattr(meta, "name", None) or type(model).__name__)


def check_dimensions(model: object, some: Vectors, others: Vectors) -> None:
    """Refuse vectors of several calls that have different dimensions, shapes (n, d) and (m, d).

    Raises:
        EncodingError: They have; names the model.
    """
    _, of_some = some.shape
    _, of_others = others.shape
    if of_some != of_others:
        raise EncodingError(
            f"{_name_of(model)} returned vectors of {of_some} dimensions for some texts and of "
            f"{of_others} for others. A vector must not depend on what else is encoded with it."
        )


def checked(
    encoded: Any,
    texts: list[str],
    model: EncoderProtocol,
    task_metadata: TaskMetadata,
    precision: str | None = None,
) -> Vectors:
    """Convert a model's output for n texts to vectors, shape (n, d), and check them; see
    `as_vectors`.

    Raises:
        EncodingError: The output is of an unusable kind, is not one vector per text, has a NaN or
            an infinity, or cannot be squared; names model, kind or text, and remedy.
    """
    meta = model.mteb_model_meta
    what = f"for {len(texts)} texts of {task_metadata.name}"
    try:
        vectors = as_vectors(encoded, meta.embed_dim, precision)
    except UnusableVectorsError as error:
        kind, remedy = error.args
        raise EncodingError(f"{meta.name} returned {kind} {what}. {remedy}") from None
    is_table = vectors.ndim == 2 and vectors.shape[1] > 0
    if not is_table or len(vectors) != len(texts):
        raise EncodingError(
            f"{meta.name} returned an array of shape {vectors.shape} {what}; ({len(texts)}, "
            "dimensions) expected."
        )
    highest = vectors.max(axis=1)
    lowest = vectors.min(axis=1)
    largest = np.maximum(highest, -lowest)  # NaN for a vector with a NaN
    is_finite = np.isfinite(largest)
    if not is_finite.all():
        n_others = int((~is_finite).sum())
        first = texts[int(is_finite.argmin())]
        raise EncodingError(
            f"{meta.name} returned a vector with NaN or infinite values for {n_others} of the "
            f"{len(texts)} texts of {task_metadata.name}, the first of them {first!r}. If the "
            "model runs in half precision, try float32."
        )
    sizes = largest[largest > 0]
    if not len(sizes):
        return vectors
    least = sizes.min()
    most = sizes.max()
    if least < _LEAST_SIZE or most > _LARGEST_SIZE:
        raise EncodingError(
            f"{meta.name} returned vectors with values of about {least:.1g} to {most:.1g} {what}, "
            "whose squares float32 cannot hold. L2-normalize the vectors."
        )
    return vectors
