"""Blocking and unblocking, and the list of those one blocks."""

from __future__ import annotations

from flask import Blueprint
from flask_babel import lazy_gettext as _l

from webapp.following.buttons import declare_button, declare_list

from . import store

bp = Blueprint("blocks", __name__)
declare_button(bp, "block", store.block, _l("@%(login)s is blocked."))
declare_button(bp, "unblock", store.unblock, _l("@%(login)s is unblocked."))
declare_list(bp, "/settings/blocks", "following/blocks.html", store.page)
