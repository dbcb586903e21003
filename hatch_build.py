"""Build hook: put the autoload `.pth` file into editable installs too."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AutoloadBuildHook(BuildHookInterface):
    """Ships `harness_ext_autoload.pth` alone in an editable wheel; the code itself stays in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before a wheel is built; `version` is "editable" or "standard"."""
        if version == "editable":
            pth = "harness_ext_autoload.pth"
            build_data["force_include_editable"][pth] = pth
