"""What encoders may return and what becomes of it: a table of hostile outputs, through the tasks'
own door.
"""

from itertools import pairwise

import mteb
import numpy as np
import pytest
import scipy.sparse
import torch
from mteb.timing import TimingStack

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.statistics.distance import cosine_distance
from tests.encoders.tiny_transformers import fast, letters
from tests.planted import PlantedModel

TEXTS = ["black box", "a black box", "crocodile tears", "box", "the tears of a crocodile"]
TASK = mteb.get_task("EpsilonCompositionalityMini").metadata
VECTORS = np.random.default_rng(0).normal(size=(5, 16)).round(2)
COUNTS = (100 * VECTORS).round().astype(int)
QUANTISED = 0.5 * COUNTS.clip(-90, 90)
HALVES = (VECTORS * 64).round() / 64  # what bfloat16 and float16 can hold exactly


def as_a_task_sees(model, **encode_kwargs):
    return TaskEncoder(
        model, TASK, hf_split="s", hf_subset="s", encode_kwargs=encode_kwargs, timer=TimingStack()
    )


def planted(make, vectors=VECTORS):
    """A model that returns whatever is made of the vectors of the texts it is given."""
    return PlantedModel(lambda text: vectors[TEXTS.index(text)], "planted/hostile", make=make)


def encode(make, vectors=VECTORS, meta=None, **encode_kwargs):
    model = planted(make, vectors)
    model.mteb_model_meta = model.mteb_model_meta.model_copy(update=meta)
    return as_a_task_sees(model, **encode_kwargs)(TEXTS)


def tensor(dtype, **kwargs):
    return lambda vectors: torch.tensor(vectors, dtype=dtype, **kwargs)


def one_dimension_less(vectors):
    return [*vectors[:-1], vectors[-1][:-1]]


class Device:
    """As an array of another library that does not come to this machine's memory by itself."""

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


# what is returned, of which numbers; all of them give what float64 arrays of the same numbers give
TAKEN = {
    "float16": (lambda v: v.astype(np.float16), HALVES),
    "long double": (lambda v: v.astype(np.longdouble), VECTORS),
    "read only": (lambda v: np.broadcast_to(v, v.shape), VECTORS),
    "int16": (lambda v: v.astype(np.int16), COUNTS),
    "nothing masked": (np.ma.masked_array, VECTORS),
    "list of lists": (lambda v: v.tolist(), VECTORS),
    "list of tensors": (lambda v: [torch.tensor(row, requires_grad=True) for row in v], VECTORS),
    "tensor, bfloat16": (tensor(torch.bfloat16), HALVES),
    "tensor, requires grad": (tensor(torch.float64, requires_grad=True), VECTORS),
    "tensor, negated lazily": (
        lambda v: torch.complex(-torch.tensor(v), -torch.tensor(v)).conj().imag,
        VECTORS,
    ),
    "tensor, sparse": (lambda v: torch.tensor(v).to_sparse(), VECTORS),
    "tensor, quantised": (
        lambda v: torch.quantize_per_tensor(torch.tensor(v).float(), 0.5, 0, torch.qint8),
        QUANTISED,
    ),
    "sparse matrix": (scipy.sparse.csr_matrix, VECTORS),
    "1e-9": (lambda v: v * 1e-9, VECTORS),
    "1e9": (lambda v: v * 1e9, VECTORS),
}
# what is returned; a part of what is said about it
REFUSED = {
    "bool": (lambda v: v > 0, "values of type bool for 5 texts .* return 1.0 and -1.0"),
    "complex": (lambda v: v + 1j, "values of type complex128 .* Return real numbers"),
    "packed bits": (
        lambda v: np.packbits(v > 0, axis=1),
        "uint8 integers .* packed bits.*numpy.unpackbits",
    ),
    "packed bits, signed": (
        lambda v: (np.packbits(v > 0, axis=1) - 128).astype(np.int8),
        "int8 integers .* packed",
    ),
    "ragged": (one_dimension_less, "vectors of several lengths .* same number of dimensions"),
    "nested tensor": (
        lambda v: torch.nested.nested_tensor(one_dimension_less(torch.tensor(v))),
        "several lengths",
    ),
    "objects": (lambda v: v.astype(object), "values of type object"),
    "records": (lambda v: v.view([(f"f{i}", float) for i in range(16)]), "values of type .*f0"),
    "masked": (lambda v: np.ma.masked_greater(v, 1), "an array with masked values .* Fill them"),
    "dictionary": (
        lambda v: {"dense_vecs": v},
        "an object of type dict .* Return a numpy array of floats",
    ),
    "None": (lambda v: None, "an object of type NoneType"),
    "array of another device": (lambda v: Device(), "of type Device .*Implicit conversion"),
    "tensor without numbers": (
        lambda v: torch.tensor(v).to("meta"),
        "a tensor of torch.float64 on meta",
    ),
    "one number per text": (lambda v: v[:, 0], r"shape \(5,\)"),
    "token vectors": (lambda v: v[:, None], r"shape \(5, 1, 16\)"),
    "too few": (lambda v: v[1:], r"shape \(4, 16\) for 5 texts"),
    "no dimensions": (lambda v: v[:, :0], r"shape \(5, 0\)"),
    "NaN": (
        lambda v: np.where(v == v[1].max(), np.nan, v),
        "NaN or infinite values for 1 of the 5 .* 'a black box'",
    ),
    "infinity": (
        lambda v: np.where(v == v[1].max(), -np.inf, v),
        "NaN or infinite values for 1 of the 5",
    ),
    "1e-42 in float32": (
        lambda v: (v * 1e-42).astype(np.float32),
        "too small for float32 .* return float64",
    ),
    "1e-200": (lambda v: v * 1e-200, r"values of about \S+e-200 to \S+ for .* L2-normalize"),
    "one too large": (
        lambda v: v * np.where(v == v[1].max(), 1e13, 1),
        r"to \S+e\+13 for .* L2-normalize",
    ),
}


