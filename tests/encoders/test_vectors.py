"""What encoders may return and what becomes of it: a table of hostile outputs, through the tasks'
own door.
"""

import tracemalloc
from itertools import pairwise, product

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
GENERATOR = np.random.default_rng(0)
VECTORS = GENERATOR.normal(size=(5, 16)).round(2)
COUNTS = (100 * VECTORS).round().astype(int)
QUANTISED = 0.5 * COUNTS.clip(-90, 90)
HALVES = (VECTORS * 64).round() / 64  # what bfloat16 and float16 can hold exactly


def as_a_task_sees(model, **encode_kwargs):
    return TaskEncoder(
        model,
        TASK,
        hf_split="s",
        hf_subset="s",
        encode_kwargs=encode_kwargs,
        timer=TimingStack(),
    )


def planted(make, vectors=VECTORS):
    """A model that returns whatever is made of the vectors of the texts it is given."""

    def vector(text):
        return vectors[TEXTS.index(text)]

    return PlantedModel(vector, "planted/hostile", make=make)


def encode(make, vectors=VECTORS, meta=None, **encode_kwargs):
    model = planted(make, vectors)
    model.mteb_model_meta = model.mteb_model_meta.model_copy(update=meta)
    return as_a_task_sees(model, **encode_kwargs)(TEXTS)


def as_they_are(vectors):
    return vectors


def one_dimension_less(vectors):
    *others, last = vectors
    return [*others, last[:-1]]


class Device:
    """As an array of another library that does not come to this machine's memory by itself."""

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


# all of these give what float64 arrays of the same numbers give


def in_float16(vectors):
    return vectors.astype(np.float16)


def in_long_double(vectors):
    return vectors.astype(np.longdouble)


def read_only(vectors):
    return np.broadcast_to(vectors, vectors.shape)


def in_int16(vectors):
    return vectors.astype(np.int16)


def in_int8(vectors):
    return vectors.astype(np.int8)


def list_of_lists(vectors):
    return vectors.tolist()


def list_of_tensors(vectors):
    return [torch.tensor(row, requires_grad=True) for row in vectors]


def bfloat16_tensor(vectors):
    return torch.tensor(vectors, dtype=torch.bfloat16)


def tensor_with_gradients(vectors):
    return torch.tensor(vectors, dtype=torch.float64, requires_grad=True)


def lazily_negated_tensor(vectors):
    negative = -torch.tensor(vectors)
    return torch.complex(negative, negative).conj().imag


def sparse_tensor(vectors):
    return torch.tensor(vectors).to_sparse()


def quantised_tensor(vectors):
    floats = torch.tensor(vectors).float()
    return torch.quantize_per_tensor(floats, 0.5, 0, torch.qint8)


def very_short(vectors):
    return vectors * 1e-9


def very_long(vectors):
    return vectors * 1e9


# these are refused


def signs(vectors):
    return vectors > 0


def complex_numbers(vectors):
    return vectors + 1j


def packed_bits(vectors):
    return np.packbits(vectors > 0, axis=1)


def signed_packed_bits(vectors):
    return (packed_bits(vectors) - 128).astype(np.int8)


def nested_tensor(vectors):
    return torch.nested.nested_tensor(one_dimension_less(torch.tensor(vectors)))


def objects(vectors):
    return vectors.astype(object)


def records(vectors):
    return vectors.view([(f"f{place}", float) for place in range(16)])


def masked(vectors):
    return np.ma.masked_greater(vectors, 1)


def dictionary(vectors):
    return {"dense_vecs": vectors}


def nothing(vectors):
    return None


def array_of_another_device(vectors):
    return Device()


def tensor_without_numbers(vectors):
    return torch.tensor(vectors).to("meta")


def one_number_per_text(vectors):
    return vectors[:, 0]


def token_vectors(vectors):
    return vectors[:, None]


def one_vector_less(vectors):
    return vectors[1:]


def no_dimensions(vectors):
    return vectors[:, :0]


def largest_of_second_as(value):
    """The largest number of the second vector is another value."""

    def replaced(vectors):
        is_largest = vectors == vectors[1].max()
        return np.where(is_largest, value, vectors)

    return replaced


def too_short_for_float32(vectors):
    return (vectors * 1e-42).astype(np.float32)


def too_short(vectors):
    return vectors * 1e-200


def one_too_large(vectors):
    is_largest = vectors == vectors[1].max()
    return vectors * np.where(is_largest, 1e13, 1)


