"""Checks: what may decide about two texts, and what is refused with the pair."""

import difflib
import itertools
import sys

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoder
from transformers import BertForSequenceClassification

from harness_ext.common.errors import UnknownNameError
from harness_ext.encoders.checks import CheckError, check_of, named_check
from tests.encoders.library_modules import MultiVectorEncoder, needs_late_interaction
from tests.encoders.tiny_transformers import fast, save, small_bert, wordpiece

PAIRS = [
    ("a", "a"),
    ("a", "b"),
    ("a b", "c d e"),
]


def same(one, other):
    return one == other


def lengths(first, second):
    pairs = zip(first, second, strict=True)
    return [len(one) - 10 * len(other) for one, other in pairs]


lengths.batched = True


def assert_similarities(answers, expected, *, are_bools):
    assert answers.alike.tolist() == expected
    assert answers.are_bools is are_bools


def test_bools_and_numbers_of_one_pair_or_of_two_lists():
    def ratio(one, other):
        return np.float32(len(one) / len(other))

    def ratio_or_no(one, other):
        if len(one) == 1:
            return False
        return len(one) / len(other)

    answers = check_of(same)(PAIRS)
    assert_similarities(answers, [1, 0, 0], are_bools=True)
    assert answers.unit == 1
    answers = check_of(ratio)(PAIRS)
    assert_similarities(answers, pytest.approx([1, 1, 0.6]), are_bools=False)
    answers = check_of(lengths, "by length")(PAIRS)
    assert_similarities(answers, [-9 / 47, -9 / 47, -1], are_bools=False)
    assert answers.unit == 47  # the greatest number
    mixed = check_of(ratio_or_no)(PAIRS)
    assert_similarities(mixed, [0, 0, 0.6], are_bools=False)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(int, id="int"),
        pytest.param(float, id="float"),
        pytest.param(np.int64, id="numpy"),
        pytest.param(np.bool_, id="numpy bool"),
        pytest.param(torch.tensor, id="torch"),
    ],
)
def test_0_and_1_are_no_and_yes(kind):
    def is_same(one, other):
        return kind(one == other)

    def no(one, other):
        return kind(False)

    by_kind = check_of(is_same)(PAIRS)
    assert_similarities(by_kind, [1, 0, 0], are_bools=True)
    assert by_kind.unit == 1
    never = check_of(no)(PAIRS)
    assert_similarities(never, [0, 0, 0], are_bools=True)


NUMBERS_AND_WORDS = itertools.product(range(20), ("dog", "cat", "bird"))
TEXTS = [f"{word} {number}" for number, word in NUMBERS_AND_WORDS]
MANY = [*itertools.pairwise(TEXTS)]


