"""Encodes every distinct text once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import Dataset
from tqdm.auto import tqdm

from harness_ext.common.arrays import Vectors
from harness_ext.common.foreign_code import no_exit
from harness_ext.encoders.vectors import UnusableVectorsError, as_vectors
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol

_BATCHES = 16  # in a call
_OF_A_CALL = {"precision", "device", "pool"}
"""Arguments whose effect or cost depends on the call: ranges of int8 are those of its vectors, a pool starts anew."""


def longest_first(lengths: Sequence[int], batch_size: int, *, show_progress_bar: bool) -> Iterator[list[int]]:
    """Yield batches of indices of texts, those with the largest lengths first, under a progress bar."""
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    with tqdm(total=len(lengths), desc="Encoding", disable=not show_progress_bar) as progress:
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            yield batch
            progress.update(len(batch))


class EncodingError(ValueError):
    """No measure can be computed from an encoder's output."""


def words_of_span(sentence: str, span: tuple[int, int]) -> list[str]:
    """List the words of a span (first word, first word after it).

    Raises:
        EncodingError: The span is not in the sentence; names both.
    """
    words, (start, end) = sentence.split(), span
    if not 0 <= start < end <= len(words):
        raise EncodingError(f"The span {span} is outside the {len(words)} words of {sentence!r}.")
    return words[start:end]


def as_seen_by_models(task_metadata: TaskMetadata) -> TaskMetadata:
    """The metadata of a task as a model is shown them: of type STS, because texts are compared symmetrically, as there.

    Models choose their prompt and their adapter by the type of a task. None knows what `Compositionality` is. The
    task's own instruction stays.
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

    A batch is padded to its longest text. Models sort by letters, which do not tell the number of tokens. So more than
    16 batches are sorted by tokens, and the model is called several times.
    """
    from torch.utils.data import DataLoader  # not above: `import mteb` imports this module, and does without torch

    batch_size = encode_kwargs.get("batch_size", 32)

    def encode(some: list[str], options: dict[str, Any]) -> Vectors:
        loader = DataLoader(Dataset.from_dict({"text": some}), batch_size=batch_size)
        with no_exit(str(model.mteb_model_meta.name)):
            encoded = model.encode(
                loader,
                task_metadata=task_metadata,
                hf_split=hf_split,
                hf_subset=hf_subset,
                **options,
            )
        return checked(encoded, some, model, task_metadata, encode_kwargs.get("precision"))

    is_many = len(texts) > _BATCHES * batch_size and not _OF_A_CALL & encode_kwargs.keys()
    if not is_many or (lengths := _n_tokens(model, texts)) is None:
        return encode(texts, encode_kwargs)
    order: list[int] = []
    vectors: list[Vectors] = []
    is_shown, without_bar = encode_kwargs.get("show_progress_bar", True), {**encode_kwargs, "show_progress_bar": False}
    for rows in longest_first(lengths, _BATCHES * batch_size, show_progress_bar=is_shown):
        order += rows
        vectors.append(encode([texts[row] for row in rows], without_bar))
    return joined(model, vectors)[np.argsort(order)]


def _n_tokens(model: EncoderProtocol, texts: list[str]) -> list[int] | None:
    """How many tokens each text has, shape (n,); None if the model has no fast tokenizer."""
    tokenizers = (getattr(inside, "tokenizer", None) for inside in unwrapped(model))
    tokenizer = next((one for one in tokenizers if getattr(one, "is_fast", False) is True), None)
    if tokenizer is None:
        return None
    return [len(tokens) for tokens in tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]]


def joined(model: object, encoded: Sequence[Vectors]) -> Vectors:
    """Join the vectors of several calls, shapes (n, d).

    Raises:
        EncodingError: They have different dimensions; names the model.
    """
    dimensions = [*dict.fromkeys(vectors.shape[1] for vectors in encoded)]
    if len(dimensions) > 1:
        name = getattr(getattr(model, "mteb_model_meta", None), "name", None) or type(model).__name__
        raise EncodingError(
            f"{name} returned vectors of {dimensions[0]} dimensions for some texts and of {dimensions[1]} for others. "
            "A vector must not depend on what else is encoded with it."
        )
    return np.concatenate(encoded)


def checked(
    encoded: Any, texts: list[str], model: EncoderProtocol, task_metadata: TaskMetadata, precision: str | None = None
) -> Vectors:
    """Convert a model's output for n texts to vectors, shape (n, d), and check them; see `as_vectors`.

    Raises:
        EncodingError: The output is of an unusable kind, is not one vector per text, has a NaN or an infinity, or
            cannot be squared; names model, kind or text, and remedy.
    """
    meta = model.mteb_model_meta
    what = f"for {len(texts)} texts of {task_metadata.name}"
    try:
        vectors = as_vectors(encoded, meta.embed_dim, precision)
    except UnusableVectorsError as error:
        kind, remedy = error.args
        raise EncodingError(f"{meta.name} returned {kind} {what}. {remedy}") from None
    if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
        raise EncodingError(
            f"{meta.name} returned an array of shape {vectors.shape} {what}; ({len(texts)}, dimensions) expected."
        )
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))  # NaN for a vector with a NaN
    finite, sizes = np.isfinite(largest), largest[largest > 0]
    if not finite.all():
        raise EncodingError(
            f"{meta.name} returned a vector with NaN or infinite values for {int((~finite).sum())} of the {len(texts)} "
            f"texts of {task_metadata.name}, the first of them {texts[int(finite.argmin())]!r}. If the model runs in "
            "half precision, try float32."
        )
    if len(sizes) and not 1e-12 <= sizes.min() <= sizes.max() <= 1e12:  # float32 holds sums of their squares
        raise EncodingError(
            f"{meta.name} returned vectors with values of about {sizes.min():.1g} to {sizes.max():.1g} {what}, whose "
            "squares float32 cannot hold. L2-normalize the vectors."
        )
    return vectors
