"""An environment with what this project depends on and nothing else, of packages that are installed
here.
"""

import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def required_distributions(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Name -> distribution, of requirements and of all that these require in turn.

    Raises:
        PackageNotFoundError: One of them is not installed here.
    """
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        extras = frozenset(requirement.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = metadata.distribution(name)
        for line in found[name].requires or ():
            required = Requirement(line)
            marker = required.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                waiting.append(required)
    return found


def own_requirements() -> list[str]:
    """What a plain installation of this project asks for, without an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        line
        for line in project["dependencies"]
        if (marker := Requirement(line).marker) is None or marker.evaluate()
    ]


def link_requirements(folder: Path) -> dict[str, metadata.Distribution]:
    """Link what a plain installation has, except this project itself, into a folder; returns it by
    name.
    """
    folder.mkdir(parents=True)
    found = required_distributions(own_requirements())
    for distribution in found.values():
        tops = {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
        for top in tops:
            link = folder / top
            if not link.exists():  # else of two distributions, as a namespace
                link.symlink_to(distribution.locate_file(top))
    return found
