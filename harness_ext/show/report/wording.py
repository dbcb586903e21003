"""The first page's sentences: what was asked, what came out, and what that means for somebody who uses the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness_ext.show.verdict import Outcome


@dataclass(frozen=True)
class Wording:
    """What the first page says of a measure.

    Attributes:
        question: What it asks, in plain words.
        found: The main score in a sentence; `{value}` stands for the figure.
        chance: What gives the value of chance.
        above: What it means for a user if the score lies above chance by its interval.
        not_told: If its interval has chance in it, or is not known.
        below: If it lies below.
    """

    question: str
    found: str
    chance: str
    above: str
    not_told: str
    below: str

    def meaning(self, outcome: Outcome) -> str:
        """What an outcome means for a user."""
        return {"above": self.above, "chance": self.not_told, "below": self.below}[outcome]


WORDINGS = {
    "epsilon": Wording(
        "A black box is no box that is black. Does the model treat idioms otherwise than literal compounds?",
        "Of an idiomatic and a literal compound, the model finds the idiomatic one the less explained by its words in "
        "{value} of all cases.",
        "tossing a coin",
        "In its sentences, idioms stand out from what their words would explain. Search and similarity over text with "
        "idioms have something to go by.",
        "Idioms do not stand out: to this model, a black box is about as much a box as a wooden box is. Expect hits "
        "about boxes when you look for flight recorders.",
        "It is the literal compounds that stand out. The model reacts to something, but not to idiomaticity.",
    ),
    "affinity": Wording(
        "In the sentence of an idiom, is a synonym of the whole nearer than synonyms of its words?",
        "For {value} of the idioms, the synonym of the whole idiom wins over synonyms of its single words.",
        "tossing a coin",
        "More often than not, the model goes by what an idiom means, not by the words it is made of.",
        "Whether a paraphrase keeps the meaning or only the words makes no reliable difference to this model.",
        "The model goes by words: a silly paraphrase word by word looks better to it than the idiom's meaning. "
        "Paraphrase search and deduplication will be misled by idioms.",
    ),
    "scaled_similarity": Wording(
        "How much of its sentence does a compound's synonym keep?",
        "On a scale from unrelated expressions (0) to the original (1), a compound's own synonym gets {value}.",
        "an unrelated expression",
        "A good paraphrase keeps a sentence nearer to the original than a random one does; how much nearer is what the "
        "figure says.",
        "A good paraphrase moves a sentence as far as a random expression does.",
        "A good paraphrase moves a sentence farther than a random expression does.",
    ),
    "type_token": Wording(
        "Does the model find compounds compositional that people find so?",
        "Its order of the compounds, by how far each is the sum of its words, agrees with people's at a rank "
        "correlation of {value}.",
        "an order without any relation to it",
        "The model has some of the grading that people have, from idioms to literal compounds.",
        "How much a compound is the sum of its words, to this model, says nothing about how idiomatic it is.",
        "The model has the scale upside down: idioms are more the sum of their words than literal compounds.",
    ),
    "montague": Wording(
        "A wild dog is a dog, a fake dog is none. Do the model's distances between phrases know that?",
        "Its distances respect the set semantics of adjectives in {value} of what is tested.",
        "tossing a coin",
        "Phrases lie where logic puts them more often than by chance: some of what modifiers mean is in the vectors.",
        "Modifiers that turn a meaning round (fake, former, alleged) are not told from those that merely add to it.",
        "Distances say the opposite of what adjectives mean, such as a fake dog that is more of a dog than a wild one.",
    ),
    "polarity": Wording(
        "Does a sentence's vector change sides when the sentence does?",
        "Of a review and its rewrite with the opposite verdict, a simple classifier labels both right in {value} of "
        "all pairs.",
        "guessing both labels",
        "Small changes that turn a verdict round (not, hardly, never) reach the vector in that share of the cases.",
        "A negated sentence stays where it was. Do not build sentiment or contradiction detection on these vectors.",
        "The classifier is fooled more often than a guess would be: vectors follow the words, not the verdict.",
    ),
    "tree_reconstruction": Wording(
        "Is a sentence's vector made of its words, also where their sentiment clashes?",
        "How well a sum of word vectors explains a sentence rises with how often sentiment switches inside it, at a "
        "rank correlation of {value}.",
        "an order without any relation to it",
        "Sentences whose parts clash are built of their words no worse than plain ones, which the paper calls "
        "compositional.",
        "Whether the parts of a sentence clash makes no difference to how well its words explain its vector.",
        "Where the parts of a sentence clash, its vector holds something that no sum of its words has.",
    ),
    "role_swap": Wording(
        "The dog bites the man, the man bites the dog. Does the model know who did what to whom?",
        "On sentences with the same words in other roles, its similarities agree with people's at a rank correlation "
        "of {value}.",
        "an order without any relation to it",
        "Some of who did what to whom is in the vectors; how far that is from people is what the figure says.",
        "Who did what to whom makes no difference to this model: it goes by which words there are.",
        "The model goes by shared words where people go by roles: the same words in other roles look alike to "
        "it, and the same scene in other words does not.",
    ),
    "transitive_similarity": Wording(
        "Are sentences of subject, verb and object as similar to the model as they are to people?",
        "Its similarities of such sentences agree with people's at a rank correlation of {value}.",
        "an order without any relation to it",
        "What a verb means beside its subject and object is in the vectors to some degree.",
        "Which sense a verb has beside its subject and object makes no reliable difference to this model.",
        "The model has the scale upside down: what people find alike, it finds different.",
    ),
    "caption_swap": Wording(
        "Is a caption nearer to its paraphrase than to the same words with two of them swapped?",
        "In {value} of the triplets, caption and paraphrase are nearer to each other than to the swapped caption.",
        "guessing",
        "The model tells a swap of things or attributes from a paraphrase more often than a guess would.",
        "The model tells a swap of things or attributes from a paraphrase no better than a guess.",
        "The model prefers the same words about another scene to other words about the same one. Search will return "
        "captions with the roles exchanged first.",
    ),
    "idiom_paraphrase": Wording(
        "Is a sentence with a verbal idiom nearer to its meaning than to its literal reading?",
        "In {value} of the sentences, what follows from the idiom is nearer than what does not.",
        "tossing a coin",
        "More often than not, the model goes by what a verbal idiom means, not by its words.",
        "Meaning and wrong reading of a verbal idiom are about as near to this model.",
        "The model goes by words: a wrong reading that keeps them looks better to it than the idiom's meaning.",
    ),
    "minimal_pairs": Wording(
        "Which paraphrase of an idiom's sentence does the language model prefer: by the whole, or word by word?",
        "For idioms, the model prefers the paraphrase with the synonym of the whole in {value} of all prompts.",
        "tossing a coin",
        "Asked for a paraphrase, the model goes by what idioms mean more often than by their words.",
        "Asked for a paraphrase of an idiom, the model does no better than a coin.",
        "Asked for a paraphrase, the model goes by an idiom's words: expect dark crates for black boxes.",
    ),
    "rating": Wording(
        "Asked how literal a compound is, does the language model answer as people do?",
        "Its order of the compounds agrees with people's at a rank correlation of {value}.",
        "an order without any relation to it",
        "What the model says of compounds follows what people say of them; the figure is how closely.",
        "What the model says of how literal compounds are has nothing to do with what people say.",
        "The model says the opposite of what people say: idioms are literal to it.",
    ),
    "question": Wording(
        "Asked what a compound means, does the language model know?",
        "For idioms, the model finds the meaning among four in {value} of the sentences.",
        "guessing",
        "The model knows something of what idioms mean: it finds their meaning more often than a guess would.",
        "Asked what idioms mean, the model does no better than a guess.",
        "The model avoids the meanings of idioms: mostly it takes the words for them.",
    ),
    "entailment": Wording(
        "Is a fake wall a wall? Does the language model know?",
        "Of questions to answer with yes, no or unknown, every answer counting the same, it answers {value} right.",
        "guessing",
        "The model tells, more often than a guess would, adjectives that leave a thing what it is from those that do "
        "not.",
        "To the model a fake wall is as much a wall as a red one.",
        "The model gets it wrong more often than a guess would.",
    ),
    "polarity_answers": Wording(
        "Does the language model change its verdict when a sentence does?",
        "Of a review and its rewrite with the opposite verdict, the model labels both right in {value} of all pairs.",
        "guessing both labels",
        "Small changes that turn a verdict round reach the model's answer in that share of the cases.",
        "The model's verdicts on a sentence and on its opposite are no better than guesses.",
        "The model mostly gives a sentence and its opposite the same label.",
    ),
    "epsilon_surprisal": Wording(
        "Does an idiom make the language model expect other things than its words do?",
        "Of an idiomatic and a literal compound, the idiomatic one changes the more, beyond what its words explain, in "
        "{value} of all cases.",
        "tossing a coin",
        "What the model expects after an idiom is not what its words would make it expect.",
        "After an idiom the model expects what its words make it expect, no more and no less than after a literal "
        "compound.",
        "It is after literal compounds that the model expects other things than after their words.",
    ),
    "figurative_entailment": Wording(
        "Does the language model know what follows from a sentence with an idiom?",
        "Of two rewrites of such a sentence, the model leans more to the one that follows in {value} of all sentences.",
        "tossing a coin",
        "The model draws conclusions from what idioms mean more often than from their words.",
        "Asked what follows from an idiom, the model does no better than a coin.",
        "The model goes by an idiom's words: it concludes what only their literal reading says.",
    ),
    "answer_distribution": Wording(
        "Is artificial leather leather? Does the language model answer as people do?",
        "Its order of such phrases, by how surely they are still what their noun says, agrees with people's at a rank "
        "correlation of {value}.",
        "an order without any relation to it",
        "What the model concludes from an adjective and a noun follows what people do; the figure is how closely.",
        "What the model concludes from an adjective and a noun has nothing to do with what people do.",
        "The model says the opposite of what people say: what is to them no longer the thing still is to the model.",
    ),
}
"""By the measure's name; a measure without one is described by its task and its declaration alone."""
