"""Views of models: figures of each compound, phrase, pair or tree from items, for pages of units."""

from harness_ext.show.views.own_views import view_of
from harness_ext.show.views.view import View

__all__ = ["View", "view_of"]