def directions(vectors):
    """Pairwise distances, which nothing but the directions decides."""
    first, second = np.triu_indices(len(vectors), k=1)
    return cosine_distance(vectors, first, second)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", TAKEN)
def test_what_says_the_same_gives_the_same(kind):
    make, vectors = TAKEN[kind]
    found = encode(make, vectors)
    assert type(found) is np.ndarray
    assert found.dtype in (np.float32, np.float64)
    np.testing.assert_allclose(directions(found), directions(vectors.astype(np.float64)), atol=3e-7)
    # sums of vectors need these
    ratio = np.linalg.norm(found, axis=1) / np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(ratio, ratio[0], rtol=3e-7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", REFUSED)
def test_what_does_not_is_refused_with_model_kind_and_remedy(kind):
    make, message = REFUSED[kind]
    with pytest.raises(EncodingError, match=rf"(?s)^planted/hostile returned .*{message}"):
        encode(make)


def test_integers_of_8_bits_are_numbers_where_that_is_said():
    eight = np.clip(COUNTS, -127, 127)
    for said in (
        {"precision": "int8"},
        {"meta": {"embed_dim": 16}},
        {"meta": {"embed_dim": [8, 16]}},
    ):
        found = encode(lambda v: v.astype(np.int8), eight, **said)
        np.testing.assert_array_equal(found, eight)
    bits = np.packbits(VECTORS > 0, axis=1)
    for said in ({"meta": {"embed_dim": 16}}, {"precision": "binary", "meta": {"embed_dim": 2}}):
        with pytest.raises(EncodingError, match="packed bits"):
            encode(lambda v: v, bits, **said)


def test_usual_vectors_are_not_touched_and_zero_vectors_stay_zero():
    for dtype in (np.float32, np.float64):
        vectors = (VECTORS * 1e-6).astype(dtype)
        vectors[2] = 0
        np.testing.assert_array_equal(encode(lambda v: v, vectors), vectors)
    np.testing.assert_array_equal(encode(np.zeros_like), np.zeros((5, 16)))


def test_the_encoder_may_use_its_memory_again():
    buffer = np.empty((5, 16))
    encoder = as_a_task_sees(planted(lambda v: np.add(v, 0, out=buffer[: len(v)])))
    encoder(TEXTS[:3])
    np.testing.assert_array_equal(encoder(TEXTS), VECTORS)
    # but not another dimension
    encoder = as_a_task_sees(planted(lambda v: np.ones((len(v), len(v)))))
    encoder(TEXTS[:3])
    with pytest.raises(
        EncodingError,
        match=r"planted/hostile returned vectors of 3 dimensions for some .* of 2 for",
    ):
        encoder(TEXTS)


MANY = [
    " ".join(letter * size for letter in "abcdef"[:words])
    for size in range(1, 11)
    for words in range(1, 7)
]


def test_texts_with_as_many_tokens_are_encoded_together():
    """60 texts in calls of 16 batches of one: each call holds those with more tokens than
    the next.
    """
    tokenizer = fast(letters())
    model = PlantedModel(lambda text: [len(text), text.count(" "), 1], "planted/with-a-tokenizer")
    model.tokenizer = tokenizer
    vectors = as_a_task_sees(model, batch_size=1)(MANY)
    np.testing.assert_array_equal(vectors, [[len(text), text.count(" "), 1] for text in MANY])
    assert [len(call) for call in model.calls] == [16, 16, 16, 12]
    n_tokens = [[len(tokenizer(text)["input_ids"]) for text in call] for call in model.calls]
    assert all(min(one) >= max(other) for one, other in pairwise(n_tokens))


@pytest.mark.parametrize(
    ("has_tokenizer", "encode_kwargs"), [(False, {}), (True, {"precision": "float32"})]
)
def test_other_texts_are_encoded_in_one_call(has_tokenizer, encode_kwargs):
    """Without a tokenizer nothing is known, and sentences-transformers' int8 is of the vectors of a
    call.
    """
    model = PlantedModel(lambda text: [len(text), text.count(" "), 1], "planted/in-one-call")
    model.tokenizer = fast(letters()) if has_tokenizer else None
    as_a_task_sees(model, batch_size=1, **encode_kwargs)(MANY)
    assert model.calls == [MANY]
