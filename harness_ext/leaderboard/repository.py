"""Makes the repository of a new board."""

import re
from pathlib import Path

from harness_ext.common.files import incomplete_folder

_TEMPLATE = Path(__file__).with_name("template")
_PINNED = re.compile(
    r"compositionality-harness @ "
    r"(git\+https://[\w.:/~-]+@[0-9a-f]{40}|https://[\w.:/~%+-]+#sha256=[0-9a-f]{64})",
    re.ASCII,
)
"""What workflows install. It stands in a command, so it has no quote or blank inside, and no letter
that looks like another one.
"""

_HIDDEN = {"github": ".github", "gitignore": ".gitignore"}
"""Name in the package -> name in the repository. Tools that make packages leave out names with a
leading dot.
"""


def init(
    folder: Path,
    title: str,
    install: str = "",
) -> list[Path]:
    """Make the repository of a board in a new folder.

    Args:
        folder: The folder.
        title: The title of the board.
        install: What its workflows and texts install, as pip takes it: `compositionality-harness @
            git+URL@COMMIT`, or `… @ URL#sha256=HASH`. Without it, the workflows fail and say that
            it is missing.

    Returns:
        The files written.

    Raises:
        FileExistsError: The folder is not empty.
        ValueError: What is to be installed is neither a commit nor has a hash.
    """
    if install and not _PINNED.fullmatch(install):
        raise ValueError(
            f"--install {install}: a commit or a hash expected, since a name may be anyone's, and "
            "a branch moves: compositionality-harness @ git+https://HOST/OWNER/NAME@COMMIT, or … "
            "@ https://HOST/FILE.whl#sha256=HASH"
        )
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not is_empty:
        raise FileExistsError(f"{folder} is there already, and not empty. Name another folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    words = {
        "@INSTALL_REPORT@": _command(install, extra="report"),
        "@INSTALL@": _command(install),
        "@TITLE@": title,
    }
    sources = [path for path in _TEMPLATE.rglob("*") if path.is_file()]
    written = []
    with incomplete_folder(folder.parent) as incomplete:
        for source in sorted(sources):
            place = _place(source.relative_to(_TEMPLATE))
            path = incomplete / folder.name / place
            path.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text(encoding="utf-8")
            for word, replacement in words.items():
                text = text.replace(word, replacement)
            path.write_text(text, encoding="utf-8")
            written.append(folder / place)
        if folder.exists():
            folder.rmdir()
        (incomplete / folder.name).replace(folder)
    return written


def _place(source: Path) -> Path:
    """The place in the repository of a file of the template."""
    return Path(*(_HIDDEN.get(part, part) for part in source.parts))


def _command(install: str, extra: str = "") -> str:
    """The command of a workflow that installs this package, with an extra or without."""
    if not install:
        return (
            "echo Name what is installed here, by a commit or a hash, see harness-ext leaderboard "
            "init --help; false"
        )
    requirement = install.replace(" ", f"[{extra}] ", 1) if extra else install
    return f'python -m pip install "{requirement}"'
