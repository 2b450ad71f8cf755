"""The pages of points, and their entry under "More"."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from .views import bp

PAGES = FeaturePages(
    (bp,),
    MenuEntry(
        "points.check_in",
        "calendar",
        _l("Check-in and points"),
        _l("Mark the days you visit, and collect points."),
    ),
)
