"""Relationships between the caller and members: follows, mutes, blocks and notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from flask import g

from webapp.accounts import store as accounts
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.relationship import Relationship, relationships_of
from webapp.client_api.http import IdsParameters, PeoplePaging, Seconds, cleaned
from webapp.client_api.status_reads.account_reads import accounts_of, login_of
from webapp.core.errors import Forbidden
from webapp.core.forms.fields import normalize_text
from webapp.core.store import Site, collect
from webapp.core.web import config, db, site
from webapp.following import member_collections, store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.mutes.store import FOREVER
from webapp.following.notes import store as notes
from webapp.following.relations import familiar_uids, relation
from webapp.following.requests import store as requests

bp = ApiBlueprint("relationships")
FAMILIAR_MAX, SHOWN_MAX = 5, 10  # members asked about, and those shown of each


@bp.declare("GET /api/v1/accounts/relationships", "read:follows")
def relationships(params: IdsParameters) -> list[Relationship]:
    """Return the caller's relationships to some members."""
    return db().read(relationships_of(g.viewer.uid, params.ids[: PeoplePaging.most]))


@bp.declare("GET /api/v1/accounts/familiar_followers", "read:follows")
def familiar(params: IdsParameters) -> list[dict[str, Any]]:
    """Return which of those whom the caller follows also follow some members."""
    viewer, sample = g.viewer.uid, config().familiar_sample
    uids = list(dict.fromkeys(params.ids))[:FAMILIAR_MAX]
    relations = db().read(collect(relation(viewer, uid, sample) for uid in uids))
    pairs = list(zip(uids, relations, strict=True))
    familiar = db().read(collect(familiar_uids(found, uid) for uid, found in pairs))
    known = db().read(accounts_of(one for some in familiar for one in some[:SHOWN_MAX]))
    return [
        {"id": str(uid), "accounts": [known[one] for one in some[:SHOWN_MAX] if one in known]}
        for uid, some in zip(uids, familiar, strict=True)
    ]


@bp.declare("POST /api/v1/accounts/<id:uid>/follow", "write:follows", limit="follow")
def follow(uid: int, reblogs: bool | None = None, notify: bool | None = None) -> Relationship:
    """Follow a member, or request to. If the caller does already, only what is sent changes.

    `reblogs`: whether their boosts are shown on Home; `notify`: whether their posts notify.
    """
    if uid == g.viewer.uid:
        raise Forbidden("yourself")
    member = db().read(accounts.get_or_404(uid))
    following.follow_member(site(), g.viewer.uid, member)
    if reblogs is not None:
        change = member_collections.show_boosts if reblogs else member_collections.hide_boosts
        change(site(), g.viewer.uid, member.login)
    if notify is not None:
        _ring(member.login, notify)
    return _relationship(uid)


def _ring(login: str, notify: bool) -> None:
    """Let posts of a member notify the caller, or not. A request to follow has no such choice."""
    change = member_collections.subscribe if notify else member_collections.unsubscribe
    try:
        change(site(), g.viewer.uid, login)
    except Forbidden as refusal:
        if refusal.code != "not_followed":
            raise


@bp.declare("POST /api/v1/accounts/<id:uid>/mute", "write:mutes", limit="follow")
def mute(uid: int, notifications: bool = True, duration: Seconds = 0) -> Relationship:
    """Mute a member. `duration`: in seconds, 0 for good."""
    mutes.mute(site(), g.viewer.uid, login_of(uid), duration or FOREVER, notifications)
    return _relationship(uid)


@bp.declare("POST /api/v1/accounts/<id:uid>/note", "write:accounts", limit="edit")
def note(uid: int, comment: str = "") -> Relationship:
    """Write a note about a member that only the caller sees."""
    text = cleaned("Comment", normalize_text, comment, notes.NOTE_MAX)
    notes.save_note(db(), g.viewer.uid, login_of(uid), text)
    return _relationship(uid)


@bp.declare("POST /api/v1/accounts/<id:uid>/remove_from_followers", "write:follows", limit="follow")
def remove_from_followers(uid: int) -> Relationship:
    """End a member's follow of the caller."""
    # The worker changes the list of followers a moment later.
    requests.remove_follower(site(), g.viewer.uid, login_of(uid))
    return msgspec.structs.replace(_relationship(uid), followed_by=False)


def _act(name: str, scope: str, act: Callable[[Site, int, str], object], about: str) -> None:
    """Declare an act of the caller on a member, which answers with what they then are."""

    def acted(uid: int) -> Relationship:
        act(site(), g.viewer.uid, login_of(uid))
        return _relationship(uid)

    acted.__name__, acted.__doc__ = name, about
    bp.declare(f"POST /api/v1/accounts/<id:uid>/{name}", scope, limit="follow")(acted)


_act("unfollow", "write:follows", following.unfollow, "Unfollow a member, or take a request back.")
_act("unmute", "write:mutes", mutes.unmute, "Unmute a member.")
_act("block", "write:blocks", blocks.block, "Block a member.")
_act("unblock", "write:blocks", blocks.unblock, "Unblock a member.")
for _name in ("endorse", "pin"):
    _act(
        _name,
        "write:accounts",
        member_collections.endorse,
        "Feature a followed member on the profile.",
    )
for _name in ("unendorse", "unpin"):
    _act(_name, "write:accounts", member_collections.unendorse, "Take a member off the profile.")


def _relationship(uid: int) -> Relationship:
    return db().read(relationships_of(g.viewer.uid, [uid]))[0]
