"""Any task as a function, for who has vectors and no harness: a function from texts to vectors in,
scores out.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, cast

import mteb
from mteb.abstasks import AbsTask
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.timing import TimingStack
from numpy.typing import ArrayLike

from harness_ext.common.foreign_code import no_exit
from harness_ext.common.random_states import random_states_kept
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.checks import Check, arguments, check_of, takes
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
from harness_ext.measures.core.baseline_keys import Baseline, additive_key, gain_key, p_value_key
from harness_ext.measures.core.fill import compared_pairs, fill_pairs
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.measures.core.measured_scores import Scores
from harness_ext.measures.core.scores import interval_keys
from harness_ext.measures.core.undefined import check_main_score
from harness_ext.measures.kinds.pair_classes import PairTable
from harness_ext.measures.kinds.rated_pairs import RatedPairTable
from harness_ext.measures.kinds.triplets import TripletTable
from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import any_table
from harness_ext.own_data.task import declared, registered_task
from harness_ext.store.item_files import DIGEST, keep
from harness_ext.store.signature import Signature

if TYPE_CHECKING:
    from datasets import Dataset
    from pandas import DataFrame

    class EncodesTexts(Protocol):
        """An object with a method `encode`, such as a `SentenceTransformer`."""

        def encode(self, texts: list[str], /) -> ArrayLike:
            """Texts -> one vector per text."""
            ...

    Encode = Callable[[list[str]], ArrayLike] | EncodesTexts
    EncodeSpans = Callable[[list[str], list[tuple[int, int]]], ArrayLike]
    Task = str | AbsTask | type[AbsTask]
    OwnRows: TypeAlias = (
        DataFrame | Dataset | Sequence[Mapping[str, Any]] | str | Path | Sequence[str | Path]
    )

logger = logging.getLogger(__name__)

# the tables of which a similarity says everything
_OF_PAIRS = (TripletTable, PairTable, RatedPairTable)

_ONE = "takes one argument: it is called with a list of texts, and vectors are expected."
_TWO = "A function that says how alike two texts are takes two."

AnyItems = TypeVar("AnyItems", bound=Items)


@dataclass(frozen=True, repr=False, eq=False)
class Measured(Generic[AnyItems]):
    """The scores of a measure, and the items they were computed from.

    Attributes:
        scores: All scores, by name; NaN for a score without data. `scores.flat()` has the defined
            scores by the keys of docs/measures.md.
        items: One row per comparison: `items.tables()`.
        interval: The ends of the 95 % interval of the main score.
        main: The key of the main score.
        baseline_items: The items of the encoder's baselines, see docs/additive_baseline.md; none
            for a measure without baselines.
        additive: The main score of the additive baseline; NaN where it is not defined.
        gain: The main score minus that of the additive baseline.
        gain_interval: The ends of its 95 % interval.
        gain_p_value: Two-sided, that there is no gain.
        task: The task, of which the data is loaded.
        place: Split and subset.
        entry: The scores as in a result file.
    """

    scores: Scores
    items: AnyItems
    interval: tuple[float, float]
    main: str
    baseline_items: Mapping[Baseline, AnyItems]
    additive: float
    gain: float
    gain_interval: tuple[float, float]
    gain_p_value: float
    task: AbsTaskCompositionality
    place: tuple[str, str]
    entry: Mapping[str, Any]

    def save(
        self,
        folder: str | Path,
        *,
        model: str,
        revision: str = "1",
    ) -> Path:
        """Write the result as `mteb run` would, for `harness-ext show`, `compare` and `report`.

        Args:
            folder: Of the results.
            model: The name of the encoder, such as `me/mine`.
            revision: Which state of it; a result of the same name and revision is replaced.

        Returns:
            The result file.
        """
        split, subset = self.place
        entry = {
            **self.entry,
            "main_score": self.entry[self.main],
            "hf_subset": subset,
            "languages": self.task.metadata.hf_subsets_to_langscripts[subset],
            "signature": str(
                replace(Signature.parse(self.entry["signature"]), model=model, revision=revision)
            ),
            DIGEST: keep(self.items),
            **{baseline.items: keep(items) for baseline, items in self.baseline_items.items()},
        }
        meta = ModelMeta.create_empty(overwrites={"name": model, "revision": revision})
        result = mteb.TaskResult.from_task_results(
            self.task, {split: {subset: entry}}, evaluation_time=0.0
        )
        cache = mteb.ResultCache(folder)
        cache.save_to_cache(result, meta)
        return Path(cache.get_task_result_path(self.task.metadata.name, meta))

    def __repr__(self) -> str:
        """The main score, that of the additive baseline, and the gain, a line each."""
        of_baseline = ["additive baseline: not measured", "gain: not measured"]
        if not math.isnan(self.gain):
            gain = _with_interval(self.gain, self.gain_interval)
            of_baseline = [f"additive baseline: {self.additive:.3f}", f"gain: {gain}"]
        return "\n".join(
            [f"{self.main}: {_with_interval(self.scores[self.main], self.interval)}", *of_baseline]
        )

    def _repr_html_(self) -> str:
        low, high = self.interval
        return (
            f"{self.scores._repr_html_()}<p>95 % interval of the main score: [{low:.3f}, "
            f"{high:.3f}]</p>"
        )


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def measure(
    encode: Encode | Callable[[str, str], float],
    task: Task | OwnRows,
    measure: str | None = None,
    *,
    name: str = "rows",
    split: str | None = None,
    subset: str | None = None,
    encode_spans: EncodeSpans | None = None,
) -> Measured[Any]:
    """Measure an encoder on the data of a task, as `mteb run` would, or on your own rows.

    Global random states change by what `encode` draws, and by nothing else.

    Args:
        encode: Distinct texts -> one vector per text, in their order, shape (n, d): numpy, torch or
            lists. Called with all texts at once, with three of them alone, and with single words
            and short strings; where memory ends, with half as many until they fit. An object is
            asked through its method `encode`, such as that of a `SentenceTransformer`. In tasks of
            pairs and triplets also a function of two texts -> how alike they are, see
            `harness_ext.safe_to_merge`, or a `CrossEncoder`: with no gain.
        task: A task for encoders, by name, class or object: `harness-ext tasks` lists them. With
            `measure`, your own rows: a DataFrame, a `Dataset`, a list of dicts, or the path of a
            file, or of several.
        measure: The name of a measure, for your own rows: `harness-ext needs` lists them.
        name: The name of your rows: the result is of the task `own/NAME`.
        split: Of the data, or the protocol; by default the task's first.
        subset: Of the data, such as a language; by default the task's first.
        encode_spans: Sentences, and the first and the end of the words of each, split at blanks and
            counted from 0 -> one vector per sentence, of those words in it; without, there are no
            scores of spans.

    Raises:
        TypeError: `encode` cannot be called and has no method `encode`, `task` is no task, or
            `encode` compares two texts where the task needs vectors.
        CheckError: A function of two texts failed, called `sys.exit()`, or returned no number;
            names the pair. Or it looks like a distance.
        ForeignExitError: `encode` called `sys.exit()`; says where.
        UnknownNameError: There is no task of that name.
        ValueError: There is no such split or subset, `encode` changed its list of texts, or the
            vectors cannot be used; says why.
        UndefinedMainScoreError: The main score is not defined, such as for vectors of zeros; says
            why.
        SourceError: The data cannot be had.
        OwnDataError: Your own rows cannot be measured; names the rows and what to do.

    Examples:
        >>> from string import ascii_lowercase
        >>> counts = lambda text: [text.count(letter) for letter in ascii_lowercase]
        >>> letters = lambda texts: [counts(text) for text in texts]
        >>> result = measure(letters, "EpsilonCompositionalityMini")
        >>> bool(result.interval[0] < result.scores["auc_nc_vs_c"] < result.interval[1])
        True
    """
    check = check_of(encode)
    model: Any = None if check else FunctionModel(cast("Encode", encode), encode_spans)
    ours = _task_of_rows(task, measure, name) if measure is not None else our_task(task)
    split = split or ours.eval_splits[0]
    subset = subset or ours.hf_subsets[0]
    ours.filter_eval_splits([split])
    ours.hf_subsets = [subset]  # the files of the others need not be there
    ours.load_data()
    place = split, subset
    quiet: Any = {"show_progress_bar": False}
    options: Any = {
        "hf_split": split,
        "hf_subset": subset,
        "encode_kwargs": quiet,
        "timer": TimingStack(),
    }
    if check:
        entry = _entry_of(check, ours, place)
    else:
        with telling_how_taken(model):
            entry = ours._evaluate_subset(model, ours.data(*place), **options)
    items = ours.items[place]
    main = ours.measure.main
    gain = gain_key(main)
    low, high = (entry.get(key, math.nan) for key in interval_keys(gain))
    return Measured(
        ours.measure.score(items),
        items,
        ours.measure.interval(items, main),
        main,
        ours.baseline_items.get(place, {}),
        entry.get(additive_key(main), math.nan),
        entry.get(gain, math.nan),
        (low, high),
        entry.get(p_value_key(gain), math.nan),
        ours,
        place,
        entry,
    )


def _entry_of(
    check: Check, task: AbsTaskCompositionality, place: tuple[str, str]
) -> dict[str, Any]:
    """The entry of a result file of a function of two texts; the task keeps the items."""
    plan = task.planned(task.rows(*place), place[0])
    first_table = next(iter(plan.tables().values()))
    is_filled_by_distances = type(task.measure).fill is EncoderMeasure.fill
    if not (isinstance(first_table, _OF_PAIRS) and is_filled_by_distances):
        raise TypeError(
            f"{check.name} compares two texts, and {task.metadata.name} needs a vector of each. "
            "Tasks of pairs and "
            f"triplets do without, such as CaptionSwap or MergeOpposites. {check.taken_as}".rstrip()
        )
    items = fill_pairs(plan, check(compared_pairs(plan)).alike)
    scores: dict[str, Any] = task.measure.flat_scores(items)
    check_main_score(task.measure, scores, items, task.metadata.name, check.name)
    task.items[place] = items
    facts = {"model": f"local/{check.name}", "revision": "1", "level": "pair", "dtype": "float64"}
    return {**scores, "signature": str(task.signature(*place, facts))}


def _task_of_rows(
    rows: Task | OwnRows,
    measure: str,
    name: str,
) -> AbsTaskCompositionality:
    """A task on a user's own rows."""
    read = rows_for_measure(measure_named(measure), any_table(rows))
    task = registered_task(declared(name, read))
    for message in read.warnings:
        logger.warning("Look at it: %s", message)
    return cast("AbsTaskCompositionality", task)


