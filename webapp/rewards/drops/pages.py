"""The pages of drops, and their entry under "More"."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import offer_views
from .views import bp

PAGES = FeaturePages(
    (bp, offer_views.bp),
    MenuEntry(
        "drops.index",
        "quick",
        _l("Drops"),
        _l("A few pieces of something, for points, at a set time."),
    ),
    offer_views.admin_panel,
)
