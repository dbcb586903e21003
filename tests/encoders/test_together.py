"""Searches side by side: who is asked together, who ends early, and errors."""

import pytest

from harness_ext.encoders.together import Together


def test_questions_of_all_that_still_search_are_answered_together():
    asked = []

    def doubled(questions):
        asked.append(dict(questions))
        return {number: 2 * question for number, question in questions.items()}

    together = Together(3, doubled)

    def search(number):
        found = 1
        for _ in range(number + 1):
            found = together.ask(number, found + number)
        return found

    assert together.run(search) == [
        2,
        2 * (4 + 1),
        2 * (2 * (2 * 3 + 2) + 2),
    ]
    assert asked == [
        {0: 1, 1: 2, 2: 3},
        {1: 4 + 1, 2: 2 * 3 + 2},
        {2: 2 * (2 * 3 + 2) + 2},
    ]


def test_an_error_ends_all_searches():
    def refused(questions):
        if len(questions) < 2:
            raise ValueError("alone")
        return questions

    together = Together(2, refused)

    def search(number):
        for _ in range(1 + number):
            together.ask(number, number)

    with pytest.raises(ValueError, match="alone"):
        together.run(search)


def test_the_error_of_a_search_is_raised():
    asked = []

    def same(questions):
        asked.append(list(questions))
        return questions

    together = Together(2, same)

    def search(number):
        together.ask(number, number)
        if number == 0:
            raise KeyError("first")
        return together.ask(number, number)

    with pytest.raises(KeyError, match="first"):
        together.run(search)
    assert asked[0] == [0, 1]
