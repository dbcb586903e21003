"""Result files with items made up at random, of any task, as `load_results` finds them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import Word, phrase_rows
from harness_ext.measures.core.baseline_keys import (
    ADDITIVE,
    NOISE,
    NOISE_KINDS,
    noise_kind_key,
)
from harness_ext.measures.core.scores import interval_keys
from harness_ext.measures.epsilon.items import EpsilonItems
from harness_ext.measures.montague.items import TYPES
from harness_ext.measures.polarity.items import (
    FineTunings,
    HeldOutAnswers,
    PolarityAnswers,
    PolarityItems,
    PolarityPairs,
    PolarityProtocol,
)
from harness_ext.measures.trees.reconstruction_error import (
    ReconstructedTrees,
    TreeFits,
    TreeItems,
)
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST
from harness_ext.tasks import ENCODER_TASKS, TASKS
from harness_ext.tasks.data import load_rows
from tests.items_check import write_items
from tests.measures.given import Given, compound_row
from tests.planted import random_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_ext.measures.core.items import Items

    Rows = Iterator[dict[str, Any]]

CLASSES = ("C", "PC", "NC")
USAGES = ("literal", "idiomatic")


def compound_rows(rng: np.random.Generator, n: int, contexts: int) -> Rows:
    """Sentences of each of n compounds, with two synonyms of either word; human scores but for
    every fifth.

    Every other compound shares a word with its gold synonym.
    """
    for number in range(n):
        class_ = CLASSES[number % 3]
        score = rng.uniform(0, 5)
        people = {
            "class": class_,
            "expert_class": class_,
            "type_score": score,
            "comp": None if number % 5 == 4 else score,
        }
        head_of_synonym = f"head{number}" if number % 2 == 0 else "box"
        for context in range(contexts):
            very = "very " * rng.integers(9)
            yield compound_row(
                f"modifier{number} head{number}",
                f"row {number} {context} {very}{{}} here",
                syn=f"gold{number} {head_of_synonym}",
                words_syn=[f"crate{number} case{number}", f"case{number} crate{number}"],
                rand=["red pen", "old door"],
                id=f"row {number} {context}",
                token_score=rng.uniform(0, 5),
                **people,
            )


def words_of_type(name: str, kind: str, n: int) -> list[Word]:
    """n words, each with a synonym."""
    return [Word(f"{name}{number}", kind, f"like {name}{number}") for number in range(n)]


def montague_rows(_: np.random.Generator, n: int, doubles: bool = True) -> Iterator[Any]:
    """Eight adjectives of each type, ten nouns: fewer are absent from too many resamples."""
    words: list[Word] = []
    for kind in TYPES:
        words += words_of_type(kind, kind, 8)
    words += words_of_type("noun", "N", 10)
    rows = phrase_rows(words)
    return (row for row in rows if doubles or row["pattern"] == "AN")


def random_answers(rng: np.random.Generator, n: int) -> Any:
    """Whether each of n answers is right, shape (n,)."""
    return rng.integers(0, 2, size=n).astype(bool)


def polarity_items(rng: np.random.Generator, n: int) -> PolarityItems:
    """n pairs and n held-out sentences; a linear classifier, frozen and fine-tuned, and two frozen
    networks.
    """
    pairs = [f"pair {number}" for number in range(n)]
    directions = ["pos_to_neg" if number % 2 else "neg_to_pos" for number in range(n)]
    trained = [
        ("fb", "linear", 0),
        ("fb", "dnn", 0),
        ("fb", "dnn", 1),
        ("ft", "linear", 0),
    ]
    asked = [(pair, *classifier) for classifier, pair in product(trained, pairs)]
    columns = [*map(list, zip(*asked, strict=True))]
    n_answers = len(asked)
    return PolarityItems(
        PolarityPairs(pairs, directions, [""] * n),
        PolarityAnswers(
            *columns,
            original_correct=random_answers(rng, n_answers),
            rewrite_correct=random_answers(rng, n_answers),
        ),
        HeldOutAnswers(*columns, correct=random_answers(rng, n_answers)),
        FineTunings(["linear"], [0], [2.0], [3], [8]),
        PolarityProtocol([100], [0], [False]),
    )


def tree_items(rng: np.random.Generator, n: int) -> TreeItems:
    """n trees, the last of which is of one word and left out."""
    excluded = [""] * (n - 1) + ["single_word"]
    wns = rng.uniform(0, 2, size=n)
    wns[-1] = np.nan
    trees = ReconstructedTrees(
        [f"dev-{number}" for number in range(n)],
        np.full(n, 9),
        wns,
        rng.uniform(size=n),
        excluded=excluded,
        error=rng.uniform(0.1, 0.6, size=n),
    )
    fits = TreeFits(
        ["sum"],
        sentences=[n],
        error=[0.3],
        steps=[100],
        converged=[True],
    )
    return TreeItems(trees, fits)


def rows_of_mini(_: Any, n: int, task: str) -> list[dict[str, Any]]:
    """The rows of this project's own small data, however many they are."""
    about = ENCODER_TASKS[task]
    split = about.splits[0]
    subset = about.subsets[0]
    return [*load_rows(about, split, subset)]


