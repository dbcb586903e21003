"""Export of the datasets as Parquet files with a card, which any version of `datasets` loads."""

from collections.abc import Iterator
from pathlib import Path

from datasets import get_dataset_config_names, load_dataset
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCard

from harness_ext.common.files import whole_file
from harness_ext.common.revisions import PINNED
from harness_ext.data.card import dataset_folder
from harness_ext.data.check import chosen_datasets
from harness_ext.data.sources import SourceError


def export_datasets(
    folder: Path,
    names: list[str] | None = None,
) -> Iterator[Path]:
    """Write these datasets, or all, below `folder`, one folder each, ready for the Hub; yield the
    path of each file.

    Existing files of the same names are replaced.

    Raises:
        UnknownNameError: There is no dataset of that name; lists the datasets.
        SourceError: Source files are not available or not the pinned files; raised after everything
            else is written.
    """
    missing: dict[str, str] = {}
    for name in chosen_datasets(names):
        infos = DatasetInfosDict()
        for config in get_dataset_config_names(name, revision=PINNED):
            try:
                rows = load_dataset(name, config, revision=PINNED)
            except SourceError as error:
                missing[f"{name} ({config})"] = str(error)
                continue
            for split, part in rows.items():
                path = folder / name / config / f"{split}-00000-of-00001.parquet"
                path.parent.mkdir(parents=True, exist_ok=True)
                with whole_file(path) as partial:
                    part.to_parquet(partial)
                infos[config] = part.info
                yield path
        if infos:
            card = DatasetCard((dataset_folder(name) / "README.md").read_text(encoding="utf-8"))
            # `datasets` finds nothing in a repository without the files of its first config
            configs = card.data["configs"]
            card.data["configs"] = [entry for entry in configs if entry["config_name"] in infos]
            infos.to_dataset_card_data(card.data)
            path = folder / name / "README.md"
            with whole_file(path) as partial:
                card.save(partial)
            yield path
    if missing:
        reasons = dict.fromkeys(missing.values())
        parts = [f"not written: {', '.join(missing)}.", *reasons]
        raise SourceError("\n\n".join(parts))
