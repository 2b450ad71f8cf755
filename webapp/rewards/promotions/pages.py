"""The pages of promotions, and the parts that they add to other pages."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import review_views
from .store import count_waiting
from .views import bp

PAGES = FeaturePages(
    (bp, review_views.bp),
    MenuEntry(
        "promotions.index",
        "promote",
        _l("Promoted posts"),
        _l("Pay points so that more people see a post of yours."),
    ),
    waiting=count_waiting,
)
