"""Makes the repository of a new board."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from harness_ext.common.files import incomplete_folder

_TEMPLATE = Path(__file__).with_name("template")
_HIDDEN = {"github": ".github", "gitignore": ".gitignore"}
"""Name in the package -> name in the repository. Tools that make packages leave out names with a leading dot."""


def init(folder: Path, title: str) -> list[Path]:
    """Make the repository in a new folder, with the title of the board.

    Returns:
        The files written.

    Raises:
        FileExistsError: The folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already, and not empty. Name another folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(path.relative_to(_TEMPLATE) for path in _TEMPLATE.rglob("*") if path.is_file())
    places = {source: Path(*(_HIDDEN.get(part, part) for part in source.parts)) for source in sources}
    with incomplete_folder(folder.parent) as incomplete:
        for source, place in places.items():
            path = incomplete / folder.name / place
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (_TEMPLATE / source).read_text(encoding="utf-8")
            text = text.replace("@VERSION@", version("compositionality-harness")).replace("@TITLE@", title)
            path.write_text(text, encoding="utf-8")
        if folder.exists():
            folder.rmdir()
        (incomplete / folder.name).replace(folder)
    return [folder / place for place in places.values()]
