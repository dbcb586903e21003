"""One-token injection: on a BERT whose layers do nothing, so that every vector is known in closed
form.
"""

import mteb
import numpy as np
import pytest
import torch
import transformers
from datasets import load_dataset

from harness_ext.encoders.models.injected import InjectedTransformer
from harness_ext.encoders.spans import span_encoder
from harness_ext.results.load import read_result
from tests.encoders.tiny_transformers import BERT_LIKE, byte_level, fast, small_bert, wordpiece
from tests.planted import entries_of

SENTENCES = [
    "the black box stood in a corner , a black box !",
    "Black Boxes are no black-box models",
    "a pé de moleque on the table",
    "the blackest box",
]
BLACK_BOX = np.array([1.0, 2, 3, 4, 5, 6, 7, 9])
MOLEQUE = np.array([-1.0, 1, -1, 1, 5, 1, -1, 1])


def line(expression, vector):
    numbers = " ".join(map(str, vector))
    return f"{expression} {numbers}\n"


def save(folder, tokenizer):
    """A BERT without positions, whose layers add nothing: every hidden state is the standardised
    input embedding.
    """
    fast(tokenizer, BERT_LIKE, model_max_length=500).save_pretrained(folder)
    config = small_bert(
        tokenizer,
        hidden_size=8,
        num_hidden_layers=4,
        max_position_embeddings=500,
    )
    torch.manual_seed(0)
    model = transformers.BertModel(config)
    with torch.no_grad():
        model.embeddings.position_embeddings.weight.zero_()
        model.embeddings.token_type_embeddings.weight.zero_()
        model.embeddings.word_embeddings.weight.mul_(50)
        for layer in model.encoder.layer:
            for dense in (layer.attention.output.dense, layer.output.dense):
                dense.weight.zero_()
                dense.bias.zero_()
    model.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "tiny-bert", wordpiece())


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "tiny-byte-level", byte_level())


@pytest.fixture
def vectors(tmp_path):
    file = tmp_path / "vectors.txt"
    lines = line("black_box", BLACK_BOX) + line("pé de moleque", MOLEQUE)
    file.write_text(lines, encoding="utf-8")
    return str(file)


def standardised(vector):
    """What layer normalisation without weights makes of it."""
    return (vector - vector.mean()) / vector.std()


def spans(model, sentences, places):
    encoder = span_encoder(model, show_progress_bar=False)
    return encoder.encode_spans(sentences, places)


def one_span(model, sentence, start, end):
    """The vector of a span of words, from `start` to before `end`."""
    return spans(model, [sentence], [(start, end)])[0]


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_compound_is_a_token_with_its_vector_and_the_words_around_it_stay_as_they_were(
    kind, vectors, request
):
    """Also their tokens: no blank is left over, which in a byte-level vocabulary would be one."""
    folder = request.getfixturevalue(kind)
    model = InjectedTransformer(folder, injected=vectors)
    plain = transformers.AutoTokenizer.from_pretrained(folder)
    with_black_boxes, _, with_moleque, with_blackest = SENTENCES
    found = spans(
        model,
        [with_black_boxes, with_black_boxes, with_moleque],
        [(1, 3), (9, 11), (1, 4)],
    )
    black_box = standardised(BLACK_BOX)
    expected = [black_box, black_box, standardised(MOLEQUE)]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert model.tokenizer.tokenize(with_black_boxes) == [
        *plain.tokenize("the"),
        " black box",
        *plain.tokenize(" stood in a corner , a"),
        " black box",
        *plain.tokenize(" !"),
    ]
    # not inside words
    assert model.tokenizer.tokenize(with_blackest) == plain.tokenize(with_blackest)


def test_case_is_the_tokenizers(bert, roberta, vectors):
    black_box = standardised(BLACK_BOX)
    without_case = InjectedTransformer(bert, injected=vectors)
    with_case = InjectedTransformer(roberta, injected=vectors)
    found = one_span(without_case, "BLACK Box stood", 0, 2)
    np.testing.assert_allclose(found, black_box, atol=1e-5)
    found = one_span(with_case, "BLACK Box stood", 0, 2)
    assert not np.allclose(found, black_box, atol=1e-2)


def test_sentence_vectors_see_one_token(bert, vectors):
    model = InjectedTransformer(bert, injected=vectors, pooling="mean_last4_words")
    the = one_span(model, "the", 0, 1)
    black_box = standardised(BLACK_BOX)
    with_article, alone = model.encode_sentences(
        ["the black box", "black box"], show_progress_bar=False
    )
    np.testing.assert_allclose(with_article, (the + black_box) / 2, atol=1e-5)
    np.testing.assert_allclose(alone, black_box, atol=1e-5)


