"""Result files with items made up at random, of any task, as `load_results` finds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.caption_swap import CaptionSwapItems
from harness_ext.evaluators.epsilon import EpsilonCompounds, EpsilonItems
from harness_ext.evaluators.idiom_paraphrase import IdiomParaphraseItems, RemovedRows
from harness_ext.evaluators.merge_opposites import MergeItems, MergePairs, RepeatedPairs
from harness_ext.evaluators.montague_items import (
    TYPES,
    MontagueAdjectives,
    MontagueItems,
    MontagueNouns,
)
from harness_ext.evaluators.pair_similarity import PairSimilarityItems
from harness_ext.evaluators.similarity import (
    Similarities,
    SimilarityCompounds,
    SimilarityItems,
    SimilaritySentences,
)
from harness_ext.evaluators.type_token import (
    AloneSimilarities,
    SentencePairs,
    TypeTokenCompounds,
    TypeTokenItems,
    TypeTokenSentences,
)
from harness_ext.fitted.polarity_items import (
    FineTunings,
    HeldOutAnswers,
    PolarityAnswers,
    PolarityItems,
    PolarityPairs,
    PolarityProtocol,
)
from harness_ext.fitted.tree_reconstruction_error import ReconstructedTrees, TreeFits, TreeItems
from harness_ext.framework.fill import fill
from harness_ext.results.load import read_result
from harness_ext.statistics.distance import cosine_distance
from harness_ext.store.item_files import DIGEST, keep, write_items
from harness_ext.tasks import ENCODER_TASKS
from tests.evaluators import given
from tests.planted import random_vector, vectors_of

if TYPE_CHECKING:
    from pathlib import Path

    from harness_ext.framework.items import Items
    from harness_ext.results.entry import Entry

CLASSES = ("C", "PC", "NC")


def epsilon_items(rng: np.random.Generator, n: int, **_: Any) -> EpsilonItems:
    """Two slots with two ordered pairs of synonyms for each of n compounds, their distances those of random vectors."""
    slots = [(f"compound {number}", slot) for number in range(n) for slot in ("modifier", "head")]
    names = [(f"row {name}", name, slot, f"{name} {slot}", *(f"{name} {slot} synonym {one}" for one in pair))
             for name, slot in slots for pair in ((1, 2), (2, 1))]  # fmt: skip
    corners = np.arange(3 * len(slots)).reshape(-1, 3)[:, [[0, 1, 2], [0, 2, 1]]].reshape(-1, 3)
    comparisons = given.EpsilonComparisons(np.array(names), corners, corners + 3 * len(slots))
    compounds = EpsilonCompounds(
        [f"compound {number}" for number in range(n)],
        [CLASSES[number % 3] for number in range(n)],
        *np.random.default_rng(0).uniform(1, 6, size=(3, n)),
    )
    return given.epsilon_items(rng.normal(size=(6 * len(slots), 8)), comparisons, compounds)


def similarity_items(rng: np.random.Generator, n: int, *, spans: bool = True, **_: Any) -> SimilarityItems:
    """Two sentences of each of n compounds; human scores but for every fifth."""
    names = [f"compound {number}" for number in range(n)]
    sentences = [(f"row {name} {number}", name) for name in names for number in range(2)]
    levels = ("sentence", "span") if spans else ("sentence",)
    rows = [(row, name, level, probe, f"words {number}") for level in levels for row, name in sentences
            for number, probe in enumerate(("syn", "words_syn", "rand", "rand", "head", "modifier"))]  # fmt: skip
    comp = np.where(np.arange(n) % 5 == 4, np.nan, rng.uniform(0, 5, size=n))
    similarity = rng.uniform(0.2, 0.9, size=(2, len(rows)))
    classes = [CLASSES[number % 3] for number in range(n)]
    return SimilarityItems(
        Similarities(*np.array(rows).T, similarity=similarity[0], standardised=similarity[1]),
        SimilaritySentences(*np.array(sentences).T, rng.integers(5, 20, size=len(sentences))),
        SimilarityCompounds(names, classes, comp, comp, np.arange(n) % 2 == 0),
    )


def type_token_items(rng: np.random.Generator, n: int, *, spans: bool = True, **_: Any) -> TypeTokenItems:
    """Three sentences of each of n compounds."""
    names = [f"compound {number}" for number in range(n)]
    sentences = [(f"row {name} {number}", name) for name in names for number in range(3)]
    alone = [("phrase_additivity", "", name) for name in names]
    if spans:
        alone += [(kind, row, name) for kind in ("nc_out", "nc_out_comp") for row, name in sentences]
    pairs = [(level, name, f"row {name} {one}", f"row {name} {other}")
             for level in (("sentence", "span") if spans else ("sentence",)) for name in names
             for one, other in ((0, 1), (0, 2), (1, 2))]  # fmt: skip
    classes = [CLASSES[number % 3] for number in range(n)]
    names_of_texts = [(f"span {row}", f"{kind} {name}") for kind, row, name in alone]
    names_of_texts += [(f"{level} {row}", f"{level} {other}") for level, _, row, other in pairs]
    _, numbers = np.unique(names_of_texts, return_inverse=True)
    first, second = numbers.reshape(-1, 2).T
    cosines = 1 - cosine_distance(rng.normal(size=(numbers.max() + 1, 8)), first, second)
    return TypeTokenItems(
        AloneSimilarities(*np.array(alone).T, similarity=cosines[: len(alone)]),
        SentencePairs(*np.array(pairs).T, similarity=cosines[len(alone) :]),
        TypeTokenSentences(*np.array(sentences).T, rng.uniform(0, 5, size=3 * n), np.full(3 * n, True)),
        TypeTokenCompounds(names, classes, rng.uniform(0, 5, size=n)),
    )


def montague_items(rng: np.random.Generator, n: int, *, doubles: bool = True, **_: Any) -> MontagueItems:
    """Three adjectives of each type, three nouns."""
    adjectives = [f"{kind} {number}" for kind in TYPES for number in range(3)]
    nouns = ["dog", "king", "law"]
    n_a, n_n = len(adjectives), len(nouns)
    shapes = ((n_a,), (n_n,), (n_a, n_n), (n_a,), (n_n,), (n_a, n_n), (n_a, n_a, n_n), (n_a, n_a))
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    rows = [part.reshape(shape) for part, shape in zip(np.split(np.arange(ends[-1]), ends[:-1]), shapes, strict=True)]
    phrases = given.GivenPhrases(
        *rows[:6],
        *(rows[6:] if doubles else ()),
        adjectives=MontagueAdjectives(adjectives, [name.split()[0] for name in adjectives], adjectives),
        nouns=MontagueNouns(nouns, nouns),
    )
    return given.montague_items(rng.normal(size=(ends[-1], 8)), phrases)


def polarity_items(rng: np.random.Generator, n: int, *, fine_tuned: bool = True, **_: Any) -> PolarityItems:
    """n pairs and n held-out sentences; a linear classifier, frozen and fine-tuned, and two frozen networks."""
    pairs = [f"pair {number}" for number in range(n)]
    trained = [("fb", "linear", 0), ("fb", "dnn", 0), ("fb", "dnn", 1)] + [("ft", "linear", 0)] * fine_tuned
    asked = [(name, *one) for one in trained for name in pairs]
    columns = [list(values) for values in zip(*asked, strict=True)]
    original, rewrite = rng.integers(0, 2, size=(2, len(asked))).astype(bool)
    return PolarityItems(
        PolarityPairs(pairs, [("neg_to_pos", "pos_to_neg")[number % 2] for number in range(n)], [""] * n),
        PolarityAnswers(*columns, original_correct=original, rewrite_correct=rewrite),
        HeldOutAnswers(*columns, correct=rng.integers(0, 2, size=len(asked)).astype(bool)),
        FineTunings(*([[value] * fine_tuned for value in ("linear", 0, 2.0, 3, 8)])),
        PolarityProtocol([100], [0], [False]),
    )


def tree_items(rng: np.random.Generator, n: int, **_: Any) -> TreeItems:
    """n trees, the last of which is of one word and left out."""
    excluded = ["" for _ in range(n - 1)] + ["single_word"]
    wns = np.where(np.array(excluded) == "", rng.uniform(0, 2, size=n), np.nan)
    rows = [f"dev-{number}" for number in range(n)]
    impurity, error = rng.uniform(size=n), rng.uniform(0.1, 0.6, size=n)
    trees = ReconstructedTrees(rows, np.full(n, 9), wns, impurity, excluded=excluded, error=error)
    return TreeItems(trees, TreeFits(["sum"], sentences=[n], error=[0.3], steps=[100], converged=[True]))


def pair_items(rng: np.random.Generator, n: int, **_: Any) -> PairSimilarityItems:
    """Two adversarial and two ordinary pairs of the same sentence in each of n groups."""
    kinds = ["adversarial", "adversarial", "ordinary", "ordinary"]
    names = [
        (f"pair {group} {number}", kind, f"{kind} {group}") for group in range(n) for number, kind in enumerate(kinds)
    ]
    comparisons = np.array([[5 * group, 5 * group + number] for group in range(n) for number in range(1, 5)])
    return given.pair_similarity_items(
        rng.normal(size=(5 * n, 8)), comparisons, np.array(names), rng.uniform(size=4 * n)
    )


def caption_items(rng: np.random.Generator, n: int, **_: Any) -> CaptionSwapItems:
    """n triplets of each of two files."""
    names = np.array([(f"{file}-{number}", file) for file in ("swap_obj", "swap_att") for number in range(n)])
    vectors = rng.normal(size=(6 * n, 8))
    return given.caption_swap_items(
        vectors, np.arange(6 * n).reshape(-1, 3), names, rng.integers(0, 2, size=2 * n) == 1
    )


def rewrite_items(rng: np.random.Generator, n: int, **_: Any) -> IdiomParaphraseItems:
    """n triples, and a row without a rewrite that follows."""
    names = np.array([f"idioms-{number}" for number in range(n)])
    removed = RemovedRows([f"idioms-{n}"], ["no_entailed"])
    comparisons = np.arange(3 * n).reshape(-1, 3)
    return given.idiom_paraphrase_items(rng.normal(size=(3 * n, 8)), comparisons, names, np.arange(n) % 2, removed)


def merge_items(rng: np.random.Generator, n: int, **_: Any) -> MergeItems:
    """A paraphrase and a negation of each of n sentences, and a row that is repeated."""
    pairs = [
        (f"pair {number} {kind}", f"sentence {number}", kind) for number in range(n) for kind in ("same", "negation")
    ]
    first, second = (given.texts(numbers) for numbers in np.arange(4 * n).reshape(-1, 2).T)
    table = MergePairs(*map(list, zip(*pairs, strict=True)), first=first, second=second)
    return fill(MergeItems(table, RepeatedPairs(["pair again"])), given.Given(rng.normal(size=(4 * n, 8))))


def expression_rows(n):
    """Two sentences of each of n expressions, the last without a second paraphrase, and a row that is left out."""
    for number in range(2 * n):
        texts = {name: f"{name} {number}" for name in ("sentence", "entailed", "not_entailed")}
        yield {"id": f"row {number}", "expression": f"expression {number // 2}", "removed_by": None, **texts}
    yield {"id": "pair", "expression": "another", "sentence": "a", "entailed": "b", "not_entailed": None,
           "removed_by": None}  # fmt: skip
    yield {**dict.fromkeys(("id", "expression", "sentence", "entailed", "not_entailed"), "x"), "removed_by": "same"}


def retrieval_rows(n):
    """A query of either usage of each of n expressions, and two documents for each."""
    for number in range(n):
        for usage in ("literal", "idiomatic"):
            for place in range(3):
                name = f"{number} {usage} {place}"
                yield {"id": name, "is_query": place == 0, "expression": f"expression {number}", "usage": usage,
                       "sentence": name}  # fmt: skip


def negation_rows(n):
    """An important negation and another one in each of n pairs, and a row that is left out."""
    for number in range(n):
        for important in (True, False):
            name = f"{number} {important}"
            yield {"id": name, "pair": f"pair {number}", "before": name, "after": f"{name}, no", "important": important,
                   "n_removed": 1 + number % 2, "removed_by": None}  # fmt: skip
    yield {**dict.fromkeys(("id", "pair", "before", "after", "important", "n_removed"), ""), "removed_by": "twice"}


def use_rows(n):
    """Five uses of either reading of each of n expressions, and one that is left out."""
    for number in range(n):
        for place in range(10):
            name = f"{number} {'use' * place}"
            yield {"id": name, "expression": f"expression {number}", "sentence": name, "is_idiomatic": place % 2 == 0,
                   "removed_by": "unclear" if number == place == 0 else None}  # fmt: skip


ROWS = {
    "expression_paraphrase": expression_rows,
    "idiom_retrieval": retrieval_rows,
    "negation_importance": negation_rows,
    "token_idiomaticity": use_rows,
}
"""Measure -> what makes n units of rows for it, which a random encoder then encodes."""


MAKERS = {
    "epsilon": epsilon_items,
    "affinity": similarity_items,
    "scaled_similarity": similarity_items,
    "type_token": type_token_items,
    "montague": montague_items,
    "polarity": polarity_items,
    "tree_reconstruction": tree_items,
    "role_swap": pair_items,
    "transitive_similarity": pair_items,
    "caption_swap": caption_items,
    "idiom_paraphrase": rewrite_items,
    "merge_opposites": merge_items,
}
"""Measure -> what makes items of it, where they are made without rows."""


def planted_items(task: str, seed: int = 0, n: int = 30, **options: Any) -> Items:
    """Items of a task.

    Args:
        task: Its name.
        seed: Of all that is random.
        n: How many compounds, pairs or trees.
        options: Of the makers above.
    """
    measure, rng = ENCODER_TASKS[task].measure, np.random.default_rng(seed)
    if measure.name in ROWS:
        encode = vectors_of(random_vector(int(rng.integers(2**31))))
        return measure.fill(measure.planned([*ROWS[measure.name](n)], "test"), encode)
    return MAKERS[measure.name](rng, n, **options)


def write_entry(
    folder: Path,
    task: str,
    items: Items,
    model: str = "planted/one",
    place: tuple[str, str] = ("naturalistic", "en"),
    revision: str = "1",
) -> Entry:
    """Write the result of one model in one split and subset, with its items, and read it."""
    measure = ENCODER_TASKS[task].measure
    flat = measure.flat_scores(items)
    split, subset = place
    scores = {**flat, "main_score": flat.get(measure.main, 0.0), "hf_subset": subset, DIGEST: keep(items)}
    file = folder / "results" / model.replace("/", "__") / revision / f"{task}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    earlier = json.loads(file.read_text())["scores"] if file.is_file() else {}
    content = {
        "task_name": task,
        "dataset_revision": "1",
        "scores": {**earlier, split: [*earlier.get(split, []), scores]},
    }
    digests = {(name, one["hf_subset"]): one[DIGEST] for name, all_of in content["scores"].items() for one in all_of}
    write_items(file, measure.items, digests)
    file.write_text(json.dumps(content))
    (file.parent / "model_meta.json").write_text(json.dumps({"name": model}))
    return next(entry for entry in read_result(file) if (entry.split, entry.subset) == place)
