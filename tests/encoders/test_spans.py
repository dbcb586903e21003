"""Span vectors against a slow, obvious reference, on tiny random models with tokenizers trained here."""

import re
from functools import cache
from types import SimpleNamespace

import mteb
import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from mteb.models import CachedEmbeddingWrapper, SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers import models as tokenizer_models
from tokenizers import trainers as tokenizer_trainers
from transformers import PreTrainedTokenizerFast

from harness_ext.encoders import transformer
from harness_ext.encoders.models.pooled import PooledTransformer
from harness_ext.encoders.spans import LAST_FOUR, SpanEncoder, span_encoder
from harness_ext.encoders.texts import EncodingError
from harness_ext.encoders.transformer import unwrapped

SENTENCES = [
    "the black box stood in the corner of the room .",
    "A Black Box is not always a black box , said the engineer .",
    "nobody could read the crocodile tears of the old politician",
    "Ele comeu um pé de moleque na praça ontem à noite .",
    "short one",
    "the unbelievably long-winded spokesperson (of the committee) re-examined twenty-three over-complicated arguments",
    "black box",
    "« piece of cake » was what she'd call it ; it isn't .",
]
SPANS = [(1, 3), (7, 9), (4, 6), (3, 6), (0, 2), (1, 3), (0, 1), (1, 4)]
CORPUS = [*SENTENCES, *(word for sentence in SENTENCES for word in sentence.split())] * 3
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece():
    tokenizer = Tokenizer(tokenizer_models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = tokenizer_trainers.WordPieceTrainer(vocab_size=160, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def byte_level(add_prefix_space):
    tokenizer = Tokenizer(tokenizer_models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = tokenizer_trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def unigram():
    tokenizer = Tokenizer(tokenizer_models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = tokenizer_trainers.UnigramTrainer(
        vocab_size=150, special_tokens=SPECIAL, unk_token="[UNK]", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def sentencepiece_bpe():
    """As Llama's: no pre-tokenizer, the blank is a letter like others."""
    tokenizer = Tokenizer(tokenizer_models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trainer = tokenizer_trainers.BpeTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False)
    words = [word for sentence in SENTENCES for word in sentence.split()] * 3
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def fast(tokenizer, template=None, pad=True, **kwargs):
    if template:
        ids = [(token, tokenizer.token_to_id(token)) for token in SPECIAL]
        tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
        kwargs |= {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    if pad:
        kwargs["pad_token"] = "[PAD]"
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", model_max_length=120, **kwargs)


SMALL = {
    "vocab_size": 500,
    "hidden_size": 32,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
}
TOKENS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
BERT_LIKE = "[CLS] $A [SEP]"
MODELS = {
    "BERT": (lambda: transformers.BertConfig(**SMALL), lambda: fast(wordpiece(), BERT_LIKE)),
    "ModernBERT": (
        lambda: transformers.ModernBertConfig(**SMALL, **TOKENS, cls_token_id=2, sep_token_id=3, local_attention=8),
        lambda: fast(byte_level(add_prefix_space=False), BERT_LIKE),
    ),
    "DeBERTa-v3": (
        lambda: transformers.DebertaV2Config(
            **SMALL,
            type_vocab_size=0,
            relative_attention=True,
            position_buckets=16,
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
        ),
        lambda: fast(unigram(), BERT_LIKE),
    ),
    "GPT-2": (
        lambda: transformers.GPT2Config(vocab_size=500, n_embd=32, n_layer=5, n_head=4, n_positions=128),
        lambda: fast(byte_level(add_prefix_space=False), pad=False),
    ),
    "GPT-2, prefix space": (
        lambda: transformers.GPT2Config(vocab_size=500, n_embd=32, n_layer=5, n_head=4, n_positions=128),
        lambda: fast(byte_level(add_prefix_space=True)),
    ),
    "Llama": (
        lambda: transformers.LlamaConfig(**SMALL, num_key_value_heads=2),
        lambda: fast(sentencepiece_bpe(), "[CLS] $A", pad=False),
    ),
    "Qwen3": (
        lambda: transformers.Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=8),
        lambda: fast(byte_level(add_prefix_space=False), "$A [SEP]"),
    ),
    "XLM-R": (
        lambda: transformers.XLMRobertaConfig(**SMALL, **TOKENS),
        lambda: fast(unigram(), BERT_LIKE),
    ),
}


@cache
def tiny(name):
    """An object as plain as can be: a model and a tokenizer."""
    config, tokenizer = MODELS[name]
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config()).eval().double()  # so that a batch rounds nothing
    with torch.no_grad():
        for parameter in model.parameters():  # freshly made layers are too small for differences to show
            parameter.mul_(3)
    return SimpleNamespace(model=model, tokenizer=tokenizer())


def reference(encoder, sentence, span, layers=LAST_FOUR, concatenate=False):
    """One sentence, no padding; the tokens of a word are found by tokenizing it alone, not by offsets."""
    tokenizer = encoder.tokenizer
    backend = tokenizer.backend_tokenizer
    byte_level_without_prefix = (
        isinstance(backend.pre_tokenizer, pre_tokenizers.ByteLevel) and not backend.pre_tokenizer.add_prefix_space
    )
    pieces, owners = [], []
    for number, word in enumerate(sentence.split()):
        text = " " + word if byte_level_without_prefix and number else word
        tokens = tokenizer.tokenize(text)
        pieces += tokens
        owners += [None if token in {"▁", "Ġ"} else number for token in tokens]
    assert pieces == tokenizer.tokenize(sentence)
    encoded = tokenizer(sentence, return_tensors="pt")
    ids = encoded.input_ids[0].tolist()
    before = 1 if ids[0] == tokenizer.cls_token_id and tokenizer.cls_token_id is not None else 0
    chosen = [before + index for index, owner in enumerate(owners) if owner is not None and span[0] <= owner < span[1]]
    with torch.no_grad():
        output = encoder.model(**{"input_ids": encoded.input_ids}, output_hidden_states=True)
        states = (*output.hidden_states[:-1], output.last_hidden_state)  # ModernBERT normalised it only there once
    vectors = [states[layer][0, chosen].mean(dim=0) for layer in layers]
    return (torch.cat(vectors) if concatenate else torch.stack(vectors).mean(dim=0)).numpy()


def quiet(model, **kwargs):
    return span_encoder(model, show_progress_bar=False, **kwargs)


@pytest.fixture(params=MODELS)
def encoder(request):
    return tiny(request.param)


def test_equal_to_the_reference(encoder):
    found = quiet(encoder).encode_spans(SENTENCES, SPANS)
    expected = [reference(encoder, sentence, span) for sentence, span in zip(SENTENCES, SPANS, strict=True)]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found).max() > 0.1  # so that 1e-5 says something


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_mean_over_words_equals_the_reference(encoder, batch_size, tmp_path):
    encoder.model.save_pretrained(tmp_path)
    encoder.tokenizer.save_pretrained(tmp_path)
    model = PooledTransformer(str(tmp_path), device="cpu", pooling="mean_last4_words")
    found = model.encode_sentences(SENTENCES, batch_size=batch_size, show_progress_bar=False)
    words = [[(number, number + 1) for number in range(len(sentence.split()))] for sentence in SENTENCES]
    expected = [
        np.mean([reference(encoder, sentence, word) for word in spans], axis=0)
        for sentence, spans in zip(SENTENCES, words, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found).max() > 0.1


def test_concatenated_layers_equal_the_reference(encoder):
    found = quiet(encoder, layer_pooling="concatenate", layers=(-1, 2)).encode_spans(SENTENCES, SPANS)
    expected = [
        reference(encoder, sentence, span, layers=(-1, 2), concatenate=True)
        for sentence, span in zip(SENTENCES, SPANS, strict=True)
    ]
    assert found.shape == (len(SENTENCES), 64)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_batches_padding_side_and_order_change_nothing(encoder, side, batch_size, monkeypatch):
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    monkeypatch.setattr(encoder.tokenizer, "padding_side", side)
    order = np.random.default_rng(batch_size).permutation(len(SENTENCES))
    found = quiet(encoder, batch_size=batch_size).encode_spans(
        [SENTENCES[row] for row in order], [SPANS[row] for row in order]
    )
    np.testing.assert_allclose(found, expected[order], atol=1e-5)


@pytest.mark.slow
def test_every_single_word_of_every_sentence(encoder):
    places = [(sentence, number) for sentence in SENTENCES for number in range(len(sentence.split()))]
    found = quiet(encoder).encode_spans([sentence for sentence, _ in places], [(n, n + 1) for _, n in places])
    expected = [reference(encoder, sentence, (number, number + 1)) for sentence, number in places]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_batch_is_split_when_its_hidden_states_would_be_large(monkeypatch):
    bert = tiny("BERT")
    expected = quiet(bert).encode_spans(SENTENCES, SPANS)
    monkeypatch.setattr(transformer, "_HIDDEN_STATES_BYTES", 1)
    sizes = []
    hook = bert.model.register_forward_pre_hook(
        lambda _, args, kwargs: sizes.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    found = quiet(bert).encode_spans(SENTENCES, SPANS)
    hook.remove()
    assert sizes == [1] * len(SENTENCES)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_equal_sentences_are_run_once():
    bert = tiny("BERT")
    rows = []
    hook = bert.model.register_forward_pre_hook(
        lambda _, args, kwargs: rows.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    found = quiet(bert, batch_size=2).encode_spans([SENTENCES[0]] * 5 + [SENTENCES[4]], [(1, 3)] * 4 + [(0, 1), (0, 2)])
    hook.remove()
    assert sum(rows) == 2
    assert (found[:4] == found[0]).all()
    assert not np.allclose(found[4], found[0])


def test_of_words_that_occur_twice_the_place_counts():
    bert = tiny("BERT")
    sentence = SENTENCES[1]
    first, second = quiet(bert).encode_spans([sentence] * 2, [(1, 3), (7, 9)])
    assert not np.allclose(first, second, atol=1e-3)
    np.testing.assert_allclose(second, reference(bert, sentence, (7, 9)), atol=1e-5)


def test_lower_casing_models_see_no_case():
    encode = quiet(tiny("BERT")).encode_spans
    np.testing.assert_allclose(
        encode(["The BLACK Box Stood ."], [(1, 3)]), encode(["the black box stood ."], [(1, 3)]), atol=1e-6
    )
    # the normalizer takes off accents and splits İ in two: places still are those of the text
    np.testing.assert_allclose(encode(["İ É black box ."], [(2, 4)]), encode(["i e black box ."], [(2, 4)]), atol=1e-6)


def test_sentence_transformers_older_lower_casing():
    bert = tiny("XLM-R")
    lower = SimpleNamespace(auto_model=bert.model, tokenizer=bert.tokenizer, max_seq_length=50, do_lower_case=True)
    np.testing.assert_allclose(
        quiet(lower).encode_spans(["The BLACK Box ."], [(1, 3)]),
        quiet(bert).encode_spans(["the black box ."], [(1, 3)]),
        atol=1e-6,
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="abckoxABÉß-'.,", min_size=1, max_size=8), min_size=1, max_size=8), st.data())
def test_any_words_and_blanks(words, data):
    blanks = data.draw(st.lists(st.sampled_from([" ", "  ", "\t"]), min_size=len(words), max_size=len(words)))
    start = data.draw(st.integers(0, len(words) - 1))
    bert = tiny("BERT")
    text = "".join(blank + word for blank, word in zip(blanks, words, strict=True))
    found = quiet(bert).encode_spans([text], [(start, start + 1)])
    np.testing.assert_allclose(found[0], reference(bert, text, (start, start + 1)), atol=1e-5)


LONG = " ".join(["the black box"] * 60)


@pytest.mark.parametrize("name", MODELS)
def test_a_span_beyond_the_models_limit_has_no_vector_and_one_before_it_has(name, caplog):
    encoder = quiet(tiny(name))
    before, beyond = encoder.encode_spans([LONG, LONG], [(1, 3), (178, 180)])
    assert before.any()
    assert not beyond.any()
    (message,) = caplog.messages
    assert "1 of 2 words in sentences are left out, because they are cut off" in message
    assert re.search(r"span \(178, 180\) \('black box'\) of 'the black .* 120 tokens", message)
    assert not encoder.encode_spans([LONG], [(178, 180)]).any()  # nothing else in the batch


def test_a_word_of_which_only_some_tokens_are_left_is_cut_off():
    bert = tiny("BERT")
    words = "the " * 117 + "unbelievably"  # 119 tokens with [CLS] and [SEP], and then several
    assert len(bert.tokenizer.tokenize("unbelievably")) > 1
    assert not quiet(bert).encode_spans([words], [(117, 118)]).any()


def test_truncation_on_the_left_cuts_off_the_beginning(monkeypatch):
    bert = tiny("BERT")
    monkeypatch.setattr(bert.tokenizer, "truncation_side", "left")
    assert not quiet(bert).encode_spans([LONG], [(1, 3)]).any()
    assert np.isfinite(quiet(bert).encode_spans([LONG], [(178, 180)])).all()


def test_positions_that_roberta_reserves_are_not_used(monkeypatch, caplog):
    roberta = tiny("XLM-R")  # 128 positions
    monkeypatch.setattr(roberta.tokenizer, "model_max_length", 10**30)
    quiet(roberta).encode_spans([LONG], [(178, 180)])
    assert "127 tokens" in caplog.text  # position 0 stands for padding


@pytest.mark.parametrize("span", [(2, 2), (-1, 1), (0, 3), (3, 2)])
def test_a_span_that_is_none_is_an_error(span):
    with pytest.raises(EncodingError, match=re.escape(f"The span {span} is outside the 2 words of 'short one'")):
        quiet(tiny("BERT")).encode_spans(["short one"], [span])


def test_a_word_without_a_token_is_an_error():
    with pytest.raises(EncodingError, match=r"span \(1, 3\).*no token of '\\u200b'"):
        quiet(tiny("BERT")).encode_spans(["a \u200b b"], [(1, 3)])


def test_a_token_of_two_words_is_an_error():
    tokenizer = Tokenizer(tokenizer_models.BPE(unk_token="[UNK]"))  # no pre-tokenizer: merges run over blanks
    trainer = tokenizer_trainers.BpeTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(["black box"] * 50, trainer)
    encoder = quiet(SimpleNamespace(model=tiny("BERT").model, tokenizer=fast(tokenizer)))
    assert np.isfinite(encoder.encode_spans(["black box"], [(0, 2)])).all()
    with pytest.raises(EncodingError, match=r"'black box' belongs to a word beside it too"):
        encoder.encode_spans(["black box"], [(1, 2)])


def test_as_many_spans_as_sentences():
    with pytest.raises(ValueError, match="2 sentences for 1 spans"):
        quiet(tiny("BERT")).encode_spans(["a b", "c"], [(0, 1)])


def test_no_sentences_give_no_vectors():
    assert quiet(tiny("BERT")).encode_spans([], []).shape == (0, 32)
    assert quiet(tiny("BERT"), layer_pooling="concatenate").encode_spans([], []).shape == (0, 128)


def test_nan_from_half_precision_is_an_error_that_says_so():
    config, tokenizer = MODELS["BERT"]
    model = transformers.AutoModel.from_config(config()).half()
    with torch.no_grad():
        model.encoder.layer[1].intermediate.dense.bias.fill_(60000)
        model.encoder.layer[1].output.dense.weight.fill_(1)  # the sum overflows: the largest half is 65504
    with pytest.raises(EncodingError, match=r"NaN or infinite .* span \(0, 2\) of 'short one'.*half.*try float32"):
        quiet(SimpleNamespace(model=model, tokenizer=tokenizer())).encode_spans(["short one"], [(0, 2)])


def test_half_precision_is_averaged_in_full():
    config, tokenizer = MODELS["BERT"]
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config())
    encoder = SimpleNamespace(model=model, tokenizer=tokenizer())
    expected = quiet(encoder).encode_spans(SENTENCES, SPANS)
    model.to(torch.bfloat16)
    found = quiet(encoder).encode_spans(SENTENCES, SPANS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=0.05)
    assert not np.array_equal(found, torch.tensor(found).bfloat16().float().numpy())  # a mean of several


def test_a_slow_tokenizer_is_an_error_that_names_the_model():
    class Slow:
        is_fast = False
        model_max_length = 10

        def __call__(self, texts):
            raise AssertionError

    wrapper = SimpleNamespace(
        model=tiny("BERT").model, tokenizer=Slow(), mteb_model_meta=SimpleNamespace(name="some/model")
    )
    with pytest.raises(ValueError, match=r"some/model: Slow is a slow tokenizer.*use_fast=True"):
        span_encoder(wrapper)


def test_layers_that_are_not_there_are_an_error():
    assert quiet(tiny("BERT"), layers=(0, 5, -6)) is not None
    with pytest.raises(ValueError, match="has 5 hidden layers; there is no hidden state -7"):
        quiet(tiny("BERT"), layers=(-7,))
    with pytest.raises(ValueError, match="'mean' or 'concatenate', not 'max'"):
        quiet(tiny("BERT"), layer_pooling="max")


def test_dropout_is_off():
    bert = tiny("BERT")
    expected = quiet(bert).encode_spans(SENTENCES, SPANS)
    bert.model.train()
    np.testing.assert_array_equal(quiet(bert).encode_spans(SENTENCES, SPANS), expected)


def test_a_progress_bar_counts_the_distinct_sentences(capfd):
    span_encoder(tiny("BERT")).encode_spans(["short one"] * 3 + ["black box"], [(0, 1)] * 4)
    assert "2/2" in capfd.readouterr().err


class TestUnwrapping:
    def test_a_language_model_without_its_head(self):
        gpt = tiny("GPT-2")
        with_head = transformers.GPT2LMHeadModel(gpt.model.config)
        with_head.transformer.load_state_dict(gpt.model.state_dict())
        with_head.lm_head.forward = None  # not to be called
        wrapper = SimpleNamespace(_model=SimpleNamespace(model=with_head, tokenizer=gpt.tokenizer))
        np.testing.assert_allclose(
            quiet(wrapper).encode_spans(SENTENCES, SPANS), quiet(gpt).encode_spans(SENTENCES, SPANS), atol=1e-5
        )

    def test_the_encoder_of_an_encoder_decoder(self):
        config = transformers.T5Config(
            vocab_size=500, d_model=32, d_kv=8, d_ff=48, num_layers=5, num_decoder_layers=1, num_heads=4
        )
        torch.manual_seed(0)
        model, tokenizer = transformers.T5Model(config).eval(), fast(unigram(), "$A [SEP]")
        tokenizer.model_max_length = int(1e30)  # what transformers says of a tokenizer without a limit
        found = quiet(SimpleNamespace(model=model, tokenizer=tokenizer)).encode_spans(SENTENCES, SPANS)
        alone = SimpleNamespace(model=model.encoder, tokenizer=tokenizer)
        expected = [reference(alone, sentence, span) for sentence, span in zip(SENTENCES, SPANS, strict=True)]
        np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_mtebs_sentence_transformer_is_opened_not_loaded_again(self, tmp_path, monkeypatch, caplog):
        bert = tiny("BERT")
        bert.model.save_pretrained(tmp_path / "bert")
        bert.tokenizer.save_pretrained(tmp_path / "bert")
        model = SentenceTransformer(str(tmp_path / "bert"), device="cpu")
        model.max_seq_length = 20
        wrapped = SentenceTransformerEncoderWrapper(model)
        for class_ in (transformers.PreTrainedModel, transformers.PreTrainedTokenizerBase):
            monkeypatch.setattr(class_, "from_pretrained", None)
        expected = quiet(bert).encode_spans(SENTENCES[:1], SPANS[:1])
        for wrapper in (model, wrapped, CachedEmbeddingWrapper(wrapped, tmp_path / "cache")):
            found = quiet(wrapper).encode_spans(SENTENCES[:1], SPANS[:1])
            np.testing.assert_allclose(found, expected, atol=1e-6)
        quiet(wrapped).encode_spans([LONG], [(30, 31)])
        assert "20 tokens" in caplog.text  # the model's own limit, as in a plain encode

    def test_none_where_there_are_no_token_vectors(self):
        assert span_encoder(mteb.get_model("mteb/baseline-random-encoder")) is None
        assert span_encoder(SimpleNamespace(client=object(), model="text-embedding-3-large")) is None

    def test_a_model_with_the_method_is_its_own(self):
        class Planted:
            def encode_spans(self, sentences, spans):
                return np.zeros((len(spans), 2), dtype=np.float32)

        planted = Planted()
        assert isinstance(planted, SpanEncoder)
        assert span_encoder(planted) is planted

    def test_wrappers_that_hold_each_other_end(self):
        one, other = SimpleNamespace(), SimpleNamespace()
        one.model, other.model = other, one
        assert span_encoder(one) is None

    def test_a_wrapper_that_makes_up_whatever_it_is_asked_for_ends(self):
        class MakesUp:
            def __getattr__(self, name):
                return MakesUp()

        assert len(list(unwrapped(MakesUp()))) < 100
