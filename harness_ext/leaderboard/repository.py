"""Makes the repository of a new board."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path

from harness_ext.files import incomplete_folder

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
    written = []
    folder.parent.mkdir(parents=True, exist_ok=True)
    template_files = as_file(files("harness_ext.leaderboard") / "template")
    with template_files as template, incomplete_folder(folder.parent) as incomplete:
        for source in sorted(path for path in template.rglob("*") if path.is_file()):
            place = Path(*(_HIDDEN.get(part, part) for part in source.relative_to(template).parts))
            path = incomplete / folder.name / place
            path.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text(encoding="utf-8").replace("@VERSION@", version("compositionality-harness"))
            path.write_text(text.replace("@TITLE@", title), encoding="utf-8")
            written.append(folder / place)
        if folder.exists():
            folder.rmdir()
        (incomplete / folder.name).replace(folder)
    return written