def letters(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789 "
    return np.array([text.count(letter) for letter in alphabet])


def euclidean(one, other):
    return np.linalg.norm(letters(one) - letters(other))


def euclidean_of_lists(first, second):
    return [*map(euclidean, first, second)]


euclidean_of_lists.batched = True


def one_minus_a_similarity(one, other):
    return 1 - difflib.SequenceMatcher(None, one, other).ratio()


def minus_a_product(one, other):
    return -letters(one) @ letters(other)


def differ(one, other):
    return one != other


def differ_as_a_number(one, other):
    return int(one != other)


def squared_and_shifted(one, other):
    return euclidean(one, other) ** 2 - 1000


@pytest.mark.parametrize(
    "distance",
    [
        pytest.param(euclidean, id="Euclidean"),
        pytest.param(euclidean_of_lists, id="of lists"),
        pytest.param(one_minus_a_similarity, id="1 - similarity"),
        pytest.param(minus_a_product, id="minus a cosine"),
        pytest.param(differ, id="they differ"),
        pytest.param(differ_as_a_number, id="they differ, as a number"),
        pytest.param(squared_and_shifted, id="squared, and shifted"),
    ],
)
def test_a_distance_is_refused(distance):
    message = r"looks like a distance: it gives at most .* to a text and itself, and .* times -1"
    with pytest.raises(CheckError, match=message):
        check_of(distance)(MANY)


def cosine(one, other):
    one = letters(one)
    other = letters(other)
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


def minus_a_distance(one, other):
    return -euclidean(one, other)


def always(one, other):
    return True


def never(one, other):
    return 0


def length_of_one(one, other):
    return len(one)


def one_but_for_rounding(one, other):
    return 1 - 1e-9 * (one == other)


@pytest.mark.parametrize(
    "similarity",
    [
        pytest.param(minus_a_distance, id="minus a distance"),
        pytest.param(cosine, id="cosine"),
        pytest.param(same, id="same"),
        pytest.param(always, id="always"),
        pytest.param(never, id="never"),
        pytest.param(length_of_one, id="of one text"),
        pytest.param(one_but_for_rounding, id="rounded"),
    ],
)
def test_no_other_check_is_taken_for_a_distance(similarity):
    expected = [float(similarity(*pair)) for pair in MANY]
    answers = check_of(similarity)(MANY)
    found = answers.alike * answers.unit
    assert found.tolist() == pytest.approx(expected)


def test_twenty_texts_are_asked_about_first_and_one_that_is_refused_ends_that():
    asked = []

    def records(one, other):
        asked.append((one, other))
        return len({one, other}) == 1

    check_of(records)(MANY)
    first = asked[:20]
    assert asked[20:] == MANY
    assert len({*first}) == 20
    are_same = [one == other for one, other in first]
    assert are_same == [True] * 10 + [False] * 10

    def refuses(one, other):
        asked.append((one, other))
        if one == other:
            raise ValueError("the same text")
        return euclidean(one, other)

    asked.clear()
    check_of(refuses)(MANY)
    text = TEXTS[0]
    assert asked == [(text, text), *MANY]


def test_the_bar_counts_every_call(monkeypatch, capsys):
    monkeypatch.setattr("harness_ext.encoders.checks._SECONDS_WITHOUT_BAR", 0)
    check_of(same)(MANY)
    assert f"{len(MANY) + 20}/{len(MANY) + 20}" in capsys.readouterr().err


def test_what_is_no_number_names_the_pair():
    class Strange:
        def __float__(self):
            raise RuntimeError("no number")

        def __repr__(self):
            return "strange"

    def is_strange(one, other):
        return Strange()

    def is_two_numbers(one, other):
        return torch.ones(2)

    said = r"of 'a' and 'a' is (strange|tensor.*): a bool or a number expected"
    for function in (is_strange, is_two_numbers):
        with pytest.raises(CheckError, match=said):
            check_of(function)(PAIRS)


def test_who_forgot_an_argument_learns_how_the_function_was_taken():
    def encode(texts, batch_size):
        return np.ones((len(texts), batch_size))

    said = r"encode of 'a' .* It takes two arguments: it is called with two texts\. An encoder"
    with pytest.raises(CheckError, match=said):
        check_of(encode)(PAIRS)

    def in_lists(pairs):
        return [True for _ in pairs]

    in_lists.batched = True
    said = "TypeError: .* It has batched = True: it is called with two lists of texts"
    with pytest.raises(CheckError, match=said):
        check_of(in_lists)(PAIRS)
    with pytest.raises(CheckError) as failed:  # who says that it is a check knows how it is taken
        check_of(fails, "guards:fails")(PAIRS)
    assert "It takes" not in str(failed.value)


def an_encoder(texts):
    return texts


@pytest.mark.parametrize(
    "given",
    [
        an_encoder,
        len,
        3,
        "same",
        np.ones(3),
        str,
        CrossEncoder,
    ],
)
def test_anything_else_is_no_check(given):
    assert check_of(given) is None


def fails(one, other):
    return 1 / (len(other) - 1)


def fails_in_lists(first, second):
    return [*map(fails, first, second)]


fails_in_lists.batched = True


def says_nothing(one, other):
    return None


def says_yes(one, other):
    return "yes"


def nan_for_b(one, other):
    return float("nan") if other == "b" else 1


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (fails, r"fails of 'a' and 'a': ZeroDivisionError: division by zero"),
        (
            fails_in_lists,
            r"fails_in_lists of \['a', 'a', 'a b'\] and \['a', 'b', 'c d e'\]: ZeroDivisionError",
        ),
        (says_nothing, r"of 'a' and 'a' is None: a bool or a number expected"),
        (says_yes, r"of 'a' and 'a' is 'yes': a bool"),
        (nan_for_b, r"of 'a' and 'b' is nan: a bool"),
    ],
)
def test_what_fails_names_the_pair(function, said):
    with pytest.raises(CheckError, match=said):
        check_of(function)(PAIRS)


def test_one_answer_to_each_pair():
    def short(first, second):
        if len(first) > 2:
            return [True]
        return [True] * len(first)

    short.batched = True
    with pytest.raises(CheckError, match=r"short returned 1 answers to 3 pairs"):
        check_of(short)(PAIRS)


