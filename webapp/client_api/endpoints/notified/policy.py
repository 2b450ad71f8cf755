"""From whom the caller wants notifications, as clients choose it."""

from typing import Any, Literal

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.core.web import db
from webapp.notifications import store
from webapp.notifications.kinds import CLIENT_TYPES, EVERYONE, FOLLOWED

bp = ApiBlueprint("notification_policy")
ACCEPT, DROP = "accept", "drop"
CHOSEN = [kind for kind in CLIENT_TYPES if kind not in ("poll", "post")]  # others may cause them
OTHERS = ("not_followers", "new_accounts", "private_mentions", "limited_accounts")
SUMMARY = {"pending_requests_count": 0, "pending_notifications_count": 0}


@bp.declare("GET /api/v2/notifications/policy", "read:notifications")
def show() -> dict[str, Any]:
    """Return from whom the caller wants notifications."""
    choice = _choice(db().read(store.preferences(g.viewer.uid)))
    accepted = {f"for_{name}": ACCEPT for name in OTHERS}
    return {"for_not_following": choice, **accepted, "summary": SUMMARY}


@bp.declare("PATCH /api/v2/notifications/policy", "write:notifications", limit="edit")
def change(for_not_following: Literal["accept", "filter", "drop"] | None = None) -> dict[str, Any]:
    """Choose whether people whom the caller does not follow cause notifications.

    `filter` changes nothing, as the site sets no notifications aside. Nor does the choice that is
    made already: the caller may have made an exception for some kinds.
    """
    before, after = {ACCEPT: (FOLLOWED, EVERYONE), DROP: (EVERYONE, FOLLOWED)}.get(
        for_not_following or "", ("", "")
    )
    stored = db().read(store.preferences(g.viewer.uid))
    changed = {kind: after for kind in CHOSEN if stored[kind] == before}
    if changed and for_not_following != _choice(stored):
        store.set_preferences(db(), g.viewer.uid, changed)
    return show()


@bp.declare("GET /api/v1/notifications/policy", "read:notifications")
def show_first() -> dict[str, Any]:
    """Return from whom the caller wants notifications, in the form of Mastodon 4.2."""
    is_dropped = _choice(db().read(store.preferences(g.viewer.uid))) == DROP
    accepted = {f"filter_{name}": False for name in OTHERS[:3]}
    return {"filter_not_following": is_dropped, **accepted, "summary": SUMMARY}


@bp.declare("PATCH /api/v1/notifications/policy", "write:notifications", limit="edit")
def change_first(filter_not_following: bool | None = None) -> dict[str, Any]:
    """Choose whether strangers cause notifications, in the form of Mastodon 4.2."""
    if filter_not_following is not None:
        change("drop" if filter_not_following else "accept")
    return show_first()


def _choice(stored: dict[str, str]) -> str:
    """Return the policy for notifications of strangers: they are dropped if no kind wants all."""
    return ACCEPT if any(stored[kind] == EVERYONE for kind in CHOSEN) else DROP
