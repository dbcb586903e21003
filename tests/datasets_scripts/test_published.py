"""The files as published, and this project's own: how many rows they give, and of which classes."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

REMOVED = "removed_by"
OURS = [
    ("compound_mini", "default", "naturalistic", 360, "class", {"NC": 135, "PC": 90, "C": 135}),
    ("impli", "mini", "idioms", 60, REMOVED, {None: 60}),
    ("impli", "mini", "antonyms", 60, REMOVED, {None: 60}),
    ("merge_opposites", "mini", "test", 360, "kind", {"same": 180, "antonym": 15, "update": 12}),
    ("polarity_pairs", "mini", "train", 400, "label", {0: 200, 1: 200}),
    ("polarity_pairs", "mini", "pairs", 120, "label", {0: 60, 1: 60}),
    ("sentiment_trees", "mini", "test", 240, "label", {0: 24, 1: 69, 2: 70, 3: 63, 4: 14}),
    ("sts3k", "mini", "test", 96, "similarity", {1: 48, 0.5: 24, 0: 24}),
    ("sts3k", "mini", "test", 96, "kind", {"adversarial": 48, "ordinary": 48}),
    ("sugarcrepe_pp", "mini", "swap_att", 30, "id", {"swap_att-29": 1}),
    ("transitive_sentences", "mini", "test", 66, "similarity", {0: 33, 1: 33}),
]
FILES = [
    (
        "impli",
        "impli",
        "idioms",
        534,
        REMOVED,
        {None: 248, "no_not_entailed": 280, "no_entailed": 6},
    ),
    *(
        ("impli", "impli", split, None, REMOVED, {None: n})
        for split, n in (
            ("antonyms", 375),
            ("metaphors", 259),
            ("magpie", 2430),
            ("pie", 77),
            ("semeval", 59),
        )
    ),
    (
        "merge_opposites",
        "semantoneg",
        "test",
        9456,
        "kind",
        {"same": 3152, "antonym": 3152, "negation": 3152},
    ),
    ("merge_opposites", "sugarcrepe_pp", "test", 9514, "kind", {"same": 4757}),
    ("ncimp", "pt", "naturalistic", 540, "context", {1: 180, 2: 180, 3: 180}),
    ("ncimp", "pt", "neutral", 180, "class", {"NC": 50, "PC": 75, "C": 55}),
    ("ncimp", "pt", "neutral", 180, "expert_class", {"NC": 60, "PC": 60, "C": 60}),
    ("nctti", "pt", "naturalistic", 540, "expert_class", {"NC": 180, "PC": 180, "C": 180}),
    ("polarity_pairs", "reference", "dev", 4000, "label", {}),
    ("polarity_pairs", "reference", "test", 1000, "label", {}),
    ("polarity_pairs", "reference", "pairs", 500, "label", {0: 500}),
    ("polarity_pairs", "reference", "pairs", 500, REMOVED, {None: 489, "no_added_word": 11}),
    ("polarity_pairs", "system", "pairs", 1000, "label", {0: 500, 1: 500}),
    (
        "polarity_pairs",
        "system",
        "pairs",
        1000,
        REMOVED,
        {None: 982, "copy": 12, "no_added_word": 6},
    ),
    *(
        ("sentiment_trees", "sst", split, n, "label", {})
        for split, n in (("dev", 1101), ("test", 2210))
    ),
    *(
        ("sugarcrepe_pp", "scpp", split, n, "id", {f"{split}-{n - 1}": 1})
        for split, n in (
            ("swap_obj", 245),
            ("swap_att", 666),
            ("replace_att", 788),
            ("replace_rel", 1406),
        )
    ),
    ("transitive_sentences", "gs2011", "test", 199, "id", {"gs2011-198": 1}),
    ("transitive_sentences", "ks2013", "test", 108, "id", {"ks2013-107": 1}),
    ("idiolink", "idiolink", "test", 9000, "is_query", {False: 7500, True: 1500}),
    ("idiom_uses", "de", "test", 9901, REMOVED, {"unclear": 43}),
    ("idiom_uses", "it", "test", 7533, REMOVED, {"disliked": 1893}),
    ("idiom_uses", "tr", "test", 6861, REMOVED, {"disliked": 265}),
    ("ncimp", "it", "naturalistic", 711, "context", {1: 237}),
    ("ncimp", "it", "neutral", 237, "class", {"NC": 88, "PC": 75, "C": 74}),
    ("negation_minimal_pairs", "en", "test", 1052, REMOVED, {}),
    ("negation_minimal_pairs", "de", "test", 1334, REMOVED, {}),
    ("negation_minimal_pairs", "fr", "test", 843, REMOVED, {}),
    ("negation_minimal_pairs", "bg", "test", 882, REMOVED, {}),
    ("negation_minimal_pairs", "zh", "test", 1155, REMOVED, {"both_changed": 158}),
    ("semeval_2022_idioms", "en", "train", 4725, REMOVED, {}),
    ("semeval_2022_idioms", "pt", "train", 1847, REMOVED, {}),
    ("sentiment_trees", "sst", "train", 8544, "label", {}),
    (
        "sts3k",
        "pairs",
        "test",
        2800,
        "kind",
        {"adversarial": 1664, "ordinary": 1065, "negation": 71},
    ),
    ("sugarcrepe_pp", "scpp", "replace_obj", 1652, "id", {}),
]
REBUILT = [  # of files that are rebuilt
    ("ncimp", "en", "naturalistic", 843, "context", {1: 281}),
    ("ncimp", "en", "neutral", 281, "class", {"NC": 91, "PC": 89, "C": 99, None: 2}),
    ("ncimp", "en", "neutral", 281, "expert_class", {"NC": 103, "PC": 89, "C": 88, None: 1}),
    ("nctti", "en", "naturalistic", 843, "expert_class", {"NC": 309, "PC": 267, "C": 264, None: 3}),
]


OF_PAPERS = [
    pytest.param(case, marks=[pytest.mark.slow, pytest.mark.real_data]) for case in FILES + REBUILT
]


@pytest.mark.parametrize("case", OURS + OF_PAPERS, ids=lambda case: "-".join(map(str, case[:3])))
def test_rows_and_classes(request, case):
    if case not in OURS:
        request.getfixturevalue(
            "unverified_mirror" if case[0] == "nctti" or case in REBUILT else "mirror"
        )
    name, config, split, n, column, counts = case
    rows = datasets.load_dataset(name, config, split=split).to_list()
    assert len(rows) == len({row["id"] for row in rows})
    assert n in {None, len(rows)}
    found = Counter(row[column] for row in rows)
    assert {value: found[value] for value in counts} == counts
    for row in rows:
        if row.get("span") and config != "it":
            assert row["sentence"].split()[slice(*row["span"])] == row["surface"].split()


@pytest.mark.slow
@pytest.mark.real_data
def test_probes_stand_where_they_say(mirror):
    for row in datasets.load_dataset("ncimp", "it", split="naturalistic"):
        assert len(row["rand"]) == 5
        for probe in (row["syn"], row["head"], row["modifier"], *row["words_syn"], *row["rand"]):
            inside = " ".join(probe["sentence"].split()[slice(*probe["span"])])
            assert probe["expression"].casefold() in inside.casefold(), (row["id"], probe)


@pytest.mark.slow
@pytest.mark.real_data
def test_scores_are_joined_to_their_compounds(unverified_mirror):
    naturalistic, neutral = (
        datasets.load_dataset("ncimp", "en", split=name) for name in ("naturalistic", "neutral")
    )
    assert {row["compound"] for row in neutral if row["class"] is None} == {
        "dust storm",
        "small fry",
    }
    assert {row["compound"] for row in neutral if row["comp"] is None} == {"dust storm"}
    boxes = [row for row in naturalistic if row["compound"] == "black box"]
    assert [(row["token_score"], row["type_score"], row["comp"]) for row in boxes] == [
        (1.3, 1.29, 1.81),
        (2.83, 1.29, 1.81),
        (1.3, 1.29, 1.81),
    ]
    assert all(len(row["words_syn"]) == len(row["rand"]) == 5 for row in boxes)
    types = datasets.load_dataset("nctti", "en", split="naturalistic")
    assert {row["compound"] for row in types if row["token_score"] is None} == {"dust storm"}
    assert {row["compound"] for row in types if row["type_score"] is None} == {
        "dust storm",
        "small fry",
    }


@pytest.mark.slow
@pytest.mark.real_data
def test_labels_and_units_are_those_of_the_cards(mirror):
    def rows(name, config, split="test"):
        return datasets.load_dataset(name, config, split=split).to_list()

    negations = [row for row in rows("negation_minimal_pairs", "zh") if not row["removed_by"]]
    assert Counter(row["important"] for row in negations) == {True: 558, False: 439}
    for language, triplets, expressions in (("en", 2029, 139), ("pt", 900, 80)):
        both = [
            row for row in rows("semeval_2022_idioms", language, "train") if row["not_entailed"]
        ]
        assert (len(both), len({row["expression"] for row in both})) == (triplets, expressions)
    for config, sources in (("semantoneg", 2435), ("sugarcrepe_pp", 1542)):
        assert len({row["source"] for row in rows("merge_opposites", config)}) == sources
    words = {
        word for row in rows("sentiment_trees", "sst") for word in row["words"] if "\u00a0" in word
    }
    assert words <= {"2\u00a01/2", "8\u00a01/2"}
    assert not any("<b>" in row["sentence"] for row in rows("idiom_uses", "de"))
