"""Draws docs/epsilon.svg: ε-compositionality on one sentence with *black box*. `make docs` runs it.

The distances are those of sentence-transformers/all-MiniLM-L6-v2; tests/test_docs.py computes them.
"""

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

SENTENCE = (
    "Search teams combed the ocean floor for weeks before they found the black {} under a torn "
    "wing."
)
DISTANCES = {
    ("box", "crate"): (0.432, 0.110),
    ("crate", "carton"): (0.661, 0.139),
}
"""Two words -> the distance between them alone, and that between the sentences with them."""

ABOUT = ("its own word for a synonym", "one synonym for another")
"""What is exchanged in each of the two."""

HEIGHTS = (1.1, 0)
"""Where their bars stand."""

CENTERED = {"ha": "center", "va": "center", "fontsize": 9}

ALONE = "#9ecae1"
IN_SENTENCE = "#08519c"
INK = "#222222"


def draw(path: Path) -> None:
    """Write the picture, on white, so that it can be read on a dark page too."""
    mpl.rcParams |= {
        "svg.hashsalt": "epsilon",
        "font.size": 11,
        "text.color": INK,
        "font.family": "DejaVu Sans",
    }
    figure, axes = plt.subplots(figsize=(9.4, 3.9), facecolor="white")
    axes.set(xlim=(-0.42, 1.02), ylim=(-1.5, 2.35))
    axes.axis("off")
    axes.text(-0.42, 2.1, SENTENCE.format("▢"), style="italic")
    for y, about, words in zip(HEIGHTS, ABOUT, DISTANCES, strict=True):
        word, other = words
        alone, in_sentence = DISTANCES[words]
        axes.text(-0.42, y + 0.1, f"{word} → {other}", weight="bold", va="center")
        axes.text(-0.42, y - 0.22, about, fontsize=9, va="center")
        axes.barh(y, alone, height=0.62, color=ALONE)
        axes.barh(y, in_sentence, height=0.62, color=IN_SENTENCE)
        axes.text(in_sentence / 2, y, f"{in_sentence:.3f}", color="white", **CENTERED)
        axes.text((in_sentence + alone) / 2, y, f"{alone:.3f}", **CENTERED)
        ratio = in_sentence / alone
        formula = f"ε = {in_sentence:.3f} / {alone:.3f} − 1 = {ratio - 1:.2f}"
        axes.text(alone + 0.02, y, formula.replace("-", "−"), va="center")
    axes.text(0, 1.62, "distance in the sentence", color=IN_SENTENCE, fontsize=9)
    axes.text(0.34, 1.62, "distance of the bare words", color="#4292c6", fontsize=9)
    axes.text(
        -0.42,
        -1.45,
        "Within the sentence, exchanging the compound's own word leaves more of its distance than "
        "exchanging one\nsynonym for another: here black box means more than black and box. Over "
        "all compounds, sentences and pairs\nof synonyms, the ranks of these differences give the "
        "rank share: above .5 where the words do not explain it.",
        fontsize=9.5,
        linespacing=1.4,
    )
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", pad_inches=0.15)


if __name__ == "__main__":
    draw(Path(__file__).with_name("epsilon.svg"))
