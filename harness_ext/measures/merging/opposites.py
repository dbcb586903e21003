"""Opposites at the threshold that keeps paraphrases together: how many are kept apart, and of which
kinds?
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Flags, Names
from harness_ext.data.rows import CAPTION_KINDS, SAME, MergeRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.scores import Axis, score
from harness_ext.measures.core.wording import CloserLook, Consequences, Wording
from harness_ext.measures.kinds.kind import KindItems
from harness_ext.measures.kinds.pair_classes import PairClasses, PairTable, percents
from harness_ext.statistics.statistic import UnitStatistic
from harness_ext.statistics.threshold import fewest_accepted

PERCENT = 90
"""How many percent of new paraphrases the threshold of the main score keeps."""

KIND = Axis(
    "kind",
    {
        "negation": "one sentence denies the other",
        "antonym": "a word is replaced by its opposite",
        "roles": "who does and who undergoes change places",
        "attributes": "two things exchange what is said of them",
        "number": "another number, date or amount",
        "entity": "another person, place or thing",
        "direction": "from … to … the other way round",
        "order": "before and after change places",
        "quantifiers": "all and some, at least and at most, always and sometimes",
        "conditions": "if, only if, unless, even if",
        "hedges": "may and must, probably and certainly",
        "scope": "more or fewer cases, the whole or a part",
        "update": "a fact, and what became of it later",
        **CAPTION_KINDS,
    },
)


@dataclass(frozen=True)
class Opposites(PairTable):
    """One row per pair of paraphrases or opposites."""

    source: Names = column(
        "What the pair was made from; pairs of one source are resampled together."
    )
    kind: Names = column("same, or the kind of opposite.")

    @property
    def is_same(self) -> Flags:
        """The paraphrases."""
        return self.kind == SAME


@dataclass(frozen=True)
class OppositeItems(KindItems[Opposites]):
    """Paraphrases and opposites."""

    pairs: Opposites


class MergeOpposites(PairClasses[OppositeItems]):
    """How many opposites are kept apart."""

    name = "merge_opposites"
    version = 7
    question = "At the threshold that keeps paraphrases together, are opposites kept apart?"
    near = "a paraphrase"
    other = "an opposite"
    row = MergeRow
    items = OppositeItems
    unit = "source"
    labels = ("source",)
    main = f"kept_apart_{PERCENT}"
    auc = "merge_auc"
    kept = percents(PERCENT, 80, 95)
    order = ("kept_apart", "kept_apart_of_kind")

    def wording(self) -> Wording:
        """Word how many opposites are kept apart."""
        return Wording(
            self.question,
            "At the threshold that keeps 90 % of the paraphrases together, {value} of the "
            "opposites are kept apart.",
            Consequences(
                "An encoder to which opposites look like paraphrases",
                above=(
                    "The model tells some opposites from paraphrases. What is not kept apart is "
                    "merged at this threshold."
                ),
                below=(
                    "The threshold that keeps 90 % of the paraphrases together keeps more than "
                    "90 % of the opposites together: do not merge texts by this model's cosine "
                    "alone."
                ),
            ),
            "Opposite texts should lie below the threshold, texts that mean the same should reach "
            "it.",
        )

    def closer_look(self) -> CloserLook:
        """Show the kinds of opposites."""
        return CloserLook(
            heading="Will it merge opposites?",
            about=(
                "Semantic caches, deduplication and memories take two texts for one if their "
                "cosine reaches a threshold. The threshold here keeps 90 % of the pairs that mean "
                "the same together. Which share of the opposites does it keep apart? What is not "
                "kept apart is merged. An encoder to which opposites look like paraphrases keeps "
                ".1 apart. To see the worst pairs of a model, and an exit status for CI:"
            ),
            command="harness-ext safe-to-merge -m MODEL",
            scores=("threshold_90", "kept_apart_90_{kind}"),
        )

    @score(
        like=PairClasses.kept_apart,
        key="kept_apart_90_{kind}",
        axes=[KIND],
        title="the same by kind",
        formula="kept_apart_90 of the pairs of one kind",
        chance=0.1,
    )
    def kept_apart_of_kind(self, items: OppositeItems, kind: str) -> UnitStatistic:
        return self.share_kept_apart(items.pairs, items.pairs.kind == kind, PERCENT)

    def shortage(self, items: OppositeItems) -> str:
        """Say whether there are too few paraphrases for a threshold."""
        needed = fewest_accepted(PERCENT)
        n = self.n_same(items)
        if n >= needed:
            return ""
        return (
            f"No threshold of {n} pairs of the kind `{SAME}` keeps {PERCENT} % of new ones "
            f"together: at least {needed} such pairs are needed."
        )


MERGE_OPPOSITES = MergeOpposites()
