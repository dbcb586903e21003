"""The tasks for encoders, which mteb runs, in the order of the documentation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness_ext.catalogue import citations
from harness_ext.catalogue.polarity_protocol import configs_of_split
from harness_ext.catalogue.task import Task
from harness_ext.evaluators.affinity import AFFINITY
from harness_ext.evaluators.caption_swap import CAPTION_SWAP
from harness_ext.evaluators.epsilon import EPSILON
from harness_ext.evaluators.idiom_paraphrase import IDIOM_PARAPHRASE
from harness_ext.evaluators.montague import MONTAGUE
from harness_ext.evaluators.pair_similarity import ROLE_SWAP, TRANSITIVE
from harness_ext.evaluators.polarity import POLARITY
from harness_ext.evaluators.scaled_similarity import SCALED_SIMILARITY
from harness_ext.evaluators.tree_reconstruction_error import TREE_RECONSTRUCTION
from harness_ext.evaluators.type_token import TYPE_TOKEN

NOUN_COMPOUNDS = "idiomaticity of noun compounds"
MODIFIERS = "modifiers"
POLARITY_OF_SENTENCES = "polarity"
ROLES = "roles of words"
VERBAL_IDIOMS = "verbal idioms"
"""Constructs that several tasks measure."""

ENGLISH = {"default": ("eng-Latn",)}
_NCIMP_SUBSETS = {"en": ("eng-Latn",), "pt": ("por-Latn",)}

WRITTEN_HERE: dict[str, Any] = {
    "date": ("2026-11-01", "2026-11-30"),
    "domains": ["Written"],
    "license": "cc0-1.0",
    "annotations_creators": "expert-annotated",
    "sample_creation": "created",
}
"""Data written for this project."""

_NCIMP: dict[str, Any] = {
    "reference": "https://doi.org/10.1162/coli_a_00546",
    "date": ("2016-01-01", "2025-06-30"),
    "domains": ["Web", "Written"],
    "license": "not specified",
    "annotations_creators": "human-annotated",
    "sample_creation": "found",
    "bibtex_citation": citations.NCIMP,
}
_SENTIMENT: dict[str, Any] = {
    "task_subtypes": ["Sentiment/Hate speech"],
    "reference": "https://aclanthology.org/2020.repl4nlp-1.22",
    "domains": ["Reviews", "Written"],
    "sample_creation": "found",
}
_POLARITY = {**_SENTIMENT, "bibtex_citation": f"{citations.PSS}\n\n{citations.YELP}"}
_TREES = {**_SENTIMENT, "bibtex_citation": f"{citations.PSS}\n\n{citations.TREES}"}

NCIMP_DATA = {"path": "ncimp", "revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917"}
COMPOUND_MINI: dict[str, Any] = {
    "dataset": {"path": "compound_mini", "revision": "2"},
    "languages": ENGLISH,
    "splits": ("naturalistic",),
    "quick": True,
    "telling_keys": (),
    "about": {**_NCIMP, **WRITTEN_HERE},
}
"""The fields in which the row of a task on `compound_mini` differs from NCIMP's; see also `ON_COMPOUND_MINI`."""

ON_COMPOUND_MINI = (
    "On 60 English compounds, 20 per class, in three sentences each, written for this project. Needs no download and "
    "runs in seconds; too small to rank models by."
)
"""The end of its description."""

