"""Calls `harness_ext.plugin` once `mteb`, `datasets` or `lm_eval.tasks` has been imported, whoever imports it.

Runs at the start of every Python process, so it imports nothing that the interpreter has not loaded already.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def _register(module_name: str) -> None:
    """Register with `module_name`; a failure is one warning, so that the others go on without us."""
    try:
        from harness_ext import plugin

        plugin.REGISTER[module_name]()
    except Exception as error:
        import warnings

        warnings.warn(
            f"compositionality-harness could not register with {module_name} "
            f"({type(error).__name__}: {error}). {module_name} itself works as ever; set HARNESS_EXT_AUTOLOAD=0 "
            "to switch the registration off.",
            stacklevel=2,
        )


class _RegisterAfterImport:
    """A meta-path finder that finds nothing itself: it lets the other finders load the module, then registers."""

    waiting_for = frozenset({"mteb", "datasets", "lm_eval.tasks"})

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name not in self.waiting_for:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: "ModuleType") -> None:
            execute(module)
            _register(name)

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Register with what is imported already, and watch for the rest. Called once, by `import harness_ext`."""
    sys.meta_path.insert(0, _RegisterAfterImport())
    for name in ("datasets", "mteb", "lm_eval.tasks"):
        if name in sys.modules:
            _register(name)
