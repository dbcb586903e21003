"""Registers with `mteb`, its benchmarks, `datasets` and `lm_eval.tasks`, each once it has been
imported.

Runs at the start of every Python process, so it imports nothing that the interpreter has not loaded
already.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_WATCHED = {
    "datasets": ("packaged_modules", ("harnesses.datasets_builders",)),
    "mteb": ("get_tasks.py", ("harnesses.mteb.registration", "show.after_runs")),
    # which `import mteb` does not import: it takes half a second
    "mteb.benchmarks.benchmarks": ("rteb_benchmarks.py", ("harnesses.mteb.benchmarks",)),
    "lm_eval.tasks": ("manager.py", ("harnesses.lm_eval_tasks",)),
}
"""What to wait for -> what lies in its folder, but not in that of a project's own module of the
same name, and the modules of `harness_ext` whose `register` is called then.
"""


def _is_real(name: str, folders: "Sequence[str] | None") -> bool:
    return any(os.path.exists(os.path.join(folder, _WATCHED[name][0])) for folder in folders or ())  # noqa: PTH110, PTH118


def _register(module_name: str) -> None:
    """Register with `module_name`; a failure is one warning, so that the others go on
    without us.
    """
    try:
        from importlib import import_module

        for name in _WATCHED[module_name][1]:
            import_module(f"harness_ext.{name}").register()
    except Exception as error:
        import warnings

        message = (
            f"compositionality-harness could not register with {module_name} "
            f"({type(error).__name__}: {error}). {module_name} itself works as ever; set "
            "HARNESS_EXT_AUTOLOAD=0 to switch the registration off."
        )
        try:
            warnings.warn(message, stacklevel=2)
        except Warning:  # python -W error: no reason for an import of mteb to fail
            print(message, file=sys.stderr)


class _RegisterAfterImport:
    """A meta-path finder that finds nothing itself: it lets the other finders load the module, then
    registers.
    """

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name not in _WATCHED:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if (
            spec is None
            or spec.loader is None
            or not _is_real(name, spec.submodule_search_locations)
        ):
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: "ModuleType") -> None:
            execute(module)
            _register(name)

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Register with what is imported already, and watch for the rest. Called once, by `import
    harness_ext`.
    """
    sys.meta_path.insert(0, _RegisterAfterImport())
    for name in _WATCHED:
        if name in sys.modules and _is_real(name, getattr(sys.modules[name], "__path__", None)):
            _register(name)