_EPSILON = Task(
    name="EpsilonCompositionality",
    harness="mteb",
    module="epsilon_compositionality",
    measure=EPSILON,
    construct=NOUN_COMPOUNDS,
    description="Does a noun compound change its sentence more than its words explain? For each word of a compound, "
    "the effect of replacing it by a synonym, in the sentence against alone (ε), is compared with the effect of "
    "replacing one synonym by another. Idiomatic compounds should stand out, literal ones should not.",
    dataset=NCIMP_DATA,
    languages={"en": ("eng-Latn",)},
    splits=("naturalistic",),
    telling_keys=("rank_share_C", "rank_share_NC"),
    about={**_NCIMP, "bibtex_citation": f"{citations.EPS}\n\n{citations.NCIMP}"},
)
_AFFINITY = Task(
    name="NounCompoundAffinity",
    harness="mteb",
    module="noun_compound_similarity",
    measure=AFFINITY,
    construct=NOUN_COMPOUNDS,
    description="In the sentence of an idiom, which replacement is nearer to the original: a synonym of the whole "
    "compound, or synonyms of its words? Main score: the share of idioms for which it is the synonym of the whole "
    "(0.5 by chance).",
    dataset=NCIMP_DATA,
    languages={**_NCIMP_SUBSETS, "it": ("ita-Latn",)},
    splits=("naturalistic", "neutral"),
    telling_keys=(
        "sentence_sim_syn_spearman",
        "sentence_sim_words_syn_spearman",
        "span_affinity_syn_words_syn_spearman",
    ),
    about=_NCIMP,
)
_SCALED_SIMILARITY = replace(
    _AFFINITY,
    name="NounCompoundScaledSimilarity",
    measure=SCALED_SIMILARITY,
    description="How near does a synonym of a noun compound keep its sentence to the original, on a scale from "
    "unrelated expressions (0) to the original itself (1)?",
    telling_keys=("span_scaled_sim_syn_mean", "span_scaled_sim_syn_spearman"),
)
_MONTAGUE = Task(
    name="MontagueConsistency",
    harness="mteb",
    module="montague_consistency",
    measure=MONTAGUE,
    construct=MODIFIERS,
    description="Do the distances between adjective-noun phrases and their words respect set semantics? A wild dog is "
    "a wild thing and a dog, a skilful king is a king, a fake dog is no dog: three metamorphic tests of "
    "intersectivity and subsectivity, on all phrases of 61 adjectives and 12 nouns.",
    dataset={"path": "modifier_phrases", "name": "released", "revision": "1"},
    languages=ENGLISH,
    splits=("test",),
    telling_keys=("pair_S-I_S-NI", "non_subsective_S-I", "non_subsective_NS-Pr"),
    about={
        "reference": "https://aclanthology.org/2025.coling-main.370",
        "date": ("2022-01-01", "2022-12-31"),
        "domains": ["Constructed"],
        "license": "not specified",
        "annotations_creators": "expert-annotated",
        "sample_creation": "created",
        "bibtex_citation": citations.MONT,
    },
)
_TOO_SMALL = "Needs no download and runs in seconds; too small to rank models by."
_ROLE_SWAP = Task(
    name="RoleSwapSimilarity",
    harness="mteb",
    module="pair_similarity",
    measure=ROLE_SWAP,
    construct=ROLES,
    description="Who did what to whom? Cosines of sentence pairs are correlated with people's similarity, where the "
    "same words have other roles (the main score) and where they do not.",
    dataset={"path": "sts3k", "name": "pairs", "revision": "c310abbe8a50f38135a67939d3e71a878ef359bb"},
    languages=ENGLISH,
    splits=("test",),
    configs=("pairs",),
    telling_keys=("spearman_adversarial", "spearman_ordinary"),
    about={
        "reference": "https://github.com/bmmlab/compositional-semantics-eval",
        "date": ("2023-01-01", "2025-03-31"),
        "domains": ["Constructed"],
        "license": "not specified",
        "annotations_creators": "human-annotated",
        "sample_creation": "created",
        "bibtex_citation": citations.STS3K,
    },
)
_TRANSITIVE = replace(
    _ROLE_SWAP,
    name="TransitiveSimilarity",
    measure=TRANSITIVE,
    description="Do cosines of sentences of subject, verb and object follow people's similarity? GS2011 and KS2013, as "
    "cleaned and averaged in the repository of STS3k.",
    dataset={"path": "transitive_sentences", "revision": "c310abbe8a50f38135a67939d3e71a878ef359bb"},
    languages={"gs2011": ("eng-Latn",), "ks2013": ("eng-Latn",)},
    configs=(),
    telling_keys=(),
    about={
        **_ROLE_SWAP.about,
        "date": ("2011-01-01", "2013-12-31"),
        "bibtex_citation": f"{citations.TRANSITIVE}\n\n{citations.STS3K}",
    },
)
_CAPTION_SWAP = Task(
    name="CaptionSwap",
    harness="mteb",
    module="caption_swap",
    measure=CAPTION_SWAP,
    construct=ROLES,
    description="Is a caption nearer to its paraphrase than either is to a caption in nearly the same words about "
    "another scene? Main score: the share of triplets with swapped things or attributes (1/3 by chance). Texts alone.",
    dataset={"path": "sugarcrepe_pp", "name": "scpp", "revision": "c083bbf039a5ca215acaf25e7ee736d2ea6f3864"},
    languages=ENGLISH,
    splits=("all",),
    configs=("scpp",),
    about={
        "reference": "https://arxiv.org/abs/2406.11171",
        "date": ("2014-01-01", "2024-06-30"),
        "domains": ["Web", "Written"],
        "license": "mit",
        "annotations_creators": "LM-generated and reviewed",
        "sample_creation": "LM-generated and verified",
        "bibtex_citation": citations.SUGARCREPE,
    },
)
_IDIOM_PARAPHRASE = Task(
    name="IdiomParaphrase",
    harness="mteb",
    module="idiom_paraphrase",
    measure=IDIOM_PARAPHRASE,
    construct=VERBAL_IDIOMS,
    description="Is a sentence with a verbal idiom nearer to a rewrite that follows from it than to its literal "
    "reading, to an antonym, or, for metaphors, to another literal use? The semi-automatic pairs are the splits "
    "magpie, pie and semeval.",
    dataset={"path": "impli", "name": "impli", "revision": "d43c272c895c773b311018d51ab65f592c6699bb"},
    languages=ENGLISH,
    splits=("idioms", "antonyms", "metaphors"),
    configs=("impli",),
    about={
        "reference": "https://aclanthology.org/2022.acl-long.369",
        "date": ("2013-01-01", "2022-05-31"),
        "domains": ["Written"],
        "license": "apache-2.0",
        "annotations_creators": "expert-annotated",
        "sample_creation": "created",
        "bibtex_citation": citations.IMPLI,
    },
)


