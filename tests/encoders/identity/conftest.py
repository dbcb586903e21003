"""Models with random weights that tests of their identity save into folders."""

from __future__ import annotations

import mteb
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.trainers import WordLevelTrainer
from transformers import BertConfig, BertModel

from tests.encoders.tiny_transformers import BERT_LIKE, SPECIAL, fast


@pytest.fixture(scope="module")
def words():
    """A tokenizer with all words of the small task."""
    task = mteb.get_task("EpsilonCompositionalityMini")
    task.load_data()
    tokenizer = Tokenizer(WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    trainer = WordLevelTrainer(special_tokens=SPECIAL, show_progress=False)
    rows = task.dataset["naturalistic"]
    texts = [*rows["sentence"], *(synonym["sentence"] for row in rows["words_syn"] for synonym in row)]
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


@pytest.fixture
def save_static(words):
    """Saves a sentence-transformers model of random word vectors."""

    def save(folder, seed):
        torch.manual_seed(seed)
        model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=16)], device="cpu")
        model.save(str(folder))
        return str(folder)

    return save


@pytest.fixture
def save_bert(words):
    """Saves a plain random BERT, and as a sentence-transformers model, in the folder's `plain` and `st`."""

    def save(folder, seed):
        torch.manual_seed(seed)
        config = BertConfig(vocab_size=words.get_vocab_size(), hidden_size=16, num_hidden_layers=4,
                            num_attention_heads=2, intermediate_size=16, max_position_embeddings=64)  # fmt: skip
        BertModel(config).save_pretrained(folder / "plain")
        fast(words, BERT_LIKE).save_pretrained(folder / "plain")
        modules = [Transformer(str(folder / "plain")), Pooling(16, "mean")]
        SentenceTransformer(modules=modules, device="cpu").save(str(folder / "st"))
        return folder

    return save
