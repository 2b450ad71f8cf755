"""What the caller is to members: follows, mutes, blocks and notes."""

from __future__ import annotations

from typing import Any

from flask import g
from wtforms.validators import ValidationError

from webapp.accounts import store as accounts
from webapp.client_api.declaration import endpoint
from webapp.client_api.entities.relationship import Relationship, relationships_of
from webapp.client_api.http.blueprint import api_blueprint
from webapp.client_api.http.parameters import IdsParameters, Parameters, Seconds, invalid
from webapp.client_api.status_reads.account_reads import accounts_of
from webapp.core.forms.fields import normalize_text
from webapp.core.store.reads import collect
from webapp.core.web.context import config, db, site
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.hidden_boosts import store as hidden_boosts
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.following.notes import store as notes
from webapp.following.relations import familiar_uids, relation
from webapp.following.subscriptions import store as subscriptions

bp = api_blueprint("relationships")
FAMILIAR_MAX, SHOWN_MAX = 5, 10  # members asked about, and those shown of each


class FollowParameters(Parameters):
    """`reblogs`: whether their boosts are shown on Home; `notify`: whether their posts notify."""

    reblogs: bool | None = None
    notify: bool | None = None


class MuteParameters(Parameters):
    """`duration`: in seconds, 0 for good."""

    notifications: bool = True
    duration: Seconds = 0


class NoteParameters(Parameters):
    """A private note, "" for none."""

    comment: str = ""


@endpoint(bp, "GET /api/v1/accounts/relationships", "read:follows")
def relationships(params: IdsParameters) -> list[Relationship]:
    """Return what the caller is to some members."""
    return db().read(relationships_of(g.viewer.uid, params.id[:40]))


@endpoint(bp, "GET /api/v1/accounts/familiar_followers", "read:follows")
def familiar(params: IdsParameters) -> list[dict[str, Any]]:
    """Return which of those whom the caller follows also follow some members."""
    viewer, sample = g.viewer.uid, config().familiar_sample
    uids = params.id[:FAMILIAR_MAX]
    relations = db().read(collect(relation(viewer, uid, sample) for uid in uids))
    pairs = list(zip(uids, relations, strict=True))
    familiar = db().read(collect(familiar_uids(found, uid) for uid, found in pairs))
    known = db().read(accounts_of(one for some in familiar for one in some[:SHOWN_MAX]))
    return [
        {"id": str(uid), "accounts": [known[one] for one in some[:SHOWN_MAX] if one in known]}
        for uid, some in zip(uids, familiar, strict=True)
    ]


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/follow", "write:follows", limit="follow")
def follow(params: FollowParameters, uid: int) -> Relationship:
    """Follow a member, or request to. Again changes only whether their boosts are shown."""
    member = db().read(accounts.get_or_404(uid))
    following.follow_member(site(), g.viewer.uid, member)
    if params.reblogs is not None:
        change = hidden_boosts.show if params.reblogs else hidden_boosts.hide
        change(site(), g.viewer.uid, member.login)
    if params.notify is not None:
        ring = subscriptions.subscribe if params.notify else subscriptions.unsubscribe
        ring(site(), g.viewer.uid, member.login)
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/unfollow", "write:follows", limit="follow")
def unfollow(uid: int) -> Relationship:
    """Unfollow a member, or take a request back."""
    following.unfollow_member(site(), g.viewer.uid, db().read(accounts.get_or_404(uid)))
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/mute", "write:mutes", limit="follow")
def mute(params: MuteParameters, uid: int) -> Relationship:
    """Mute a member."""
    login = db().read(accounts.get_or_404(uid)).login
    mutes.mute(site(), g.viewer.uid, login, params.duration or FOREVER, params.notifications)
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/unmute", "write:mutes", limit="follow")
def unmute(uid: int) -> Relationship:
    """Unmute a member."""
    mutes.unmute(site(), g.viewer.uid, db().read(accounts.get_or_404(uid)).login)
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/note", "write:accounts", limit="edit")
def note(params: NoteParameters, uid: int) -> Relationship:
    """Write a note about a member that only the caller sees."""
    try:
        text = normalize_text(params.comment, notes.NOTE_MAX)
    except ValidationError as error:
        raise invalid(f"Comment {error}") from None
    notes.save_note(db(), g.viewer.uid, db().read(accounts.get_or_404(uid)).login, text)
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/block", "write:blocks", limit="follow")
def block(uid: int) -> Relationship:
    """Block a member."""
    blocks.block(site(), g.viewer.uid, db().read(accounts.get_or_404(uid)).login)
    return _relationship(uid)


@endpoint(bp, "POST /api/v1/accounts/<id:uid>/unblock", "write:blocks", limit="follow")
def unblock(uid: int) -> Relationship:
    """Unblock a member."""
    blocks.unblock(site(), g.viewer.uid, db().read(accounts.get_or_404(uid)).login)
    return _relationship(uid)


def _relationship(uid: int) -> Relationship:
    return db().read(relationships_of(g.viewer.uid, [uid]))[0]
