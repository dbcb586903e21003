"""Tiny random models with tokenizers trained here, and a slow, obvious reference for their span
vectors.
"""

import string
from functools import cache, wraps
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers import models as tokenizer_models
from tokenizers import trainers as tokenizer_trainers
from transformers import PreTrainedTokenizerFast

from harness_ext.encoders.spans import LAST_FOUR, span_encoder
from tests.encoders.library_modules import Pooling, StaticEmbedding, Transformer

SENTENCES = [
    "the black box stood in the corner of the room .",
    "A Black Box is not always a black box , said the engineer .",
    "nobody could read the crocodile tears of the old politician",
    "Ele comeu um pé de moleque na praça ontem à noite .",
    "short one",
    "the unbelievably long-winded spokesperson (of the committee) re-examined twenty-three "
    "over-complicated arguments",
    "black box",
    "« piece of cake » was what she'd call it ; it isn't .",
]
SPANS = [
    (1, 3),
    (7, 9),
    (4, 6),
    (3, 6),
    (0, 2),
    (1, 3),
    (0, 1),
    (1, 4),
]
WORDS = " ".join(SENTENCES).split()
CORPUS = [*SENTENCES, *WORDS] * 3
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece():
    tokenizer = Tokenizer(tokenizer_models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = tokenizer_trainers.WordPieceTrainer(
        vocab_size=160, special_tokens=SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def byte_level():
    tokenizer = Tokenizer(tokenizer_models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
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
    one_blank = normalizers.Replace(" {2,}", " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), one_blank])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = tokenizer_trainers.UnigramTrainer(
        vocab_size=150,
        special_tokens=SPECIAL,
        unk_token="[UNK]",
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def sentencepiece_bpe():
    """As Llama's: no pre-tokenizer, the blank is a letter like others."""
    tokenizer = Tokenizer(tokenizer_models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Prepend("▁"),
            normalizers.Replace(" ", "▁"),
        ]
    )
    trainer = tokenizer_trainers.BpeTrainer(
        vocab_size=200,
        special_tokens=SPECIAL,
        show_progress=False,
    )
    tokenizer.train_from_iterator(WORDS * 3, trainer)
    return tokenizer


def letters():
    """Every character is a token, so that no two texts have the same tokens."""
    pieces = [*SPECIAL]
    for letter in string.printable:
        if letter.strip():
            pieces += [letter, f"##{letter}"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(tokenizer_models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def word_level(texts):
    """Every word of the texts is a token."""
    tokenizer = Tokenizer(tokenizer_models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = tokenizer_trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def fast(tokenizer, template=None, pad=True, **kwargs):
    if template:
        ids = [(token, tokenizer.token_to_id(token)) for token in SPECIAL]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=template, special_tokens=ids
        )
        kwargs |= {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    if pad:
        kwargs["pad_token"] = "[PAD]"
    # transformers 4 adds types of tokens to any
    inputs = {"model_input_names": ["input_ids", "attention_mask"]}
    options = {"model_max_length": 120, "unk_token": "[UNK]", **inputs, **kwargs}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


def random_model(config, seed=0, kind=transformers.AutoModel, scale=1):
    """A model of random weights."""
    torch.manual_seed(seed)
    model = kind.from_config(config)
    with torch.no_grad():
        # freshly made layers are too small for differences to show
        for parameter in model.parameters():
            parameter.mul_(scale)
    return model


def save(folder, config, tokenizer, **kwargs):
    """Save random weights and a tokenizer as a checkpoint, and return the folder; more as for
    `random_model`.
    """
    random_model(config, **kwargs).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def small_bert(tokenizer, **changes):
    """The configuration of a BERT of one layer for a tokenizer."""
    small = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    small |= {"vocab_size": tokenizer.get_vocab_size(), "max_position_embeddings": 64}
    return transformers.BertConfig(**{**small, **changes})


def save_bert(folder, kind=transformers.AutoModel, **changes):
    """Save a random BERT with a tokenizer that tells every two texts of our tasks apart, and return
    the folder.
    """
    config = small_bert(letters(), max_position_embeddings=256, **changes)
    tokenizer = fast(letters(), BERT_LIKE, model_max_length=256)
    return save(folder, config, tokenizer, kind=kind)


def save_pooled(folder, checkpoint):
    """Save a checkpoint as a model of sentence-transformers, and return the folder."""
    transformer = Transformer(checkpoint)
    pooled = Pooling(transformer.auto_model.config.hidden_size, "mean")
    model = SentenceTransformer(modules=[transformer, pooled], device="cpu")
    model.save(str(folder))
    return str(folder)


def save_static(folder, words, seed=0):
    """Save random vectors of words as a model of sentence-transformers, and return the folder."""
    torch.manual_seed(seed)
    vectors = StaticEmbedding(words, embedding_dim=16)
    model = SentenceTransformer(modules=[vectors], device="cpu")
    model.save(str(folder))
    return str(folder)


SMALL = {
    "vocab_size": 500,
    "hidden_size": 32,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
}
DEBERTA = {
    "relative_attention": True,
    "position_buckets": 16,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
TOKENS = {
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 3,
}
BERT_LIKE = "[CLS] $A [SEP]"


def bert():
    config = transformers.BertConfig(**SMALL)
    return config, fast(wordpiece(), BERT_LIKE)


def modern_bert():
    config = transformers.ModernBertConfig(
        **SMALL,
        **TOKENS,
        cls_token_id=2,
        sep_token_id=3,
        local_attention=8,
    )
    return config, fast(byte_level(), BERT_LIKE)


def deberta():
    config = transformers.DebertaV2Config(**SMALL, **DEBERTA)
    return config, fast(unigram(), BERT_LIKE)


def gpt_2():
    config = transformers.GPT2Config(
        vocab_size=500,
        n_embd=32,
        n_layer=5,
        n_head=4,
        n_positions=128,
    )
    return config, fast(byte_level(), pad=False)


def llama():
    config = transformers.LlamaConfig(**SMALL, num_key_value_heads=2)
    return config, fast(sentencepiece_bpe(), "[CLS] $A", pad=False)


def qwen_3():
    config = transformers.Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=8)
    return config, fast(byte_level(), "$A [SEP]")


def xlm_r():
    config = transformers.XLMRobertaConfig(**SMALL, **TOKENS)
    return config, fast(unigram(), BERT_LIKE)


MODELS = {
    "BERT": bert,
    "ModernBERT": modern_bert,
    "DeBERTa-v3": deberta,
    "GPT-2": gpt_2,
    "Llama": llama,
    "Qwen3": qwen_3,
    "XLM-R": xlm_r,
}
"""Functions that make a small configuration, and a tokenizer."""


def made(name):
    """A configuration of `MODELS`, and a tokenizer."""
    try:
        return MODELS[name]()
    except AttributeError:
        pytest.skip(f"transformers {transformers.__version__} has no {name}")


def check_takes_float64(name):
    """Skip a test where this version's model does not."""
    if name == "GPT-2" and transformers.__version__.startswith("4.42"):
        pytest.skip("GPT-2 of transformers 4.42 is not for float64")


@cache
def tiny(name):
    """An object as plain as can be: a model and a tokenizer."""
    check_takes_float64(name)
    config, tokenizer = made(name)
    model = random_model(config, scale=3).eval()
    model.double()  # so that a batch rounds nothing
    return SimpleNamespace(model=model, tokenizer=tokenizer)


@cache
def tiny_t5():
    """The same of an encoder-decoder, whose tokenizer has no limit: transformers says 10^30."""
    config = transformers.T5Config(
        vocab_size=500,
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=5,
        num_heads=4,
    )
    model = random_model(config).eval()
    tokenizer = fast(unigram(), "$A [SEP]", model_max_length=10**30)
    return SimpleNamespace(model=model, tokenizer=tokenizer)


def reference(encoder, sentence, span, layers=LAST_FOUR, concatenate=False):
    """One sentence, no padding; the tokens of a word are found by tokenizing it alone, not by
    offsets.
    """
    tokenizer = encoder.tokenizer
    is_byte_level = isinstance(tokenizer.backend_tokenizer.pre_tokenizer, pre_tokenizers.ByteLevel)
    pieces = []
    in_span = []
    for number, word in enumerate(sentence.split()):
        tokens = tokenizer.tokenize(" " + word if is_byte_level and number else word)
        pieces += tokens
        is_inside = span[0] <= number < span[1]
        in_span += [is_inside and token not in {"▁", "Ġ"} for token in tokens]
    assert pieces == tokenizer.tokenize(sentence)
    encoded = tokenizer(sentence, return_tensors="pt")
    first_id = encoded.input_ids[0, 0].item()
    if first_id == tokenizer.cls_token_id:
        in_span.insert(0, False)
    places = [place for place, is_chosen in enumerate(in_span) if is_chosen]
    with torch.no_grad():
        output = encoder.model(input_ids=encoded.input_ids, output_hidden_states=True)
        # ModernBERT normalised it only there once
        states = (*output.hidden_states[:-1], output.last_hidden_state)
    vectors = [states[layer][0, places].mean(dim=0) for layer in layers]
    if concatenate:
        return torch.cat(vectors).numpy()
    return torch.stack(vectors).mean(dim=0).numpy()


def mean_over_words(encoder, sentence, **options):
    """The mean of the references of all words of a sentence."""
    n_words = len(sentence.split())
    vectors = [reference(encoder, sentence, (word, word + 1), **options) for word in range(n_words)]
    return np.mean(vectors, axis=0)


@cache
def hidden_states(
    folder,
    text,
    kind=transformers.AutoModel,
    dtype="float32",
    **tokenizer_kwargs,
):
    """The hidden states of one text alone, so without padding, shape (layers, t, d)."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = kind.from_pretrained(folder).eval()
    model.to(getattr(torch, dtype))
    with torch.no_grad():
        encoded = tokenizer(text, return_tensors="pt", **tokenizer_kwargs)
        output = model(input_ids=encoded.input_ids, output_hidden_states=True)
        return torch.cat(output.hidden_states).numpy()


def pooled(states, pooling):
    """The vector of a text with these hidden states."""
    last = states[-1]
    places = np.arange(1, len(last) + 1)
    vectors = {
        "cls": last[0],
        "cls+sep": last[0] + last[-1],
        "last_token": last[-1],
        "mean": last.mean(axis=0),
        "mean_last4": states[-4:].mean(axis=(0, 1)),
        "weighted_mean": np.average(last, axis=0, weights=places),
    }
    return vectors[pooling]


def rows_seen(model):
    """The number of texts of each forward pass of a transformer, as they go through it."""
    plain = model.forward
    rows = []

    @wraps(plain)  # sentence-transformers calls it, and reads its parameters
    def forward(*args, **kwargs):
        rows.append(len(kwargs["input_ids"]))
        return plain(*args, **kwargs)

    model.forward = forward
    return rows


def quiet(model, **kwargs):
    return span_encoder(model, show_progress_bar=False, **kwargs)


LONG = " ".join(["the black box"] * 60)
