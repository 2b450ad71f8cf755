"""The pages of groups, for the site."""

from flask_babel import lazy_gettext as _l, lazy_pgettext as _lp

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import views
from .invitations import views as invitation_views
from .owners import views as owner_views
from .voting import votes_of_status

PAGES = FeaturePages(
    blueprints=(views.bp, owner_views.bp, invitation_views.bp),
    menu=MenuEntry(
        "groups.index",
        "people",
        _lp("community", "Groups"),
        _l("Places for a shared interest, with posts and votes of their members."),
    ),
    votes=votes_of_status,
)
