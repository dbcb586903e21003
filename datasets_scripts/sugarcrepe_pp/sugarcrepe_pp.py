"""sugarcrepe_pp: captions, a paraphrase of each, and a hard negative.

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: SUGARCREPE++ Dataset: Vision-Language Model Sensitivity to
Semantic and Lexical Alterations, NeurIPS. The texts alone, no images. See README.md beside this file for the columns;
the captions of the config `mini` were written for this project (CC0).
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import CaptionRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_table

_FOLDER = "https://raw.githubusercontent.com/Sri-Harsha/scpp/c083bbf039a5ca215acaf25e7ee736d2ea6f3864/data"
_FILES = {
    "swap_obj": Source(f"{_FOLDER}/swap_obj.json", "8e9c3f66a2c2d3369146dec5324b1926b2fc1d40", 245),
    "swap_att": Source(f"{_FOLDER}/swap_att.json", "61ea987bbac7d8c99e6a88f3c1028609fbea6c73", 666),
    "replace_att": Source(f"{_FOLDER}/replace_att.json", "be89e623f6fd54d015f6a437ba9a34ffa39cc465", 788),
    "replace_rel": Source(f"{_FOLDER}/replace_rel.json", "69d447e3fcb33817b866bd5688741f42bad7c26a", 1406),
    "replace_obj": Source(f"{_FOLDER}/replace_obj.json", "3b62823c003659737a68c3d78cfe721c57b44f5f", 1652),
}


class SugarcrepePp(PinnedBuilder):
    """The `datasets` builder of `sugarcrepe_pp`; configs `scpp` and `mini`, a split for each file."""

    DEFAULT_CONFIG_NAME = "scpp"
    SOURCES = {"scpp": _FILES}  # noqa: RUF012
    PACKAGED = {"mini": {"captions": "captions.tsv"}}  # noqa: RUF012
    SPLITS = tuple(_FILES)
    SPLITS_OF = {"mini": ("swap_obj", "swap_att")}  # noqa: RUF012
    FILES_OF = {split: (split,) for split in _FILES}  # noqa: RUF012
    ROW = CaptionRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[CaptionRow]:
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
