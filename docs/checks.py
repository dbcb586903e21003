"""Checks to copy: `harness-ext safe-to-merge --check checks:guard`. Each says whether two texts may
be merged.
"""

import re

SIGNS = re.compile(
    r"\d+|\b(?:no|not|never|nobody|cannot|unless|only|before|after)\b|n't\b", re.IGNORECASE
)


def guard(a, b):
    """After a cosine: the same numbers and negations, and before or after, in the same order."""
    return SIGNS.findall(a.lower()) == SIGNS.findall(b.lower())


def words(text):
    """The words of a text."""
    return set(re.findall(r"\w+", text.lower()))


def have_in_common(share, a, b):
    """Of the words of the two texts, at least such a share is in both."""
    in_both = words(a) & words(b)
    in_either = words(a) | words(b)
    return len(in_both) >= share * len(in_either)


def jaccard_7(a, b):
    """At least .7 of the words are in both texts."""
    return have_in_common(0.7, a, b)


def gates(a, b):
    """A guard, and a floor for the words in common."""
    return guard(a, b) and have_in_common(0.3, a, b)


class Cache:
    """Stands for yours: it serves an answer to a question with the same words."""

    def __init__(self):
        self.answers = {}

    def put(self, question, answer):
        """Keep an answer."""
        self.answers[frozenset(words(question))] = answer

    def get(self, question):
        """The answer, or None."""
        return self.answers.get(frozenset(words(question)))


def served(a, b):
    """A running cache: is the answer to the first question served to the second?"""
    cache = Cache()
    cache.put(a, "the answer")
    return cache.get(b) is not None
