"""What a measure says to readers: its question, its main score in a sentence, and the consequences for users."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace


@dataclass(frozen=True)
class Consequences:
    """Sentences about the main score beside a reference, such as chance.

    Attributes:
        reference: The way to get the value of the reference, as the subject of a sentence.
        above: The consequence for users if the interval is above the reference.
        below: The consequence if the interval is below the reference.
    """

    reference: str
    above: str
    below: str


@dataclass(frozen=True)
class Wording:
    """Sentences about a measure. `{title}` stands for the title of the main score.

    Attributes:
        question: The measure's question, in plain words; empty for the description of the task.
        score: The main score in a sentence; `{value}` stands for the figure.
        chance: The consequences of the main score beside its value of chance.
        right: The right result of a unit, such as a compound; may be empty.
    """

    question: str
    score: str
    chance: Consequences
    right: str

    def filled(self, question: str, title: str) -> Wording:
        """Fill in what a measure without sentences of its own leaves open.

        Args:
            question: The description of the task.
            title: The title of the main score.
        """
        texts = (text.replace("{title}", title) for text in astuple(self.chance))
        score = self.score.replace("{title}", title)
        return replace(self, question=self.question or question, score=score, chance=Consequences(*texts))


DECLARED = Wording(
    question="",
    score="{title}: {value}.",
    chance=Consequences(
        "Chance",
        above="The score, {title}, lies above chance.",
        below="The score, {title}, lies below chance.",
    ),
    right="",
)
"""The sentences of a measure without sentences of its own, from its declared main score."""
