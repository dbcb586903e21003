"""Writes docs/models.md from models.yaml: `python -m harness_ext.documentation.models_page > docs/models.md`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from harness_ext.encoders.registry import MODELS, PAPER_MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTRODUCTION = """# The papers' models

Written by `python -m harness_ext.documentation.models_page > docs/models.md`; change `harness_ext/encoders/models.yaml`
instead.

Every model is run as any other model of mteb, with its name in quotation marks where it has a blank. Which of them
has metadata in mteb itself, and which in this project, makes no difference to the commands. Instruction-tuned models
(E5, QWEN3, NV-Embed, stella) get the task's prompt through mteb; the others get the bare text. At span level no model
gets a prompt.

Static vectors are read from a file, never downloaded. Set `HARNESS_EXT_VECTORS` to the folder that the file lies in
(several folders: separated as in `PATH`); gensim's data folder is looked in too. They need
`pip install "compositionality-harness[static]"`. Words are looked up as written, then in lower case; unknown words are
ignored.

ELMo, the Universal Sentence Encoder and BERTRAM are not here: there is no maintained checkpoint of them that runs in
the environment of mteb.
"""

_SECTIONS = {
    "EPS": (
        "ε-compositionality",
        "The rows of Table 1, with the checkpoints that the paper names. `cls` is the last hidden state of [CLS]; "
        "`cls+sep` the sum of those of [CLS] and [SEP]; `mean_last4` the mean over all tokens and the last four "
        "layers.",
        "EpsilonCompositionality",
    ),
    "noun compounds": (
        "Idiomaticity of noun compounds",
        "At span level these are what the two papers on noun compounds use: the last four layers of the words' tokens. "
        "As sentence vectors they are pooled over all tokens.",
        "NounCompoundAffinity NounCompoundScaledSimilarity",
    ),
    "other": (
        "Other models of the papers",
        "Where a paper names a family only, or several sizes, the checkpoint is this project's choice.",
        "NounCompoundAffinity NounCompoundScaledSimilarity",
    ),
}


def render() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    ours = {meta.name for meta in MODELS}
    yield _INTRODUCTION.rstrip()
    for paper, entries in groupby(PAPER_MODELS.items(), key=lambda entry: entry[1][1]):
        title, text, tasks = _SECTIONS[paper]
        yield from ("", f"## {title}", "", text, "", "| model | metadata | command |", "| --- | --- | --- |")
        for name, (label, _) in entries:
            quoted = f'"{name}"' if " " in name else name
            origin = "this project" if name in ours else "mteb"
            yield f"| {label} | {origin} | `mteb run -m {quoted} -t {tasks}` |"
    yield from (
        "",
        "## Any other checkpoint",
        "",
        "```python",
        "import mteb",
        "from harness_ext.encoders.pooled import PooledTransformer",
        "",
        'model = PooledTransformer("FacebookAI/roberta-base", pooling="cls+sep")',
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


if __name__ == "__main__":
    print(render(), end="")
