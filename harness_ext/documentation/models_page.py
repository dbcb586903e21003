"""The page docs/models.md, which `make docs` writes from models.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_ext.encoders.registry import MODELS, PAPER_MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTRODUCTION = """# The papers' models

Written by `make docs` from `harness_ext/encoders/models.yaml`; change that instead.

Those encoders of the papers whose checkpoint is known and can be had; where a paper leaves it open, its section says
so. Every model is run as any other model of mteb, with its name in quotation marks where it has a blank. Which of them
has metadata in mteb itself, and which in this project, makes no difference to the commands. Instruction-tuned models
(E5, QWEN3, NV-Embed, stella) get the task's prompt through mteb; the others get the bare text. At span level no model
gets a prompt.

Static vectors are read from a file, never downloaded. Set `HARNESS_EXT_VECTORS` to the folder that the file lies in
(several folders: separated as in `PATH`); gensim's data folder is looked in too. They need
`pip install gensim`. Words are looked up as written, then in lower case; unknown words are ignored.

ELMo, the Universal Sentence Encoder and BERTRAM are not here: there is no maintained checkpoint of them that runs in
the environment of mteb.
"""

_SECTIONS = {
    "EPS": (
        "ε-compositionality",
        "Wold, Simon, Velldal, Øvrelid: the rows of Table 1, with the checkpoints that the paper names. `cls` is the "
        "last hidden state of [CLS]; `cls+sep` the sum of those of [CLS] and [SEP]; `mean_last4` the mean over all "
        "tokens and the last four layers.",
        "EpsilonCompositionality",
    ),
    "NCIMP": (
        "Affinity and Scaled Similarity of noun compounds",
        "He et al. 2025. `mean_last4_words` is the paper's sentence vector: the mean over the words, without special "
        "tokens, of the mean over a word's tokens and the last four layers; at span level the pooling makes no "
        "difference. Where a model was run on one language only, the command says which. The checkpoints are those "
        "that the paper or its code names: of the Portuguese vectors the code loads those with 1000 dimensions, as "
        "files from NILC. SBERT ML is pooled like the rest in the paper's tables; its own sentence vector is in none.",
        "NounCompoundAffinity NounCompoundScaledSimilarity",
    ),
    "NCTTI": (
        "Type- and token-level idiomaticity",
        "Garcia et al. 2021. The vectors of words are those of the last four layers, one after another, which the task "
        "sees to; the pooling makes the sentence vectors only. The paper's other SBERT, DistilBERT and GloVe models "
        "are not listed: which checkpoints they are is not known.",
        "TypeTokenIdiomaticity",
    ),
    "MONT": (
        "Montague modifier consistency",
        "Carvalho et al. 2025, with the checkpoints that its code names. It encodes without prompts; NV-Embed and "
        "stella get the task's prompt here, so theirs are not the published protocol.",
        "MontagueConsistency",
    ),
    "PSS": (
        "Polarity sensitivity and tree reconstruction",
        "Bhathena, Willis, Dass 2020. The paper says BERT and no more: the checkpoint and its pooling are this "
        "project's choice.",
        "PolaritySensitivity TreeReconstruction",
    ),
}


def render() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    ours = {meta.name for meta in MODELS}
    yield _INTRODUCTION.rstrip()
    for paper, (title, text, tasks) in _SECTIONS.items():
        yield from ("", f"## {title}", "", text, "", "| model | metadata | command |", "| --- | --- | --- |")
        for label, name, language in PAPER_MODELS[paper]:
            quoted = f'"{name}"' if " " in name else name
            origin = "this project" if name in ours else "mteb"
            only = f" --languages {language}" if language else ""
            yield f"| {label} | {origin} | `mteb run -m {quoted} -t {tasks}{only}` |"
    yield from (
        "",
        "## Any other checkpoint",
        "",
        "A transformer on the Hub or in a folder of yours runs under its name or path with one of the poolings above:",
        "",
        '    mteb run -m "FacebookAI/roberta-base (pooling=cls+sep)" -t EpsilonCompositionality',
        '    mteb run -m "my/checkpoint (pooling=mean_last4_words)" -t NounCompoundAffinity',
        "",
        "Results of a folder are kept under `local/` and its name, with a hash of its files as revision. In Python, "
        "with all its options:",
        "",
        "```python",
        "import mteb",
        "from harness_ext.encoders.pooled import PooledTransformer",
        "",
        'model = PooledTransformer("FacebookAI/roberta-base", pooling="cls+sep", dtype="bfloat16")',
        'mteb.evaluate(model, mteb.get_tasks(tasks=["EpsilonCompositionality"]))',
        "```",
        "",
        "and for a file of word vectors in word2vec's binary format, gensim's own (`.kv`) or as text:",
        "",
        "```python",
        "from harness_ext.encoders.static import StaticVectors",
        "",
        'model = StaticVectors("cc.pt.300.vec.gz")',
        "```",
    )
