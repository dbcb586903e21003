"""semeval_2022_idioms: sentences with a multiword expression, a right paraphrase of it, and one
    word by word.

Tayyar Madabushi, Gow-Smith, Garcia, Scarton, Idiart, Villavicencio 2022: SemEval-2022 Task 2:
Multilingual Idiomaticity Detection and Sentence Embedding; subtask B, training data. See README.md
beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import ExpressionRow
from harness_ext.data.tables import File, read_table


class Semeval2022Idioms(PinnedBuilder):
    """The `datasets` builder of `semeval_2022_idioms`; configs `en` and `pt`; one split `train`."""

    DEFAULT_CONFIG_NAME = "en"
    SPLITS = ("train",)
    ROW = ExpressionRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[ExpressionRow]:
        """The lines of the language, in their order."""
        columns = ("ID", "MWE1", "Language", "sim")
        for line in read_table(files["training"], columns, unique=("ID",)):
            if line.choice("Language", ("EN", "PT")).lower() != self.config.name:
                continue
            is_triplet = line.choice("sim", ("1", "None")) == "None"
            entailed = line["sentence_2"]
            not_entailed = None
            if is_triplet:
                entailed = line["alternative_1"]
                not_entailed = line["sentence_2"]
            yield {
                "id": line["ID"],
                "expression": line["MWE1"],
                "sentence": line["sentence_1"],
                "entailed": entailed,
                "not_entailed": not_entailed,
                "removed_by": "same_text" if entailed == not_entailed else None,
            }
