"""The bell on a profile: notifications of a member's posts."""

from __future__ import annotations

from flask import Blueprint

from webapp.following.buttons import declare_button

from . import store

bp = Blueprint("subscriptions", __name__)
declare_button(bp, "subscribe", store.subscribe)
declare_button(bp, "unsubscribe", store.unsubscribe)
