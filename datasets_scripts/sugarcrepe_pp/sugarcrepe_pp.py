"""sugarcrepe_pp: captions, a paraphrase of each, and a hard negative.

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: SUGARCREPE++ Dataset: Vision-Language Model
Sensitivity to Semantic and Lexical Alterations, NeurIPS. The texts alone, no images. See README.md
beside this file for the columns; the captions of the config `mini` were written for this project
(CC0).
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import CaptionRow
from harness_ext.data.tables import File, read_table


class SugarcrepePp(PinnedBuilder):
    """The `datasets` builder of `sugarcrepe_pp`; configs `scpp` and `mini`, a split for
    each file.
    """

    DEFAULT_CONFIG_NAME = "scpp"
    PACKAGED = {"mini": {"captions": "captions.tsv"}}  # noqa: RUF012
    SPLITS = ("swap_obj", "swap_att", "replace_att", "replace_rel", "replace_obj")
    SPLITS_OF = {"mini": ("swap_obj", "swap_att")}  # noqa: RUF012
    FILES_OF = {split: (split,) for split in SPLITS}  # noqa: RUF012
    ROW = CaptionRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[CaptionRow]:
        """The triplets in the order of the file."""
        if self.config.name == "mini":
            columns = ("split", "caption", "caption2", "negative_caption")
            lines = read_table(files["captions"], columns, delimiter="\t", header=False)
            lines = [line for line in lines if line["split"] == split]
        else:
            lines = read_table(files[split])
        for place, line in enumerate(lines):
            yield {
                "id": f"{split}-{place}",
                "caption": line["caption"],
                "paraphrase": line["caption2"],
                "negative": line["negative_caption"],
            }
