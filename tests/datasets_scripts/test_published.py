"""The files as published, and this project's own: how many rows they give, and of which classes."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import datasets
import pytest

REMOVED = "removed_by"


class Case(NamedTuple):
    place: str
    """Dataset/config/split."""
    n_rows: int | None
    """Not said where None."""
    column: str
    counts: dict[Any, int]
    """How many rows have some values of the column."""

    def __str__(self) -> str:
        return self.place.replace("/", "-")


OURS = [
    Case("compound_mini/default/naturalistic", 360, "class", {"NC": 135, "PC": 90, "C": 135}),
    Case("impli/mini/idioms", 60, REMOVED, {None: 60}),
    Case("impli/mini/antonyms", 60, REMOVED, {None: 60}),
    Case("merge_opposites/mini/test", 396, "kind", {"same": 198, "antonym": 15, "update": 30}),
    Case("polarity_pairs/mini/train", 400, "label", {0: 200, 1: 200}),
    Case("polarity_pairs/mini/pairs", 120, "label", {0: 60, 1: 60}),
    Case("sentiment_trees/mini/test", 240, "label", {0: 24, 1: 69, 2: 70, 3: 63, 4: 14}),
    Case("sts3k/mini/test", 96, "similarity", {1: 48, 0.5: 24, 0: 24}),
    Case("sts3k/mini/test", 96, "kind", {"adversarial": 48, "ordinary": 48}),
    Case("sugarcrepe_pp/mini/swap_att", 30, "id", {"swap_att-29": 1}),
    Case("transitive_sentences/mini/test", 66, "similarity", {0: 33, 1: 33}),
]
FILES = [
    Case(
        "impli/impli/idioms",
        534,
        REMOVED,
        {None: 248, "no_not_entailed": 280, "no_entailed": 6},
    ),
    Case("impli/impli/antonyms", None, REMOVED, {None: 375}),
    Case("impli/impli/metaphors", None, REMOVED, {None: 259}),
    Case("impli/impli/magpie", None, REMOVED, {None: 2430}),
    Case("impli/impli/pie", None, REMOVED, {None: 77}),
    Case("impli/impli/semeval", None, REMOVED, {None: 59}),
    Case(
        "merge_opposites/semantoneg/test",
        9456,
        "kind",
        {"same": 3152, "antonym": 3152, "negation": 3152},
    ),
    Case("merge_opposites/sugarcrepe_pp/test", 9514, "kind", {"same": 4757}),
    Case("ncimp/pt/naturalistic", 540, "context", {1: 180, 2: 180, 3: 180}),
    Case("ncimp/pt/neutral", 180, "class", {"NC": 50, "PC": 75, "C": 55}),
    Case("ncimp/pt/neutral", 180, "expert_class", {"NC": 60, "PC": 60, "C": 60}),
    Case("nctti/pt/naturalistic", 540, "expert_class", {"NC": 180, "PC": 180, "C": 180}),
    Case("polarity_pairs/reference/dev", 4000, "label", {}),
    Case("polarity_pairs/reference/test", 1000, "label", {}),
    Case("polarity_pairs/reference/pairs", 500, "label", {0: 500}),
    Case("polarity_pairs/reference/pairs", 500, REMOVED, {None: 489, "no_added_word": 11}),
    Case("polarity_pairs/system/pairs", 1000, "label", {0: 500, 1: 500}),
    Case(
        "polarity_pairs/system/pairs",
        1000,
        REMOVED,
        {None: 982, "copy": 12, "no_added_word": 6},
    ),
    Case("sentiment_trees/sst/dev", 1101, "label", {}),
    Case("sentiment_trees/sst/test", 2210, "label", {}),
    Case("sugarcrepe_pp/scpp/swap_obj", 245, "id", {"swap_obj-244": 1}),
    Case("sugarcrepe_pp/scpp/swap_att", 666, "id", {"swap_att-665": 1}),
    Case("sugarcrepe_pp/scpp/replace_att", 788, "id", {"replace_att-787": 1}),
    Case("sugarcrepe_pp/scpp/replace_rel", 1406, "id", {"replace_rel-1405": 1}),
    Case("transitive_sentences/gs2011/test", 199, "id", {"gs2011-198": 1}),
    Case("transitive_sentences/ks2013/test", 108, "id", {"ks2013-107": 1}),
    Case("idiolink/idiolink/test", 9000, "is_query", {False: 7500, True: 1500}),
    Case("idiom_uses/de/test", 9901, REMOVED, {"unclear": 43}),
    Case("idiom_uses/it/test", 7533, REMOVED, {"disliked": 1893}),
    Case("idiom_uses/tr/test", 6861, REMOVED, {"disliked": 265}),
    Case("ncimp/it/naturalistic", 711, "context", {1: 237}),
    Case("ncimp/it/neutral", 237, "class", {"NC": 88, "PC": 75, "C": 74}),
    Case("negation_minimal_pairs/en/test", 1052, REMOVED, {}),
    Case("negation_minimal_pairs/de/test", 1334, REMOVED, {}),
    Case("negation_minimal_pairs/fr/test", 843, REMOVED, {}),
    Case("negation_minimal_pairs/bg/test", 882, REMOVED, {}),
    Case("negation_minimal_pairs/zh/test", 1155, REMOVED, {"both_changed": 158}),
    Case("semeval_2022_idioms/en/train", 4725, REMOVED, {}),
    Case("semeval_2022_idioms/pt/train", 1847, REMOVED, {}),
    Case("sentiment_trees/sst/train", 8544, "label", {}),
    Case(
        "sts3k/pairs/test",
        2800,
        "kind",
        {"adversarial": 1664, "ordinary": 1065, "negation": 71},
    ),
    Case("sugarcrepe_pp/scpp/replace_obj", 1652, "id", {}),
]
REBUILT = [  # of files that are rebuilt
    Case("ncimp/en/naturalistic", 843, "context", {1: 281}),
    Case(
        "ncimp/en/neutral",
        281,
        "class",
        {"NC": 91, "PC": 89, "C": 99, None: 2},
    ),
    Case(
        "ncimp/en/neutral",
        281,
        "expert_class",
        {"NC": 103, "PC": 89, "C": 88, None: 1},
    ),
    Case(
        "nctti/en/naturalistic",
        843,
        "expert_class",
        {"NC": 309, "PC": 267, "C": 264, None: 3},
    ),
]


NEEDS_FILES = [pytest.mark.slow, pytest.mark.real_data]
OF_PAPERS = [pytest.param(case, marks=NEEDS_FILES) for case in FILES + REBUILT]


@pytest.mark.parametrize("case", OURS + OF_PAPERS, ids=str)
def test_rows_and_classes(request, case):
    name, config, split = case.place.split("/")
    if case not in OURS:
        is_unverified = name == "nctti" or case in REBUILT
        request.getfixturevalue("unverified_mirror" if is_unverified else "mirror")
    rows = rows_of(name, config, split)
    assert len(rows) == len({row["id"] for row in rows})
    assert case.n_rows in {None, len(rows)}
    found = Counter(row[case.column] for row in rows)
    for value, count in case.counts.items():
        assert found[value] == count
    for row in rows:
        if row.get("span") and config != "it":
            assert words_inside(row) == row["surface"].split()


def rows_of(name, config, split="test"):
    return datasets.load_dataset(name, config, split=split).to_list()


def words_inside(row):
    """The words of a sentence in its span."""
    first, after = row["span"]
    words = row["sentence"].split()
    return words[first:after]


@pytest.mark.slow
@pytest.mark.real_data
def test_probes_stand_where_they_say(mirror):
    for row in rows_of("ncimp", "it", "naturalistic"):
        assert len(row["rand"]) == 5
        probes = [
            row["syn"],
            row["head"],
            row["modifier"],
            *row["words_syn"],
            *row["rand"],
        ]
        for probe in probes:
            inside = " ".join(words_inside(probe))
            expression = probe["expression"].casefold()
            assert expression in inside.casefold(), (row["id"], probe)


def compounds_without(rows, column):
    return {row["compound"] for row in rows if row[column] is None}


@pytest.mark.slow
@pytest.mark.real_data
def test_scores_are_joined_to_their_compounds(unverified_mirror):
    naturalistic = rows_of("ncimp", "en", "naturalistic")
    neutral = rows_of("ncimp", "en", "neutral")
    assert compounds_without(neutral, "class") == {"dust storm", "small fry"}
    assert compounds_without(neutral, "comp") == {"dust storm"}
    boxes = [row for row in naturalistic if row["compound"] == "black box"]
    assert [row["token_score"] for row in boxes] == [1.3, 2.83, 1.3]
    for row in boxes:
        assert row["type_score"] == 1.29
        assert row["comp"] == 1.81
        assert len(row["words_syn"]) == 5
        assert len(row["rand"]) == 5
    types = rows_of("nctti", "en", "naturalistic")
    assert compounds_without(types, "token_score") == {"dust storm"}
    assert compounds_without(types, "type_score") == {"dust storm", "small fry"}


@pytest.mark.slow
@pytest.mark.real_data
def test_labels_and_units_are_those_of_the_cards(mirror):
    importance = Counter()
    for row in rows_of("negation_minimal_pairs", "zh"):
        if not row["removed_by"]:
            importance[row["important"]] += 1
    assert importance == {True: 558, False: 439}
    for language, n_triplets, n_expressions in (("en", 2029, 139), ("pt", 900, 80)):
        triplets = []
        for row in rows_of("semeval_2022_idioms", language, "train"):
            if row["not_entailed"]:
                triplets.append(row)
        assert len(triplets) == n_triplets
        assert len({row["expression"] for row in triplets}) == n_expressions
    for config, n_sources in (("semantoneg", 2435), ("sugarcrepe_pp", 1542)):
        rows = rows_of("merge_opposites", config)
        assert len({row["source"] for row in rows}) == n_sources
    for row in rows_of("sentiment_trees", "sst"):
        for word in row["words"]:
            assert "\u00a0" not in word or word in {"2\u00a01/2", "8\u00a01/2"}
    for row in rows_of("idiom_uses", "de"):
        assert "<b>" not in row["sentence"]