def our_task(task: Task | OwnRows) -> AbsTaskCompositionality:
    """A task of this project, from a name, a class or an object, which is used as it is. Raises
    what `measure` does.
    """
    made: Any
    if isinstance(task, str):
        made = task_named(task)
    elif isinstance(task, AbsTask):
        with random_states_kept():  # mteb seeds everything when it makes a task
            made = type(task)(seed=task.seed)
    elif isinstance(task, type) and issubclass(task, AbsTask):
        with random_states_kept():
            made = task()
    else:
        raise TypeError(
            f"task is a {type(task).__name__}: pass a task's name, its class, or an object of it. "
            "With your own rows, "
            'pass a measure too: measure(encode, rows, "idiom_paraphrase").'
        )
    if not isinstance(made, AbsTaskCompositionality):
        raise ValueError(
            f"{made.metadata.name} is no task of this project; `harness-ext tasks` lists them."
        )
    return made


@contextmanager
def telling_how_taken(model: Any) -> Iterator[None]:
    """Add to an error how a function was taken, for who forgot an argument of it."""
    try:
        yield
    except Exception as error:
        if isinstance(model, FunctionModel) and model.taken_as:
            error.add_note(model.taken_as)
        raise


class FunctionModel(AbsEncoder):
    """A function, or an object with a method `encode`, as a model of mteb.

    Attributes:
        taken_as: Why a function was taken for an encoder, for messages; empty for an object.
    """

    def __init__(
        self,
        encode: Encode,
        encode_spans: EncodeSpans | None = None,
    ) -> None:
        # a SentenceTransformer can be called too, but with tokens
        function: Any = encode if isinstance(encode, str) else getattr(encode, "encode", encode)
        kind = type(encode).__name__
        if hasattr(encode, "mteb_model_meta") or _is_of_mteb(function):
            raise TypeError(
                f"encode is a {kind}, a model of mteb: call mteb.evaluate(model, task)."
            )
        is_other = function is encode and any(
            hasattr(encode, name) for name in ("forward", "fit", "predict")
        )
        # a module, a pipeline and an estimator take no list of texts
        if is_other or not callable(function):
            raise TypeError(
                f"encode is {f'a {kind}' if is_other else repr(encode)}: pass a function from a "
                "list of texts to vectors, or an object whose method `encode` is one, such as a "
                "SentenceTransformer."
            )
        found = arguments(function)
        if found and not takes(function, 1):
            takes_these = f"encode is {function!r}, which takes {found}."
            raise TypeError(f"{takes_these} An encoder takes one argument, a list of texts. {_TWO}")
        self.taken_as = ""
        if function is encode:
            name = getattr(encode, "__name__", kind)
            self.taken_as = f"{name} {_ONE} {_TWO}"
        self._encode = function
        self._name = f"local/{getattr(encode, '__name__', type(encode).__name__)}"
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": self._name})
        if encode_spans:
            # which tasks ask a model for
            self.encode_spans = partial(self._unchanged, encode_spans)

    def encode(self, inputs: Any, **_: Any) -> Any:
        """The texts of a loader of `encode_texts` -> what the function returns for them."""
        texts = inputs.dataset[:]["text"]  # batch by batch takes twenty times as long
        return self._unchanged(self._encode, texts)

    def _unchanged(
        self,
        function: Callable[..., Any],
        *given: list[Any],
    ) -> Any:
        """Call a function with lists of its own, and refuse what it returns if it changed one."""
        copies = [list(texts) for texts in given]
        with no_exit(self._name):
            returned = function(*copies)
        if copies != [*given]:
            raise EncodingError(
                f"{self._name} changed the list that it was given, by sorting it perhaps, so that "
                "its vectors may be in another order than the texts. Let it work on a copy: texts "
                "= list(texts)."
            )
        return returned


def _is_of_mteb(function: Any) -> bool:
    """Whether a function must be given what mteb gives to `encode` beside texts."""
    with suppress(TypeError, ValueError):  # no function, or one of C
        needed = signature(function).parameters
        return any(
            needed[name].default is Parameter.empty
            for name in ("task_name", "task_metadata")
            if name in needed
        )
    return False
