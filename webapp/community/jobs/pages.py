"""The pages of jobs, and the parts that they add to other pages."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import views

PAGES = FeaturePages(
    blueprints=(views.bp,),
    menu=MenuEntry(
        "jobs.index", "folder", _l("Jobs"), _l("Offers by members, and those that fit your skills.")
    ),
)