def test_forms_of_a_compound_get_its_vector_unless_they_have_their_own(bert, vectors, tmp_path):
    black_box = standardised(BLACK_BOX)
    sentence = SENTENCES[1]
    model = InjectedTransformer(bert, injected=vectors)
    before = one_span(model, sentence, 0, 2)
    assert not np.allclose(before, black_box, atol=1e-2)
    forms = {
        "black boxes": "black box",
        "black-box": "black box",
        "box": "box",
        "boxes": "box",
        "pé de moleque": "pé",
    }
    assert model.add_compounds(forms) == ["box"]
    assert model.add_compounds(forms) == ["box"]
    found = spans(model, [sentence] * 2, [(0, 2), (4, 5)])
    np.testing.assert_allclose(found, [black_box] * 2, atol=1e-5)

    own = tmp_path / "own.txt"
    lines = line("black box", BLACK_BOX) + line("black boxes", MOLEQUE)
    own.write_text(lines, encoding="utf-8")
    model = InjectedTransformer(bert, injected=str(own))
    model.add_compounds({"Black Boxes": "black box"})
    found = one_span(model, sentence, 0, 2)
    np.testing.assert_allclose(found, standardised(MOLEQUE), atol=1e-5)


def test_tokens_of_the_tokenizer_keep_their_vectors(bert, tmp_path, caplog):
    file = tmp_path / "v.txt"
    lines = line("box", BLACK_BOX) + line("black box", MOLEQUE)
    file.write_text(lines, encoding="utf-8")
    model = InjectedTransformer(bert, injected=str(file))
    assert (
        "1 expressions are tokens already and keep their own vectors, for example 'box'"
        in caplog.text
    )
    found = one_span(model, "the box", 1, 2)
    assert not np.allclose(found, standardised(BLACK_BOX), atol=1e-2)
    assert model.add_compounds({"box": "box"}) == ["box"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 8\n", r"v\.txt holds no vectors"),
        (line("black box", range(7)), r"v\.txt, line 1: could not convert string to float: 'box'"),
        (line("", range(8)), r"v\.txt, line 1: not a word and 8 finite numbers"),
        (
            line("a b", range(8)) + line("c d", [*range(7), float("nan")]),
            r"v\.txt, line 2: not a word",
        ),
        (
            line("a b", range(8)) + line("A_b", range(8)),
            r"v\.txt, line 2: 'A b' is in line 1 already",
        ),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_line(bert, tmp_path, text, message):
    file = tmp_path / "v.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        InjectedTransformer(bert, injected=str(file))


def test_names_and_revisions(bert, vectors, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "vectors.txt"
    other.write_text(line("black box", MOLEQUE), encoding="utf-8")

    def meta_of(options):
        return mteb.get_model(f"{bert} ({options})").mteb_model_meta

    first = meta_of(f"injected={vectors}")
    pooled = meta_of(f"pooling=cls, injected={vectors}")
    changed = meta_of(f"injected={other}")
    assert first.name == changed.name == "local/tiny-bert (injected=vectors.txt)"
    assert pooled.name == "local/tiny-bert (pooling=cls, injected=vectors.txt)"
    assert first.revision == pooled.revision != changed.revision
    with pytest.raises(
        FileNotFoundError, match=r"tiny-bert \(injected=gone.txt\): there is no file gone.txt"
    ):
        mteb.get_model(f"{bert} (injected=gone.txt)")


@pytest.mark.slow
def test_a_task_gives_what_is_known_in_closed_form(tmp_path, monkeypatch, without_baselines):
    """All words have one vector, half of the compounds another, and the cosine of the two
    is 0.5.
    """
    folder = save(tmp_path / "one-vector-bert", wordpiece())
    model = transformers.BertModel.from_pretrained(folder)
    word = standardised(np.array([1.0, 0, 1, 0, 1, 0, 1, 0]))
    compound = standardised(np.array([1.0, 1, 0, 0, 1, 0, 1, 0]))
    assert word @ compound / 8 == pytest.approx(0.5)
    with torch.no_grad():
        words = model.embeddings.word_embeddings.weight
        words.copy_(torch.tensor(word).expand(len(words), -1))
    model.save_pretrained(folder)
    rows = load_dataset("compound_mini", split="naturalistic").to_list()
    compounds = sorted({row["compound"] for row in rows})
    with_vector = compounds[::2]
    lines = [line(each, compound) for each in with_vector]
    (tmp_path / "bertram.txt").write_text("".join(lines), "utf-8")

    monkeypatch.chdir(tmp_path)
    task = "NounCompoundAffinityMini"
    injected = mteb.get_model("one-vector-bert (injected=bertram.txt)")
    (scores,) = entries_of(injected, task, tmp_path).values()
    (result,) = tmp_path.rglob(f"{task}.json")
    assert result.parts[-3] == "local__one-vector-bert_(injected=bertram.txt)"
    assert len(with_vector) == 60
    assert scores["n_compounds_without_vector"] == 120 - 60
    items = read_result(result)[0].items().to_pandas()
    is_span = items["level"] == "span"
    is_synonym = items["probe"] == "syn"
    items = items[is_span & is_synonym].to_dict("records")
    assert len(items) == len(rows)
    for item in items:
        expected = 0.5 if item["compound"] in with_vector else 1
        assert item["similarity"] == pytest.approx(expected, abs=1e-5), item
