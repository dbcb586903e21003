"""Polarity sensitivity: does a sentence vector change sides when the sentence does?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*,
RepL4NLP, pp. 185-193. A sentiment classifier is trained on sentence vectors (classifiers.py), or
together with the encoder. PSS is the share of pairs of opposite polarity of which both sentences
are labeled correctly; accuracy is that on held-out sentences; relative PSS is their ratio.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.data.rows import RoleRow
from harness_ext.measures.core.fill import Encoder, vectors_of
from harness_ext.measures.core.measure import EncoderMeasure, Row, Rows
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.polarity.items import (
    CHANCE_PSS,
    CLASSIFIER,
    DIRECTION,
    FROZEN,
    MODE,
    NETWORK,
    POSITIVE_TO_NEGATIVE,
    FineTunings,
    PolarityItems,
    chance_of_both_labels,
    polarity_plan,
)
from harness_ext.statistics.statistic import Statistic, average, of_units


def both_correct(original_correct: Flags, rewrite_correct: Flags) -> Floats:
    """1 where both sentences of a pair are labeled correctly, else 0; their mean is PSS, §3.

    Args:
        original_correct: Whether s trainings label the originals of k pairs correctly, shape
            (s, k).
        rewrite_correct: The same of the rewrites, shape (s, k).

    Returns:
        Shape (s, k).

    Examples:
        >>> both_correct(np.array([[True, True, False]]), np.array([[True, False, False]]))
        array([[1., 0., 0.]])
    """
    return (original_correct & rewrite_correct).astype(np.float64)


def relative(both: Floats, accuracy: Floats) -> Floats:
    """PSS / accuracy, §3: `both_correct` over the accuracy of each training.

    Args:
        both: Shape (s, k).
        accuracy: On held-out sentences, shape (s,).

    Returns:
        Shape (s, k); NaN for a training that labels no sentence correctly.
    """
    divisor = np.where(accuracy > 0, accuracy, np.nan)
    quotients: Floats = both / divisor[:, None]
    return quotients


def means_of_trainings(values: Floats) -> Floats:
    """The mean over units of each training, shape (s, n) -> (s,); 0 without units."""
    means: Floats = values.sum(axis=1) / max(values.shape[1], 1)
    return means


def mean_over_seeds(units: Names, values: Floats) -> Statistic:
    """The mean over units, and over the trainings that define it; shapes (n,) and (s, n)."""
    known = values[~np.isnan(values).any(axis=1)]
    means = known.mean(axis=0) if len(known) else np.full(len(units), np.nan)
    return of_units(average, units, means)


def spread_over_seeds(values: Floats) -> float:
    """The standard deviation (ddof 1) of `means_of_trainings`; NaN for one training."""
    if len(values) < 2 or not values.size:
        return np.nan
    return float(means_of_trainings(values).std(ddof=1))


def pss_of_pairs(
    items: PolarityItems,
    mode: str,
    classifier: str,
    direction: str = "",
) -> tuple[Names, Floats]:
    """The pairs, or those of a direction, and `both_correct`; shapes (k,) and (s, k)."""
    answers = items.answers_to_pairs(mode, classifier, direction)
    return answers.pairs, both_correct(answers.original_correct, answers.rewrite_correct)


def relative_pss_of_pairs(
    items: PolarityItems,
    mode: str,
    classifier: str,
) -> tuple[Names, Floats]:
    """The pairs, and `relative`; shapes (k,) and (s, k).

    The accuracy of a training stays when pairs are resampled.
    """
    pairs, both = pss_of_pairs(items, mode, classifier)
    _, correct = accuracy_of_held_out(items, mode, classifier)
    return pairs, relative(both, means_of_trainings(correct))


def accuracy_of_held_out(
    items: PolarityItems,
    mode: str,
    classifier: str,
) -> tuple[Names, Floats]:
    """The held-out sentences, and 1 where one is labeled correctly, shapes (h,) and (s, h)."""
    rows, is_correct = items.answers_to_held_out(mode, classifier)
    return rows, is_correct.astype(np.float64)


def chance_statistic(items: PolarityItems, mode: str, classifier: str) -> Statistic:
    """`chance_of_both_labels`, from the labels that a classifier gives to pairs."""
    answers = items.answers_to_pairs(mode, classifier)
    was_positive = items.usable_pairs.direction == POSITIVE_TO_NEGATIVE
    original_positive = answers.original_correct == was_positive
    rewrite_positive = answers.rewrite_correct != was_positive
    positive = np.mean([original_positive, rewrite_positive], axis=0)
    if not len(positive):
        positive = np.full((1, len(answers.pairs)), np.nan)
    return of_units(chance_of_both_labels, answers.pairs, *positive)


class Polarity(EncoderMeasure[PolarityItems]):
    """Polarity sensitivity (Bhathena et al.).

    Each score is the mean over the seeds of the trainings; logistic regression on frozen vectors
    has one.
    """

    name = "polarity"
    version = 9
    question = "Does a sentence's vector change sides when the sentence does?"
    package = __package__
    published = "published.csv"
    row = RoleRow
    items = PolarityItems
    unit = "pair"
    main = "fb_linear_pss"
    headline = "ft_linear_pss"

    def learned(self, row: Row) -> bool:
        """Whether classifiers are only trained on a row."""
        return row["role"] == "train"

    def plan(self, rows: Rows, split: str) -> PolarityItems:
        """List what classifiers are trained on and asked, see `polarity_plan`."""
        return polarity_plan(rows, split)

    def fill(self, plan: PolarityItems, encode: Encoder) -> PolarityItems:
        """Train the classifiers of a plan on its training sentences, and ask them."""
        from tqdm.auto import tqdm

        # not above: reading needs no scikit-learn
        from harness_ext.measures.polarity.classifiers import frozen_polarity

        sentences = plan.sentences
        assert sentences is not None
        seeds = plan.seeds(FROZEN, NETWORK)
        networks = tqdm(seeds, desc="polarity: networks", disable=not seeds)
        vectors = vectors_of(sentences.sentence, encode)
        is_train = sentences.role == "train"
        trained = frozen_polarity(
            train=vectors[is_train],
            labels=sentences.label[is_train],
            asked=vectors[~is_train],
            seeds=networks,
        )
        filled = plan.answered(sentences.asked, FROZEN, list(trained))
        return replace(filled, sentences=None)

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "Of a review and its rewrite with the opposite verdict, a simple classifier labels "
                "both right in {value} of all pairs."
            ),
            chance=Consequences(
                "Guessing both labels",
                above=(
                    "Both sentences of a pair are labeled right more often than guesses would "
                    "label them."
                ),
                below=(
                    "Both sentences of a pair are labeled right less often than guesses would "
                    "label them."
                ),
            ),
            right=(
                "Every trained classifier should label both sentences correctly (1): fb is trained "
                "on the vectors of the frozen encoder, ft together with the encoder."
            ),
        )

    @score(
        key="{mode}_{classifier}_pss",
        axes=[MODE, CLASSIFIER],
        title="polarity sensitivity",
        formula="share of the pairs of which original and rewrite are both labeled correctly",
        range=(0, 1),
        better="higher",
        chance=0.25,
        source="PSS paper §3, Table 1",
        interval=True,
        not_in_interval=(
            "the training sample of the classifier, which moves the score by about a quarter of "
            "itself"
        ),
    )
    def pss(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> Statistic:
        return mean_over_seeds(*pss_of_pairs(items, mode, classifier))

    @score(
        key="chance_{mode}_{classifier}_pss",
        axes=[MODE, CLASSIFIER],
        **CHANCE_PSS,
    )
    def chance_pss(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> Statistic:
        return chance_statistic(items, mode, classifier)

    @number(
        key="{mode}_{classifier}_pss_std",
        axes=[MODE, CLASSIFIER],
        title="its spread over seeds",
        formula="standard deviation (ddof 1) over the seeds of the trainings; none for one",
        range=(0, 1),
    )
    def pss_std(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> float:
        _, both = pss_of_pairs(items, mode, classifier)
        return spread_over_seeds(both)

    @score(
        key="{mode}_{classifier}_accuracy",
        axes=[MODE, CLASSIFIER],
        title="accuracy",
        formula="share of the held-out sentences that are labeled correctly",
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="PSS paper Table 1",
    )
    def accuracy(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> Statistic:
        return mean_over_seeds(*accuracy_of_held_out(items, mode, classifier))

    @number(like=pss_std, key="{mode}_{classifier}_accuracy_std")
    def accuracy_std(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> float:
        _, correct = accuracy_of_held_out(items, mode, classifier)
        return spread_over_seeds(correct)

    @score(
        like=accuracy,
        key="{mode}_{classifier}_rewrite_accuracy",
        title="accuracy on the rewrites",
        formula=(
            "share of the pairs of which the rewrite is labeled correctly: a rewrite of a system "
            "may not switch at all"
        ),
        source="this project",
    )
    def rewrite_accuracy(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> Statistic:
        answers = items.answers_to_pairs(mode, classifier)
        return mean_over_seeds(answers.pairs, answers.rewrite_correct.astype(np.float64))

    @score(
        like=accuracy,
        key="{mode}_{classifier}_relative_pss",
        title="relative polarity sensitivity",
        formula="polarity sensitivity / accuracy",
        range=COUNT,
    )
    def relative_pss(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> Statistic:
        return mean_over_seeds(*relative_pss_of_pairs(items, mode, classifier))

    @number(like=pss_std, key="{mode}_{classifier}_relative_pss_std", range=COUNT)
    def relative_pss_std(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
    ) -> float:
        _, quotients = relative_pss_of_pairs(items, mode, classifier)
        return spread_over_seeds(quotients)

    @score(
        like=pss,
        key="{mode}_{classifier}_pss_{direction}",
        axes=[MODE, CLASSIFIER, DIRECTION],
        title="polarity sensitivity of one direction",
        formula="polarity sensitivity over the pairs of that direction",
        source="this project",
        interval=False,
        not_in_interval="",
    )
    def pss_direction(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
        direction: str,
    ) -> Statistic:
        return mean_over_seeds(*pss_of_pairs(items, mode, classifier, direction))

    @number(
        like=pss_std,
        key="{mode}_{classifier}_pss_{direction}_std",
        axes=[MODE, CLASSIFIER, DIRECTION],
    )
    def pss_direction_std(
        self,
        items: PolarityItems,
        mode: str,
        classifier: str,
        direction: str,
    ) -> float:
        _, both = pss_of_pairs(items, mode, classifier, direction)
        return spread_over_seeds(both)

    @number(
        key="ft_{classifier}_epochs",
        axes=[CLASSIFIER],
        title="epochs of the fine-tuning",
        formula="mean over the seeds of how many epochs were trained",
        range=COUNT,
    )
    def ft_epochs(self, items: PolarityItems, classifier: str) -> float:
        tunings = _fine_tunings(items, classifier)
        return float(tunings.epochs.mean()) if len(tunings) else np.nan

    @number(
        like=ft_epochs,
        key="ft_{classifier}_max_epochs",
        title="limit of the fine-tuning",
        formula="after how many epochs it would have been stopped",
    )
    def ft_max_epochs(self, items: PolarityItems, classifier: str) -> float:
        tunings = _fine_tunings(items, classifier)
        return int(tunings.max_epochs[0]) if len(tunings) else np.nan

    @number(
        like=ft_epochs,
        key="ft_{classifier}_batch_size",
        title="batch size of the fine-tuning",
        formula="sentences per step",
    )
    def ft_batch_size(self, items: PolarityItems, classifier: str) -> float:
        tunings = _fine_tunings(items, classifier)
        return int(tunings.batch_size[0]) if len(tunings) else np.nan

    @number(
        like=ft_epochs,
        key="ft_{classifier}_n_seeds",
        title="fine-tunings",
        formula="trainings of the encoder with that classifier",
    )
    def ft_n_seeds(self, items: PolarityItems, classifier: str) -> float:
        return len(_fine_tunings(items, classifier)) or np.nan

    @number(
        title="pairs",
        formula="pairs that no rule removes",
        range=COUNT,
        source="PSS paper appendix B",
    )
    def n_pairs(self, items: PolarityItems) -> int:
        return len(items.usable_pairs)

    @number(
        title="copies",
        formula="pairs whose rewrite is its original",
        range=COUNT,
        source="PSS paper appendix B",
    )
    def n_excluded_copy(self, items: PolarityItems) -> int:
        return _n_excluded(items, "copy")

    @number(
        title="rewrites without a new word",
        formula="pairs whose rewrite adds no word, copies not counted again",
        range=COUNT,
        source="PSS paper appendix B",
    )
    def n_excluded_no_added_word(self, items: PolarityItems) -> int:
        return _n_excluded(items, "no_added_word")

    @number(
        title="repeated pairs",
        formula="pairs that are there before",
        range=COUNT,
    )
    def n_excluded_duplicate(self, items: PolarityItems) -> int:
        return _n_excluded(items, "duplicate")

    @number(
        title="training sentences",
        formula="sentences that classifiers are trained on",
        range=COUNT,
        source="PSS paper §3",
    )
    def n_train(self, items: PolarityItems) -> int:
        return int(items.protocol.n_train[0])

    @number(
        title="held-out sentences",
        formula="sentences that accuracy is computed on",
        range=COUNT,
        source="PSS paper §3",
    )
    def n_held_out(self, items: PolarityItems) -> int:
        return len(np.unique(items.held_out.row))

    @number(
        title="limit of the training set",
        formula="to how many sentences it was limited, 0 for no limit",
        range=COUNT,
    )
    def train_limit(self, items: PolarityItems) -> int:
        return int(items.protocol.train_limit[0])

    @number(
        title="trained on dev",
        formula="1 if classifiers are trained on the dev sentences, else 0",
        range=(0, 1),
    )
    def trained_on_dev(self, items: PolarityItems) -> int:
        return int(items.protocol.trained_on_dev[0])


def _fine_tunings(items: PolarityItems, classifier: str) -> FineTunings:
    """The trainings of the encoder with a classifier."""
    return items.fine_tunings[items.fine_tunings.classifier == classifier]


def _n_excluded(items: PolarityItems, rule: str) -> int:
    """How many pairs a rule removes."""
    return int((items.pairs.excluded == rule).sum())


POLARITY = Polarity()