def directions(vectors):
    """Pairwise distances, which nothing but the directions decides."""
    first, second = np.triu_indices(len(vectors), k=1)
    return cosine_distance(vectors, first, second)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "vectors"),
    [
        pytest.param(in_float16, HALVES, id="float16"),
        pytest.param(in_long_double, VECTORS, id="long double"),
        pytest.param(read_only, VECTORS, id="read only"),
        pytest.param(in_int16, COUNTS, id="int16"),
        pytest.param(np.ma.masked_array, VECTORS, id="nothing masked"),
        pytest.param(list_of_lists, VECTORS, id="list of lists"),
        pytest.param(list_of_tensors, VECTORS, id="list of tensors"),
        pytest.param(bfloat16_tensor, HALVES, id="tensor, bfloat16"),
        pytest.param(tensor_with_gradients, VECTORS, id="tensor, requires grad"),
        pytest.param(lazily_negated_tensor, VECTORS, id="tensor, negated lazily"),
        pytest.param(sparse_tensor, VECTORS, id="tensor, sparse"),
        pytest.param(quantised_tensor, QUANTISED, id="tensor, quantised"),
        pytest.param(scipy.sparse.csr_matrix, VECTORS, id="sparse matrix"),
        pytest.param(very_short, VECTORS, id="1e-9"),
        pytest.param(very_long, VECTORS, id="1e9"),
    ],
)
def test_what_says_the_same_gives_the_same(make, vectors):
    found = encode(make, vectors)
    assert type(found) is np.ndarray
    assert found.dtype in (np.float32, np.float64)
    expected = directions(vectors.astype(np.float64))
    np.testing.assert_allclose(directions(found), expected, atol=3e-7)
    # sums of vectors need these
    lengths = np.linalg.norm(found, axis=1)
    ratio = lengths / np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(ratio, ratio[0], rtol=3e-7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(signs, "values of type bool for 5 texts .* return 1.0 and -1.0", id="bool"),
        pytest.param(
            complex_numbers, "values of type complex128 .* Return real numbers", id="complex"
        ),
        pytest.param(
            packed_bits, "uint8 integers .* packed bits.*numpy.unpackbits", id="packed bits"
        ),
        pytest.param(signed_packed_bits, "int8 integers .* packed", id="packed bits, signed"),
        pytest.param(
            one_dimension_less,
            "vectors of several lengths .* same number of dimensions",
            id="ragged",
        ),
        pytest.param(nested_tensor, "several lengths", id="nested tensor"),
        pytest.param(objects, "values of type object", id="objects"),
        pytest.param(records, "values of type .*f0", id="records"),
        pytest.param(masked, "an array with masked values .* Fill them", id="masked"),
        pytest.param(
            dictionary,
            "an object of type dict .* Return a numpy array of floats",
            id="dictionary",
        ),
        pytest.param(nothing, "an object of type NoneType", id="None"),
        pytest.param(
            array_of_another_device,
            "of type Device .*Implicit conversion",
            id="array of another device",
        ),
        pytest.param(
            tensor_without_numbers,
            "a tensor of torch.float64 on meta",
            id="tensor without numbers",
        ),
        pytest.param(one_number_per_text, r"shape \(5,\)", id="one number per text"),
        pytest.param(token_vectors, r"shape \(5, 1, 16\)", id="token vectors"),
        pytest.param(one_vector_less, r"shape \(4, 16\) for 5 texts", id="too few"),
        pytest.param(no_dimensions, r"shape \(5, 0\)", id="no dimensions"),
        pytest.param(
            largest_of_second_as(np.nan),
            "NaN or infinite values for 1 of the 5 .* 'a black box'",
            id="NaN",
        ),
        pytest.param(
            largest_of_second_as(-np.inf), "NaN or infinite values for 1 of the 5", id="infinity"
        ),
        pytest.param(
            too_short_for_float32, "too small for float32 .* return float64", id="1e-42 in float32"
        ),
        pytest.param(
            too_short, r"values of about \S+e-200 to \S+ for .* L2-normalize", id="1e-200"
        ),
        pytest.param(one_too_large, r"to \S+e\+13 for .* L2-normalize", id="one too large"),
    ],
)
def test_what_does_not_is_refused_with_model_kind_and_remedy(make, message):
    with pytest.raises(EncodingError, match=rf"(?s)^planted/hostile returned .*{message}"):
        encode(make)


def test_integers_of_8_bits_are_numbers_where_that_is_said():
    eight = np.clip(COUNTS, -127, 127)
    for said in (
        {"precision": "int8"},
        {"meta": {"embed_dim": 16}},
        {"meta": {"embed_dim": [8, 16]}},
    ):
        found = encode(in_int8, eight, **said)
        np.testing.assert_array_equal(found, eight)
    bits = np.packbits(VECTORS > 0, axis=1)
    with pytest.raises(EncodingError, match="packed bits"):
        encode(as_they_are, bits, meta={"embed_dim": 16})
    with pytest.raises(EncodingError, match="packed bits"):
        encode(as_they_are, bits, meta={"embed_dim": 2}, precision="binary")