def expression_rows(_: np.random.Generator, n: int) -> Rows:
    """Two sentences of each of n expressions, the last without a second paraphrase, and a row that
    is left out.
    """
    for number in range(2 * n):
        texts = {name: f"{name} {number}" for name in ("sentence", "entailed", "not_entailed")}
        about = {
            "id": f"row {number}",
            "expression": f"expression {number // 2}",
            "n_changed": number % 2,
        }
        yield {**about, "removed_by": None, **texts}
    yield {**about, "id": "pair", "removed_by": None, **texts, "not_entailed": None}
    yield {**about, "id": "x", "removed_by": "repeated", **texts}


def triplet_rows(rng: np.random.Generator, n: int) -> Rows:
    """The same, each with both paraphrases."""
    for row in expression_rows(rng, n):
        if row["not_entailed"]:
            yield row


def merge_rows(_: np.random.Generator, n: int) -> Rows:
    """A paraphrase and a negation of each of n sentences, and a row that is repeated."""
    for number in range(n):
        for kind in ("same", "negation"):
            texts = {"first": f"sentence {number}", "second": f"{kind} {number}"}
            yield {
                "id": f"pair {number} {kind}",
                "source": f"sentence {number}",
                "kind": kind,
                **texts,
            }
    yield {"id": "pair again", "source": "another", "kind": kind, **texts}


def retrieval_rows(
    _: Any,
    n: int,
    usages: tuple[str, ...] = USAGES,
    n_documents: int = 2,
) -> Rows:
    """Documents of each usage of each of n expressions, and a query of the literal and of the
    idiomatic one.
    """
    for usage in usages:
        for number in range(n):
            for place in range(n_documents + (usage in USAGES)):
                name = f"{usage} {number} {place}"
                yield {
                    "id": name,
                    "is_query": place == n_documents,
                    "expression": f"expression {number}",
                    "usage": usage,
                    "sentence": name,
                }


def negation_rows(_: np.random.Generator, n: int) -> Rows:
    """An important negation and another one in each of n pairs, and a row that is left out."""
    for number in range(n):
        for important in (True, False):
            name = f"{number} {important}"
            yield {
                "id": name,
                "pair": f"pair {number}",
                "before": name,
                "after": f"{name}, no",
                "important": important,
                "n_removed": 1 + number % 2,
                "removed_by": None,
            }
    yield {
        "id": "",
        "pair": "",
        "before": "",
        "after": "",
        "important": "",
        "n_removed": "",
        "removed_by": "twice",
    }


def use_rows(_: np.random.Generator, n: int) -> Rows:
    """Five uses of either reading of each of n expressions, and one that is left out."""
    for number in range(n):
        for place in range(10):
            name = f"{number} {'use' * place}"
            yield {
                "id": name,
                "expression": f"expression {number}",
                "sentence": name,
                "is_idiomatic": place % 2 == 0,
                "removed_by": "unclear" if number == place == 0 else None,
            }


ROWS = {
    "epsilon": partial(compound_rows, contexts=1),
    "affinity": partial(compound_rows, contexts=2),
    "scaled_similarity": partial(compound_rows, contexts=2),
    "type_token": partial(compound_rows, contexts=3),
    "montague": montague_rows,
    "role_swap": partial(rows_of_mini, task="RoleSwapSimilarityMini"),
    "transitive_similarity": partial(rows_of_mini, task="TransitiveSimilarityMini"),
    "caption_swap": partial(rows_of_mini, task="CaptionSwapMini"),
    "idiom_paraphrase": triplet_rows,
    "expression_paraphrase": expression_rows,
    "idiom_retrieval": retrieval_rows,
    "negation_importance": negation_rows,
    "token_idiomaticity": use_rows,
    "merge_opposites": merge_rows,
}
"""Measure -> what makes n units of rows for it, which a random encoder then encodes."""

