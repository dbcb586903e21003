"""The model with token vectors is found in whatever wraps it; where there is none, nothing is."""

from types import SimpleNamespace

import mteb
import numpy as np
import transformers
from mteb.models import CachedEmbeddingWrapper, SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.spans import span_encoder
from harness_ext.encoders.wrappers import unwrapped
from tests.encoders.tiny_transformers import (
    LONG,
    SENTENCES,
    SPANS,
    quiet,
    reference,
    tiny,
    tiny_t5,
)


class TestUnwrapping:
    def test_a_language_model_without_its_head(self):
        gpt = tiny("GPT-2")
        with_head = transformers.GPT2LMHeadModel(gpt.model.config)
        with_head.transformer.load_state_dict(gpt.model.state_dict())
        with_head.lm_head.forward = None  # not to be called
        inside = SimpleNamespace(model=with_head, tokenizer=gpt.tokenizer)
        wrapper = SimpleNamespace(model=inside)
        found = quiet(wrapper).encode_spans(SENTENCES, SPANS)
        expected = quiet(gpt).encode_spans(SENTENCES, SPANS)
        np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_the_encoder_of_an_encoder_decoder(self):
        t5 = tiny_t5()
        alone = SimpleNamespace(model=t5.model.encoder, tokenizer=t5.tokenizer)
        expected = []
        for sentence, span in zip(SENTENCES, SPANS, strict=True):
            expected.append(reference(alone, sentence, span))
        found = quiet(t5).encode_spans(SENTENCES, SPANS)
        np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_mtebs_sentence_transformer_is_opened_not_loaded_again(
        self, tmp_path, monkeypatch, caplog
    ):
        bert = tiny("BERT")
        bert.model.save_pretrained(tmp_path / "bert")
        bert.tokenizer.save_pretrained(tmp_path / "bert")
        model = SentenceTransformer(str(tmp_path / "bert"), device="cpu")
        model.max_seq_length = 20
        wrapped = SentenceTransformerEncoderWrapper(model)
        for class_ in (transformers.PreTrainedModel, transformers.PreTrainedTokenizerBase):
            monkeypatch.setattr(class_, "from_pretrained", None)
        sentences = SENTENCES[:1]
        spans = SPANS[:1]
        expected = quiet(bert).encode_spans(sentences, spans)
        cached = CachedEmbeddingWrapper(wrapped, tmp_path / "cache")
        for wrapper in (model, wrapped, cached):
            found = quiet(wrapper).encode_spans(sentences, spans)
            np.testing.assert_allclose(found, expected, atol=1e-6)
        quiet(wrapped).encode_spans([LONG], [(30, 31)])
        assert "20 tokens" in caplog.text  # the model's own limit, as in a plain encode

    def test_none_where_there_are_no_token_vectors(self):
        random_encoder = mteb.get_model("mteb/baseline-random-encoder")
        assert span_encoder(random_encoder) is None
        endpoint = SimpleNamespace(client=object(), model="text-embedding-3-large")
        assert span_encoder(endpoint) is None

    def test_wrappers_that_hold_each_other_or_make_up_whatever_they_are_asked_for_end(self):
        class MakesUp:
            def __getattr__(self, name):
                return MakesUp()

        one = SimpleNamespace()
        other = SimpleNamespace(model=one)
        one.model = other
        assert span_encoder(one) is None
        assert len(list(unwrapped(MakesUp()))) < 100
