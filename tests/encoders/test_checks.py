"""Checks: what may decide about two texts, and what is refused with the pair."""

import numpy as np
import pytest
from sentence_transformers import CrossEncoder
from transformers import BertForSequenceClassification

from harness_ext.common.errors import UnknownNameError
from harness_ext.encoders.checks import CheckError, check_of, named_check
from tests.encoders.library_modules import MultiVectorEncoder, needs_late_interaction
from tests.encoders.tiny_transformers import fast, save, small_bert, wordpiece

PAIRS = [("a", "a"), ("a", "b"), ("a b", "c d e")]


def same(one, other):
    return one == other


def lengths(first, second):
    return [len(one) - 10 * len(other) for one, other in zip(first, second, strict=True)]


lengths.batched = True


def test_bools_and_numbers_of_one_pair_or_of_two_lists():
    answers = check_of(same)(PAIRS)
    assert (answers.alike.tolist(), answers.are_bools, answers.unit) == ([1, 0, 0], True, 1)
    answers = check_of(lambda one, other: np.float32(len(one) / len(other)))(PAIRS)
    assert (answers.alike.tolist(), answers.are_bools) == (pytest.approx([1, 1, 0.6]), False)
    answers = check_of(lengths, "by length")(PAIRS)  # 47 is the greatest number: it is 1 unit
    assert (answers.alike.tolist(), answers.unit) == ([-9 / 47, -9 / 47, -1], 47)
    mixed = check_of(lambda one, other: len(one) / len(other) if len(one) > 1 else False)(PAIRS)
    assert (mixed.alike.tolist(), mixed.are_bools) == ([0, 0, 0.6], False)


@pytest.mark.parametrize("given", [lambda texts: texts, len, 3, "same", np.ones(3), str, CrossEncoder])
def test_anything_else_is_no_check(given):
    assert check_of(given) is None


def fails(one, other):
    return 1 / (len(other) - 1)


def fails_in_lists(first, second):
    return [*map(fails, first, second)]


fails_in_lists.batched = True
REFUSED = [
    (fails, r"fails of 'a' and 'a': ZeroDivisionError: division by zero"),
    (fails_in_lists, r"fails_in_lists of \['a', 'a', 'a b'\] and \['a', 'b', 'c d e'\]: ZeroDivisionError"),
    (lambda one, other: None, r"of 'a' and 'a' is None: a bool or a number expected"),
    (lambda one, other: "yes", r"of 'a' and 'a' is 'yes': a bool"),
    (lambda one, other: float("nan") if other == "b" else 1, r"of 'a' and 'b' is nan: a bool"),
]


@pytest.mark.parametrize(("function", "said"), REFUSED)
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
    (tmp_path / "my_guard.py").write_text("def guard(a, b):\n    return a == b\n\nlimit = .7\n")
    assert named_check("my_guard:guard")(PAIRS).alike.tolist() == [1, 0, 0]
    for name, said in [
        ("my_guard:gard", "my_guard:gard cannot be loaded: .* no attribute 'gard'. MODULE:FUNCTION, cross"),
        ("no_such_module:guard", "No module named 'no_such_module'"),
        ("my_guard", "--check my_guard is no function of two texts"),
        ("my_guard:limit", r"--check my_guard:limit is no function of two texts: f\(a, b\)"),
        ("cross-encoder:./nothing", "cross-encoder:./nothing cannot be loaded"),
    ]:
        with pytest.raises(UnknownNameError, match=said):
            named_check(name)


def classes(folder, words, labels):
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}
    model = BertForSequenceClassification(small_bert(words, **names)).eval()
    model.save_pretrained(folder)
    fast(words, model_max_length=64).save_pretrained(folder)
    return str(folder)


def test_a_model_of_entailment_gives_its_probability(tmp_path):
    words = wordpiece()
    folder = classes(tmp_path / "nli", words, ["contradiction", "entailment", "neutral"])
    found = named_check(f"cross-encoder:{folder}")(PAIRS)
    expected = CrossEncoder(folder).predict(PAIRS, apply_softmax=True)[:, 1]
    assert found.alike.tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    folder = classes(tmp_path / "stars", words, ["one", "two", "three"])
    with pytest.raises(CheckError, match=r"has 3 classes, none called entailment\. Write a function"):
        named_check(f"cross-encoder:{folder}")(PAIRS)


@needs_late_interaction
def test_late_interaction_by_its_own_similarity(tmp_path):
    words = wordpiece()
    folder = save(tmp_path, small_bert(words), fast(words, model_max_length=64))
    model = MultiVectorEncoder(folder)
    model.save(str(tmp_path / "tokens"))
    found = named_check(f"late-interaction:{tmp_path / 'tokens'}")(PAIRS)
    first, second = zip(*PAIRS, strict=True)
    expected = model.similarity_pairwise(model.encode(list(first)), model.encode(list(second)))
    assert (found.unit * found.alike).tolist() == pytest.approx([*map(float, expected)], abs=1e-5)
    assert check_of(model)(PAIRS).alike[0] == pytest.approx(found.alike[0], abs=1e-6)
