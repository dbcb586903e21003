"""Views of models: figures of each compound, phrase, pair or tree from items, for pages and records of units.

A module of this package registers the views that only one measure has. Every other measure has the declared view.
"""

from importlib import import_module
from pkgutil import iter_modules

from harness_ext.show.views.view import Grid, View, view_of

__all__ = ["Grid", "View", "view_of"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