def _on_own_data(task: Task, **changed: Any) -> Task:
    """The same task on small data written for this project, the config `mini` of its dataset."""
    return replace(
        task,
        name=f"{task.name}Mini",
        description=f"{task.description} On data written for this project. {_TOO_SMALL}",
        dataset={"path": task.dataset["path"], "name": "mini", "revision": "1"},
        languages=ENGLISH,
        configs=("mini",),
        quick=True,
        telling_keys=(),
        about={**task.about, **WRITTEN_HERE},
        **changed,
    )


def _on_compound_mini(task: Task) -> Task:
    """The same task on this project's own small data."""
    of_measure = task.about["bibtex_citation"].removesuffix(f"\n\n{citations.NCIMP}")
    about = {**COMPOUND_MINI["about"], "bibtex_citation": of_measure}
    description = f"{task.description} {ON_COMPOUND_MINI}"
    return replace(task, **{**COMPOUND_MINI, "name": f"{task.name}Mini", "description": description, "about": about})


ROWS = (
    _EPSILON,
    _on_compound_mini(_EPSILON),
    _AFFINITY,
    _on_compound_mini(_AFFINITY),
    _SCALED_SIMILARITY,
    _on_compound_mini(_SCALED_SIMILARITY),
    Task(
        name="TypeTokenIdiomaticity",
        harness="mteb",
        module="type_token_idiomaticity",
        measure=TYPE_TOKEN,
        construct=NOUN_COMPOUNDS,
        description="Is a noun compound nearer to the sum of its words the more compositional people find it? Where "
        "the encoder gives vectors of words in a sentence, also: is it nearer to itself, and to its words, fed alone, "
        "in general and in that sentence?",
        dataset={"path": "nctti", "revision": "98126bd4b848df91aedacd8dfcd0f44e71aaa210"},
        languages=_NCIMP_SUBSETS,
        splits=("naturalistic",),
        telling_keys=("nc_out_type_spearman", "nc_out_token_spearman", "sentence_cross_sentence_spearman_mean"),
        about={
            **_NCIMP,
            "reference": "https://aclanthology.org/2021.acl-long.212",
            "date": ("2016-01-01", "2021-08-01"),
            "bibtex_citation": f"{citations.NCTTI}\n\n{citations.NCIMP}",
        },
    ),
    _MONTAGUE,
    replace(
        _MONTAGUE,
        name="MontagueConsistencyFast",
        description="MontagueConsistency on the 732 phrases of one adjective and a noun, in seconds. The main score is "
        "the same; what is missing are the phrases of two adjectives.",
        quick=True,
        telling_keys=(),
    ),
    Task(
        name="PolaritySensitivity",
        harness="mteb",
        module="polarity_sensitivity",
        measure=POLARITY,
        construct=POLARITY_OF_SENTENCES,
        description="Does a sentence vector change sides when the sentence does? A sentiment classifier is trained on "
        "vectors of Yelp reviews. The score is the share of pairs of a review and its rewrite with the opposite "
        "sentiment of which both are labelled correctly.",
        dataset={"path": "polarity_pairs", "revision": "14a48fa3f49a-1dac1d428823"},
        languages=ENGLISH,
        splits=("reference",),
        configs=("reference", "system", "train"),
        configs_of_split=configs_of_split,
        telling_keys=("fb_linear_pss",),
        about={
            **_POLARITY,
            "date": ("2004-10-12", "2018-12-31"),
            "license": "cc-by-sa-4.0",
            "annotations_creators": "derived",
        },
    ),
    Task(
        name="PolaritySensitivityMini",
        harness="mteb",
        module="polarity_sensitivity",
        measure=POLARITY,
        construct=POLARITY_OF_SENTENCES,
        description="Polarity sensitivity on 400 training sentences and 120 pairs written for this task. Needs no "
        "download and runs in seconds; too small to rank models by.",
        dataset={"path": "polarity_pairs", "revision": "1"},
        languages=ENGLISH,
        splits=("mini",),
        configs=("mini",),
        quick=True,
        about={**_POLARITY, **WRITTEN_HERE},
    ),
    Task(
        name="TreeReconstruction",
        harness="mteb",
        module="tree_reconstruction",
        measure=TREE_RECONSTRUCTION,
        description="Exploratory, in no overall rank: is a sentence vector a composition of word vectors? Word vectors "
        "are fitted so that their sums give sentence vectors; the distance that remains (TRE) is correlated with how "
        "much the sentiment of a sentence changes on the way up its parse (WNS). The score is minus that correlation: "
        "positive for an encoder that is compositional in the paper's sense. Words are fitted to other sentences than "
        "those measured, because the paper's own protocol, eval split dev, reconstructs any encoder exactly.",
        dataset={"path": "sentiment_trees", "revision": "5bed46c93fbc"},
        languages=ENGLISH,
        splits=("dev_words_from_train",),
        configs=("sst",),
        telling_keys=("compositionality",),
        about={
            **_TREES,
            "date": ("1996-01-01", "2013-10-31"),
            "license": "not specified",
            "annotations_creators": "human-annotated",
        },
    ),
    Task(
        name="TreeReconstructionMini",
        harness="mteb",
        module="tree_reconstruction",
        measure=TREE_RECONSTRUCTION,
        description="Exploratory, in no overall rank: tree reconstruction error on 240 labelled trees over 32 words, "
        "made for this task. Needs no download and runs in seconds; too small to rank models by.",
        dataset={"path": "sentiment_trees", "revision": "2"},
        languages=ENGLISH,
        splits=("test",),
        configs=("mini",),
        quick=True,
        about={**_TREES, **WRITTEN_HERE},
    ),
    _ROLE_SWAP,
    _on_own_data(_ROLE_SWAP),
    _TRANSITIVE,
    _on_own_data(_TRANSITIVE),
    _CAPTION_SWAP,
    _on_own_data(_CAPTION_SWAP),
    _IDIOM_PARAPHRASE,
    _on_own_data(_IDIOM_PARAPHRASE, splits=("idioms", "antonyms")),
)
