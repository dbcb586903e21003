"""Sentences of the first page: the question of each measure, its finding, and the consequences for users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness_ext.show.verdict import Outcome


@dataclass(frozen=True)
class Wording:
    """Sentences about a measure.

    Attributes:
        question: Its question, in plain words.
        found: The main score in a sentence; `{value}` stands for the figure.
        chance: The way to get the value of chance, as the subject of a sentence.
        above: The consequence for users if the interval is above chance.
        not_told: The consequence if the interval includes chance, or is unknown.
        below: The consequence if the interval is below chance.
    """

    question: str
    found: str
    chance: str
    above: str
    not_told: str
    below: str

    def meaning(self, outcome: Outcome) -> str:
        """Pick the consequence of an outcome."""
        return {"above": self.above, "chance": self.not_told, "below": self.below}[outcome]


WORDINGS = {
    "epsilon": Wording(
        "A black box is no box that is black. Does the model treat idioms differently from literal compounds?",
        "Of an idiomatic and a literal compound, the idiomatic one is explained less by its words in {value} of all "
        "cases.",
        "Tossing a coin",
        "Idioms change their sentences more than their words explain. Search and similarity can use that in text with "
        "idioms.",
        "Idioms do not stand out: to this model, a black box is about as much a box as a wooden box is. Expect hits "
        "about boxes when you look for flight recorders.",
        "Literal compounds stand out instead of idioms. The model reacts to something, but not to idiomaticity.",
    ),
    "affinity": Wording(
        "In the sentence of an idiom, is a synonym of the whole nearer than synonyms of its words?",
        "For {value} of the idioms, the synonym of the whole idiom wins over synonyms of its single words.",
        "Tossing a coin",
        "More often than not, the model goes by the meaning of an idiom, not by its words.",
        "Whether a paraphrase keeps the meaning or only the words makes no reliable difference to this model.",
        "The model goes by words: a silly paraphrase word by word looks better to it than the idiom's meaning. "
        "Paraphrase search and deduplication will be misled by idioms.",
    ),
    "scaled_similarity": Wording(
        "How much of its sentence does a compound's synonym keep?",
        "On a scale from unrelated expressions (0) to the original (1), a compound's own synonym gets {value}.",
        "An unrelated expression",
        "A good paraphrase keeps a sentence nearer to the original than a random expression does. The figure says how "
        "much nearer.",
        "A good paraphrase moves a sentence as far as a random expression does.",
        "A good paraphrase moves a sentence farther than a random expression does.",
    ),
    "type_token": Wording(
        "Do the model and people find the same compounds compositional?",
        "Ordered by nearness to the sum of their words, the compounds agree with people's order at a rank correlation "
        "of {value}.",
        "A random order",
        "The model shares some of people's grading, from idioms to literal compounds.",
        "To this model, nearness to the sum of its words says nothing about how idiomatic a compound is.",
        "The model has the scale upside down: idioms are more the sum of their words than literal compounds.",
    ),
    "montague": Wording(
        "A wild dog is a dog, a fake dog is none. Do the model's distances between phrases know that?",
        "Its distances respect the set semantics of adjectives in {value} of all tests.",
        "Tossing a coin",
        "Phrases lie where logic puts them more often than by chance: vectors have some of the meaning of modifiers.",
        "The model does not tell modifiers that reverse a meaning (fake, former, alleged) from other modifiers.",
        "Distances contradict the adjectives: a fake dog, for example, is more of a dog than a wild dog.",
    ),
    "polarity": Wording(
        "Does a sentence's vector change sides when the sentence does?",
        "Of a review and its rewrite with the opposite verdict, a simple classifier labels both right in {value} of "
        "all pairs.",
        "Guessing both labels",
        "Small changes that reverse a verdict (not, hardly, never) reach the vector in that share of the cases.",
        "A negated sentence stays where it was. Do not build sentiment or contradiction detection on these vectors.",
        "The classifier is fooled more often than a guess would be: vectors follow the words, not the verdict.",
    ),
    "tree_reconstruction": Wording(
        "Is a sentence's vector made of its words, even if their sentiment clashes?",
        "The more often sentiment switches inside a sentence, the better a sum of word vectors explains it, at a rank "
        "correlation of {value}.",
        "A random order",
        "Words explain sentences with clashing parts no worse than plain sentences: compositional, to the paper.",
        "Clashing parts make no difference to how well the words of a sentence explain its vector.",
        "If the parts of a sentence clash, its vector holds something that no sum of its words has.",
    ),
    "role_swap": Wording(
        "The dog bites the man, the man bites the dog. Does the model know who did what to whom?",
        "On sentences with the same words in other roles, its similarities agree with people's judgements at a rank "
        "correlation of {value}.",
        "A random order",
        "The vectors know something about who did what to whom. The figure says how near the model is to people.",
        "Who did what to whom makes no difference to this model: it goes by the words alone.",
        "The model goes by shared words, people go by roles: the same words in other roles look alike to the model, "
        "and the same scene in other words does not.",
    ),
    "transitive_similarity": Wording(
        "Are sentences of subject, verb and object as similar to the model as they are to people?",
        "Its similarities of such sentences agree with people's judgements at a rank correlation of {value}.",
        "A random order",
        "The vectors know to some degree which sense a verb has beside its subject and object.",
        "The sense of a verb beside its subject and object makes no reliable difference to this model.",
        "The model has the scale upside down: it finds sentences different that people find alike.",
    ),
    "caption_swap": Wording(
        "Is a caption nearer to its paraphrase than to the same words with two of them swapped?",
        "In {value} of the triplets, caption and paraphrase are nearer to each other than to the swapped caption.",
        "Guessing",
        "The model tells a swap of things or attributes from a paraphrase more often than a guess would.",
        "The model tells a swap of things or attributes from a paraphrase no better than a guess.",
        "The model prefers the same words about another scene to other words about the same scene. Search will return "
        "captions with exchanged roles first.",
    ),
    "idiom_paraphrase": Wording(
        "Is a sentence with a verbal idiom nearer to its meaning than to its literal reading?",
        "In {value} of the sentences, the rewrite that follows from the idiom is nearer than the other.",
        "Tossing a coin",
        "More often than not, the model goes by the meaning of a verbal idiom, not by its words.",
        "To this model, meaning and wrong reading of a verbal idiom are about equally near.",
        "The model goes by words: a wrong reading that keeps them looks better to it than the idiom's meaning.",
    ),
    "minimal_pairs": Wording(
        "Which paraphrase of an idiom does the language model prefer: of the whole, or word by word?",
        "For idioms, the model prefers the paraphrase with the synonym of the whole in {value} of all prompts.",
        "Tossing a coin",
        "Asked for a paraphrase, the model goes by the meaning of idioms more often than by their words.",
        "Asked for a paraphrase of an idiom, the model does no better than a coin.",
        "Asked for a paraphrase, the model goes by an idiom's words: expect dark crates for black boxes.",
    ),
    "rating": Wording(
        "Asked how literal a compound is, does the language model answer as people do?",
        "Its order of the compounds agrees with people's at a rank correlation of {value}.",
        "A random order",
        "The model's answers about compounds follow people's answers. The figure says how closely.",
        "The model's answers about compounds have nothing to do with people's answers.",
        "The model contradicts people: it calls idioms literal.",
    ),
    "question": Wording(
        "Asked what a compound means, does the language model know?",
        "For idioms, the model finds the meaning among four in {value} of the sentences.",
        "Guessing",
        "The model knows something about idioms: it finds their meaning more often than a guess would.",
        "Asked for the meaning of idioms, the model does no better than a guess.",
        "The model avoids the meanings of idioms: mostly it takes the words for them.",
    ),
    "entailment": Wording(
        "Is a fake wall a wall? Does the language model know?",
        "It answers {value} of the questions right, if yes, no and unknown count the same.",
        "Guessing",
        "More often than a guess would, the model tells adjectives that change the kind of a thing from other "
        "adjectives.",
        "To the model a fake wall is as much a wall as a red one.",
        "The model gets it wrong more often than a guess would.",
    ),
    "polarity_answers": Wording(
        "Does the language model change its verdict when a sentence does?",
        "Of a review and its rewrite with the opposite verdict, the model labels both right in {value} of all pairs.",
        "Guessing both labels",
        "Small changes that reverse a verdict reach the model's answer in that share of the cases.",
        "The model's verdicts on a sentence and on its opposite are no better than guesses.",
        "The model mostly gives a sentence and its opposite the same label.",
    ),
    "epsilon_surprisal": Wording(
        "Does an idiom change the language model's expectations more than its words do?",
        "Of an idiomatic and a literal compound, the idiomatic one changes more beyond the effect of its words in "
        "{value} of all cases.",
        "Tossing a coin",
        "After an idiom, the words of the idiom do not explain the model's expectations.",
        "After an idiom, the words explain the model's expectations as well as after a literal compound.",
        "After a literal compound, the words explain the model's expectations less than after an idiom.",
    ),
    "figurative_entailment": Wording(
        "Does the language model know what follows from a sentence with an idiom?",
        "In {value} of all sentences, the model leans more to the rewrite that follows than to the other.",
        "Tossing a coin",
        "The model draws conclusions from the meaning of idioms more often than from their words.",
        "Asked what follows from an idiom, the model does no better than a coin.",
        "The model goes by an idiom's words: its conclusions follow from the literal reading.",
    ),
    "answer_distribution": Wording(
        "Is artificial leather leather? Does the language model answer as people do?",
        "Ordered by how surely the noun still holds, such phrases agree with people's order at a rank correlation of "
        "{value}.",
        "A random order",
        "The model's conclusions from an adjective and a noun follow people's. The figure says how closely.",
        "The model's conclusions from an adjective and a noun have nothing to do with people's.",
        "The model contradicts people: it keeps the noun that people drop.",
    ),
}
"""Measure -> its sentences. A measure without sentences is described by its task and its declaration."""
