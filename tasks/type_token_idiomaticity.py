"""Type- and token-level idiomaticity of noun compounds, on NCTTI."""

from harness_ext.measures.noun_compounds.type_token import TYPE_TOKEN
from harness_ext.tasks.task import NOUN_COMPOUNDS, Task, on_data

TASKS = (
    Task(
        name="TypeTokenIdiomaticity",
        measure=TYPE_TOKEN,
        category=NOUN_COMPOUNDS,
        description=(
            "Is a noun compound nearer to the sum of the words the more compositional people find "
            "it? Where the encoder gives vectors of words in a sentence, also: is it nearer to "
            "itself, and to the words, fed alone, in general and in that sentence?"
        ),
        **on_data("nctti", "98126bd4b848df91aedacd8dfcd0f44e71aaa210"),
        splits=("naturalistic",),
        telling_keys=(
            "nc_out_token_spearman",
            "nc_out_type_spearman",
            "sentence_cross_sentence_spearman_mean",
        ),
    ),
)
