"""Type- and token-level idiomaticity of noun compounds, on NCTTI."""

from harness_ext.measures.noun_compounds.type_token import TYPE_TOKEN
from harness_ext.tasks.noun_compound_similarity import NCIMP
from harness_ext.tasks.task import NOUN_COMPOUNDS, Task, cite, languages_of

TASKS = (
    Task(
        name="TypeTokenIdiomaticity",
        harness="mteb",
        measure=TYPE_TOKEN,
        category=NOUN_COMPOUNDS,
        description="Is a noun compound nearer to the sum of the words the more compositional people find it? Where "
        "the encoder gives vectors of words in a sentence, also: is it nearer to itself, and to the words, fed alone, "
        "in general and in that sentence?",
        dataset={"path": "nctti", "revision": "98126bd4b848df91aedacd8dfcd0f44e71aaa210"},
        languages=languages_of("nctti"),
        splits=("naturalistic",),
        telling_keys=("nc_out_type_spearman", "nc_out_token_spearman", "sentence_cross_sentence_spearman_mean"),
        metadata={
            **NCIMP,
            "reference": "https://aclanthology.org/2021.acl-long.212",
            "date": ("2016-01-01", "2021-08-01"),
            "bibtex_citation": cite("garcia-etal-2021-assessing", "he-etal-2025-investigating"),
        },
    ),
)
