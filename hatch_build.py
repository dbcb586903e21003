"""Build hooks: the autoload `.pth` file in editable installs too, and authors and links from the
file REPOSITORY.
"""

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class AutoloadBuildHook(BuildHookInterface):
    """Ships `harness_ext_autoload.pth` alone in an editable wheel; the code itself stays in the
    checkout.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before a wheel is built; `version` is "editable" or "standard"."""
        if version == "editable":
            pth = "harness_ext_autoload.pth"
            build_data["force_include_editable"][pth] = pth


class RepositoryMetadataHook(MetadataHookInterface):
    """Adds what a maintainer wrote into REPOSITORY: authors and links, or nothing."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling with the table [project]."""
        metadata |= tomllib.loads(Path(self.root, "REPOSITORY").read_text(encoding="utf-8"))
