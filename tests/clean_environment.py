"""An environment with what this project depends on and nothing else, of packages installed here."""

import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def link_requirements(folder: Path) -> None:
    """Link what a plain installation has, but for this project, into a folder `site-packages`."""
    assert folder.name == "site-packages"  # of others, dill takes the modules for a user's own
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    dependencies = settings["project"]["dependencies"]
    for distribution in required_distributions(dependencies).values():
        files = distribution.files or ()
        tops = {file.parts[0] for file in files}
        for top in tops - {"..", "__pycache__"}:
            link = folder / top
            if not link.exists():  # else two distributions share it, as a namespace
                link.symlink_to(distribution.locate_file(top))


def required_distributions(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Name -> distribution, of requirements and of all that these require in turn.

    Raises:
        PackageNotFoundError: One of them is not installed here.
    """
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = _applying(requirements, frozenset())
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        extras = frozenset(requirement.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        distribution = metadata.distribution(name)
        found[name] = distribution
        waiting += _applying(distribution.requires or (), extras)
    return found


def _applying(lines: Iterable[str], extras: frozenset[str]) -> list[Requirement]:
    """Those requirements whose markers hold here, for a distribution with these extras."""
    requirements = map(Requirement, lines)
    return [requirement for requirement in requirements if _applies(requirement, extras)]


def _applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    if requirement.marker is None:
        return True
    environments = [{"extra": extra} for extra in ("", *extras)]
    return any(map(requirement.marker.evaluate, environments))
