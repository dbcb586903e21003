"""What a measure says to readers: its question, its main score in a sentence, and the consequences
for users.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Consequences:
    """Sentences about the main score beside a reference, such as chance.

    Attributes:
        reference: The way to get the value of the reference, as the subject of a sentence.
        above: The consequence for users if the interval is above the reference.
        below: The consequence if the interval is below the reference.
    """

    reference: str = "Chance"
    above: str = "The score lies above chance."
    below: str = "The score lies below chance."


@dataclass(frozen=True)
class CloserLook:
    """What a board's page of a task shows beside main scores: further scores of each model, and
    why.

    Attributes:
        heading: A question, as a heading.
        about: What the scores are for.
        command: The command that shows more.
        scores: Their keys as declared, such as `share_{kind}`.
    """

    heading: str
    about: str
    command: str
    scores: tuple[str, ...]


@dataclass(frozen=True)
class Wording:
    """Sentences about a measure, or about it on one split of a task.

    Attributes:
        question: What it asks, in plain words.
        score: The main score in a sentence; `{value}` stands for the figure.
        chance: The consequences of the main score beside its value of chance.
        right: The right result of a unit, such as a compound; may be empty.
    """

    question: str = ""
    score: str = "{value}"
    chance: Consequences = Consequences()
    right: str = ""