def test_usual_vectors_are_not_touched_and_zero_vectors_stay_zero():
    for dtype in (np.float32, np.float64):
        vectors = (VECTORS * 1e-6).astype(dtype)
        vectors[2] = 0
        np.testing.assert_array_equal(encode(as_they_are, vectors), vectors)
    found = encode(np.zeros_like)
    np.testing.assert_array_equal(found, np.zeros((5, 16)))


def test_the_encoder_may_use_its_memory_again():
    buffer = np.empty((5, 16))

    def in_the_buffer(vectors):
        rows = buffer[: len(vectors)]
        rows[:] = vectors
        return rows

    encoder = as_a_task_sees(planted(in_the_buffer))
    encoder(TEXTS[:3])
    np.testing.assert_array_equal(encoder(TEXTS), VECTORS)

    def as_many_dimensions_as_texts(vectors):
        n_texts = len(vectors)
        return np.ones((n_texts, n_texts))

    # but not another dimension
    encoder = as_a_task_sees(planted(as_many_dimensions_as_texts))
    encoder(TEXTS[:3])
    message = r"planted/hostile returned vectors of 3 dimensions for some .* of 2 for"
    with pytest.raises(EncodingError, match=message):
        encoder(TEXTS)


def text_of(n_words, size):
    """Words of one letter each, which stands in them so many times."""
    return " ".join(letter * size for letter in "abcdef"[:n_words])


SIZES_AND_LENGTHS = product(range(1, 11), range(1, 7))
MANY = [text_of(n_words, size) for size, n_words in SIZES_AND_LENGTHS]


def lengths(text):
    """A vector that tells the texts of `MANY` apart."""
    return [len(text), text.count(" "), 1]


def n_tokens(tokenizer, texts):
    return [len(token_ids) for token_ids in tokenizer(texts)["input_ids"]]


def test_texts_with_as_many_tokens_are_encoded_together():
    """60 texts in calls of 16 batches of one: each call holds those with more tokens than
    the next.
    """
    tokenizer = fast(letters())
    model = PlantedModel(lengths, "planted/with-a-tokenizer")
    model.tokenizer = tokenizer
    vectors = as_a_task_sees(model, batch_size=1)(MANY)
    np.testing.assert_array_equal(vectors, [lengths(text) for text in MANY])
    n_texts = [len(call) for call in model.calls]
    assert n_texts == [16, 16, 16, 12]
    for call, next_call in pairwise(model.calls):
        fewest = min(n_tokens(tokenizer, call))
        assert fewest >= max(n_tokens(tokenizer, next_call))


def test_texts_encoded_in_many_calls_take_the_memory_of_their_vectors_once():
    n_dimensions = 512
    model = PlantedModel(lambda text: np.full(n_dimensions, len(text), dtype=np.float32))
    model.tokenizer = fast(letters())
    texts = ["a" * (1 + number % 50) + f" {number}" for number in range(4000)]
    encoder = as_a_task_sees(model)
    tracemalloc.start()
    vectors = encoder(texts)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert vectors[:, 0].tolist() == [*map(len, texts)]
    assert vectors.nbytes < most < 1.8 * vectors.nbytes


def test_calls_of_two_precisions_keep_the_digits_of_the_finer():
    def in_float32_if_long(vectors):
        is_long = vectors.max() > 2
        return vectors.astype(np.float32 if is_long else np.float64)

    def thirds(text):
        return np.array([len(text) / 3])

    model = PlantedModel(thirds, make=in_float32_if_long)
    model.tokenizer = fast(letters())
    found = as_a_task_sees(model, batch_size=1)(["a" * length for length in range(1, 21)])
    assert found[:4, 0].tolist() == [1 / 3, 2 / 3, 1, 4 / 3]
    np.testing.assert_array_equal(found[4:, 0], np.float32(np.arange(5, 21) / 3))


@pytest.mark.parametrize(
    ("has_tokenizer", "encode_kwargs"),
    [
        (False, {}),
        (True, {"precision": "float32"}),
    ],
)
def test_other_texts_are_encoded_in_one_call(has_tokenizer, encode_kwargs):
    """Without a tokenizer nothing is known, and sentences-transformers' int8 is of the vectors of a
    call.
    """
    model = PlantedModel(lengths, "planted/in-one-call")
    model.tokenizer = fast(letters()) if has_tokenizer else None
    as_a_task_sees(model, batch_size=1, **encode_kwargs)(MANY)
    assert model.calls == [MANY]
