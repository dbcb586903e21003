"""Several searches side by side, whose questions are answered together."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Condition
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Found = TypeVar("Found")


class Together(Generic[Question, Answer]):
    """Answers the questions of several searches, when each that still searches has asked one.

    A search runs in a thread of its own, so that a library's loop, such as that of
    `scipy.optimize.minimize`, may ask from inside. One thread works at a time, and each answer
    depends on the questions alone: a run gives the same again.
    """

    def __init__(
        self,
        n_searches: int,
        answers: Callable[[Mapping[int, Question]], Mapping[int, Answer]],
    ) -> None:
        """Prepare so many searches.

        Args:
            n_searches: Their number.
            answers: Number of a search -> its question, to number -> answer.
        """
        self._n_searches = n_searches
        self._n_searching = n_searches
        self._answer = answers
        self._questions: dict[int, Question] = {}
        self._answers: dict[int, Answer] = {}
        self._error: BaseException | None = None
        self._changed = Condition()

    def run(self, search: Callable[[int], Found]) -> list[Found]:
        """Run `search(number)` for each number, and return what they find.

        Raises:
            BaseException: What a search raises, or what `answers` raises, after all have ended.
        """
        with ThreadPoolExecutor(self._n_searches) as threads:
            searches = [
                threads.submit(self._run, search, number) for number in range(self._n_searches)
            ]
            try:
                return [running.result() for running in searches]
            except BaseException as error:  # also an interrupt: the threads wait for an answer
                self._end(error)
                raise

    def ask(
        self,
        number: int,
        question: Question,
    ) -> Answer:
        """Wait for the answer to a question of a search."""
        with self._changed:
            self._questions[number] = question
            self._answer_if_all_asked()
            while number not in self._answers and self._error is None:
                self._changed.wait()
            if self._error is not None:
                raise self._error
            return self._answers.pop(number)

    def _run(
        self,
        search: Callable[[int], Found],
        number: int,
    ) -> Found:
        try:
            return search(number)
        finally:
            with self._changed:
                self._n_searching -= 1
                self._answer_if_all_asked()

    def _answer_if_all_asked(self) -> None:
        if not self._questions or len(self._questions) < self._n_searching:
            return
        if self._error is None:
            try:
                self._answers |= self._answer(dict(sorted(self._questions.items())))
            except BaseException as error:  # every search that waits raises it
                self._error = error
        self._questions = {}
        self._changed.notify_all()

    def _end(self, error: BaseException) -> None:
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()