def test_a_function_of_a_module_in_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_guard.py").write_text(
        "def guard(a, b):\n    return a == b\n\nlimit = .7\n\n"
        "def three(a, b, c):\n    return True\n\n"
        "def optional(a, b=None):\n    return a == b\n"
    )
    guard = named_check("my_guard:guard")
    assert_similarities(guard(PAIRS), [1, 0, 0], are_bools=True)
    for name, said in [
        (
            "my_guard:gard",
            "my_guard:gard cannot be loaded: .* no attribute 'gard'. MODULE:FUNCTION, cross",
        ),
        ("no_such_module:guard", "No module named 'no_such_module'"),
        ("my_guard", "--check my_guard is no function of two texts"),
        ("my_guard:limit", r"--check my_guard:limit is no function of two texts: f\(a, b\)"),
        ("my_guard:three", r"no function of two texts: f\(a, b\), .* It takes \(a, b, c\)\."),
        ("cross-encoder:./nothing", "cross-encoder:./nothing cannot be loaded"),
    ]:
        with pytest.raises(UnknownNameError, match=said):
            named_check(name)
    optional = named_check("my_guard:optional")
    assert_similarities(optional(PAIRS), [1, 0, 0], are_bools=True)


def test_the_current_folder_is_looked_in_for_a_function_alone(tmp_path, monkeypatch):
    """Also for what it imports when it is called: its own module, but none in a library's place."""
    monkeypatch.chdir(tmp_path)
    named_folders = [place for place in sys.path if place]
    monkeypatch.setattr(sys, "path", named_folders)
    for name in ("colorsys", "own_words"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text("OWN = True\n")
    imports = "import colorsys, own_words"
    text = f"def guard(a, b):\n    {imports}\n    return not hasattr(colorsys, 'OWN')\n"
    (tmp_path / "late_guard.py").write_text(text)
    before = [*sys.path]
    check = named_check("late_guard:guard")
    assert sys.path == before
    assert_similarities(check(PAIRS), [1, 1, 1], are_bools=True)
    assert sys.path == before
    with pytest.raises(UnknownNameError):
        named_check("cross-encoder:./nothing")
    assert sys.path == before


@pytest.mark.slow
def test_a_check_that_is_a_model_imports_nothing_from_the_current_folder(run, tmp_path):
    for name in ("datasets", "transformers", "sentence_transformers", "torch"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('own {name}.py was imported')\n")
    line = ("harness-ext", "safe-to-merge", "--check", "cross-encoder:./nli")
    done = run(*line, check=False, apart=True)
    assert done.returncode == 2
    assert "--check cross-encoder:./nli cannot be loaded" in done.stderr
    assert "was imported" not in done.stderr


def classes(folder, words, labels):
    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: place for place, label in enumerate(labels)},
    }
    model = BertForSequenceClassification(small_bert(words, **names)).eval()
    model.save_pretrained(folder)
    fast(words, model_max_length=64).save_pretrained(folder)
    return str(folder)


def test_a_model_of_entailment_gives_its_probability(tmp_path):
    words = wordpiece()
    folder = classes(tmp_path / "nli", words, ["contradiction", "entailment", "neutral"])
    found = named_check(f"cross-encoder:{folder}")(PAIRS)
    probabilities = CrossEncoder(folder).predict(PAIRS, apply_softmax=True)
    of_entailment = probabilities[:, 1].tolist()
    assert found.alike.tolist() == pytest.approx(of_entailment, abs=1e-6)
    folder = classes(tmp_path / "stars", words, ["one", "two", "three"])
    with pytest.raises(
        CheckError, match=r"has 3 classes, none called entailment\. Write a function"
    ):
        named_check(f"cross-encoder:{folder}")(PAIRS)


@needs_late_interaction
def test_late_interaction_by_its_own_similarity(tmp_path):
    words = wordpiece()
    tokenizer = fast(words, model_max_length=64)
    folder = save(tmp_path, small_bert(words), tokenizer)
    model = MultiVectorEncoder(folder)
    model.save(str(tmp_path / "tokens"))
    found = named_check(f"late-interaction:{tmp_path / 'tokens'}")(PAIRS)
    first = model.encode([one for one, _ in PAIRS])
    second = model.encode([other for _, other in PAIRS])
    expected = model.similarity_pairwise(first, second).tolist()
    similarities = found.unit * found.alike
    assert similarities.tolist() == pytest.approx(expected, abs=1e-5)
    of_loaded = check_of(model)(PAIRS)
    assert of_loaded.alike[0] == pytest.approx(found.alike[0], abs=1e-6)
