"""Hiding a member's boosts, showing them again, and the list of those one hides."""

from __future__ import annotations

from flask import Blueprint
from flask_babel import lazy_gettext as _l

from webapp.following.buttons import declare_button, declare_list

from . import store

bp = Blueprint("hidden_boosts", __name__)
HIDDEN = _l("Boosts by @%(login)s won’t show on your home page.")
SHOWN = _l("Boosts by @%(login)s show on your home page again.")
declare_button(bp, "hide-boosts", store.hide, HIDDEN)
declare_button(bp, "show-boosts", store.show, SHOWN)
declare_list(bp, "/settings/hidden-boosts", "following/hidden_boosts.html", store.page)