FITTED = {"polarity": polarity_items, "tree_reconstruction": tree_items}
"""Measure -> what makes items of it, where they are made without a fit."""


def planted_items(
    task: str,
    seed: int = 0,
    n: int = 30,
    *,
    spans: bool = True,
    **options: Any,
) -> Items:
    """Items of a task, of n compounds, pairs or trees; `spans`: with vectors of words; `options` of
    `montague_rows`.
    """
    measure = ENCODER_TASKS[task].measure
    rng = np.random.default_rng(seed)
    if measure.name in FITTED:
        return FITTED[measure.name](rng, n)
    encode = random_vector(int(rng.integers(2**31)))

    def encode_span(span: Any) -> Any:
        return encode(str(span))

    make_rows = ROWS[measure.name]
    rows = [*make_rows(rng, n, **options)]
    plan = measure.planned(rows, "naturalistic")
    if isinstance(plan, EpsilonItems):  # made-up words have no frequency
        compounds = replace(
            plan.compounds,
            zipf_modifier=rng.uniform(1, 6, size=n),
            zipf_head=rng.uniform(1, 6, size=n),
            zipf_synonyms=rng.uniform(1, 6, size=n),
        )
        plan = replace(plan, compounds=compounds)
    return measure.fill(plan, Given(encode, encode_span if spans else None))


def write_entry(
    folder: Path,
    task: str,
    items: Items,
    model: str = "planted/one",
    place: Any = ("naturalistic", "en"),
) -> Entry:
    """Write the result of one model in one split and subset, with its items, and read it."""
    measure = ENCODER_TASKS[task].measure
    scores = measure.flat_scores(items)
    split, subset = place
    file = folder / "results" / model.replace("/", "__") / "1" / f"{task}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    record = {
        **scores,
        "main_score": scores.get(measure.main, 0.0),
        "hf_subset": subset,
        DIGEST: write_items(file, items),
    }
    content: dict[str, Any] = {
        "task_name": task,
        "dataset_revision": "1",
        "scores": {},
    }
    if file.is_file():
        content = json.loads(file.read_text())
    content["scores"].setdefault(split, []).append(record)
    file.write_text(json.dumps(content))
    (file.parent / "model_meta.json").write_text(json.dumps({"name": model}))
    entries = {(entry.split, entry.subset): entry for entry in read_result(file)}
    return entries[split, subset]


def entry_at(
    task: str,
    split: str,
    chance: Any,
    additive: Any = None,
    noise: Any = None,
    n: int = 40,
    **more: Any,
) -> Entry:
    """An entry without items, with the ends of its distances from chance and baselines in smallest
    effects.
    """
    measure = TASKS[task].measure
    about = measure.main_declaration
    delta = about.smallest_effect
    main = measure.main

    def scores_between(key: str, low: float, high: float) -> dict[str, float]:
        low_key, high_key = interval_keys(key)
        return {low_key: low, high_key: high, key: (low + high) / 2}

    low, high = [about.chance + delta * end for end in chance]
    scores = scores_between(main, low, high)
    scores[f"n_{main}"] = n
    for baseline, distance in ((ADDITIVE, additive), (NOISE, noise)):
        if distance:
            key = baseline.difference_key(main)
            low, high = [delta * end for end in distance]
            scores |= scores_between(key, low, high)
            scores[baseline.score_key(main)] = scores[main] - scores[key]
    if noise:
        for kind in NOISE_KINDS:
            scores[noise_kind_key(kind, main)] = scores[NOISE.score_key(main)]
    entry = Entry(
        task=task,
        subset=TASKS[task].subsets[0],
        split=split,
        model="a/model",
        revision="1",
        dataset_revision="1",
        signature=None,
        digests={},
        file=Path("none.json"),
        scores=scores | more,
        main_score=scores[main],
    )
    if TASKS[task].harness == "mteb":
        return entry
    return LanguageModelEntry(
        **vars(entry),
        measure_name=measure.name,
        samples=None,
        n_documents=n,
    )
