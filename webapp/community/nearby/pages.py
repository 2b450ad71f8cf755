"""The pages of nearby, and the parts that they add to other pages."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import views

PAGES = FeaturePages(
    blueprints=(views.bp,),
    menu=MenuEntry("nearby.index", "place", _l("Nearby"), _l("Posts and people around a place.")),
)
