"""Members: who calls, who they are to the caller, what they write, and whom they follow."""

from __future__ import annotations

from typing import Any

from flask import g
from wtforms.validators import ValidationError

from webapp.accounts import store as accounts
from webapp.client_api.blueprint import api_blueprint
from webapp.client_api.callers import viewer_uid
from webapp.client_api.declaration import endpoint
from webapp.client_api.endpoints.timelines import sized
from webapp.client_api.entities.account import Account, CredentialAccount, credential_account
from webapp.client_api.entities.relationship import Relationship, relationships_of
from webapp.client_api.entities.status import Status
from webapp.client_api.parameters import Id, Paging, Parameters, invalid
from webapp.client_api.presentation import accounts_of, present, present_page
from webapp.client_api.responses import Listed, site_address
from webapp.core.errors import NotFound
from webapp.core.forms.fields import normalize_text
from webapp.core.store.reads import collect, read
from webapp.core.web.context import config, db, site
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.follow_lists import load_follow_page
from webapp.following.hidden_boosts import store as hidden_boosts
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.following.notes import store as notes
from webapp.following.profiles import profile
from webapp.following.relations import familiar_uids, relation
from webapp.following.subscriptions import store as subscriptions
from webapp.timelines.profile import ProfileQuery, profile_page
from webapp.timelines.profile_tabs.store import Tab, tab_page

bp = api_blueprint("accounts")
FAMILIAR_MAX, SHOWN_MAX = 5, 10  # members asked about, and those shown of each


class StatusesParameters(Paging):
    """Which of a member's statuses are wanted."""

    pinned: bool = False
    only_media: bool = False
    exclude_replies: bool = False
    exclude_reblogs: bool = False
    tagged: str = ""


class PeopleParameters(Paging):
    """A page of people."""

    limit: int = 40


class IdsParameters(Parameters):
    """Several members."""

    id: tuple[Id, ...] = ()


class FollowParameters(Parameters):
    """`reblogs`: whether their boosts are shown on Home; `notify`: whether their posts notify."""

    reblogs: bool | None = None
    notify: bool | None = None


class MuteParameters(Parameters):
    """`duration`: in seconds, 0 for good."""

    notifications: bool = True
    duration: int = 0


class NoteParameters(Parameters):
    """A private note, "" for none."""

    comment: str = ""


class LookupParameters(Parameters):
    """`acct`: a login, perhaps with the site's host."""

    acct: str = ""


@endpoint(bp, "GET /api/v1/accounts/verify_credentials", "read:me")
def verify() -> CredentialAccount:
    """Return the calling member."""
    return own_account()


def own_account() -> CredentialAccount:
    """Return the calling member. One trip."""
    uid = g.viewer.uid
    waiting = read(("ZCARD", following_keys.follow_requests(uid)), int)
    found, requests = db().fetch(profile(uid), waiting)
    if found is None:
        raise NotFound("no_member")
    return credential_account(found, requests, site_address())


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


@endpoint(bp, "GET /api/v1/accounts/lookup", "", public=True)
def lookup(params: LookupParameters) -> Account:
    """Return the member of a login."""
    login = params.acct.strip().lstrip("@").partition("@")[0]
    return _account(db().read(accounts.uid_by_login(login)))


@endpoint(bp, "GET /api/v1/accounts/<id:uid>", "", public=True)
def show(uid: int) -> Account:
    """Return a member."""
    return _account(uid)


@endpoint(bp, "GET /api/v1/accounts/<id:uid>/statuses", "", public=True)
def statuses(params: StatusesParameters, uid: int) -> Listed[Status]:
    """Return a member's statuses."""
    if params.only_media:
        tab = tab_page(sized(params), Tab.MEDIA, uid, g.viewer, params.max_id)
        return present_page(tab.timeline, params, "profile")
    member = db().read(accounts.get_or_404(uid))
    query = ProfileQuery(
        member.login,
        g.viewer,
        params.max_id,
        with_replies=not (params.exclude_replies or params.pinned),
        with_boosts=not params.exclude_reblogs,
        owner=uid,
    )
    page = profile_page(sized(params), query).timeline
    if params.pinned:
        return Listed(present(page.pinned, page.viewer_state))
    return present_page(page, params, "profile")


@endpoint(bp, "GET /api/v1/accounts/<id:uid>/followers", "", public=True)
def followers(params: PeopleParameters, uid: int) -> Listed[Account]:
    """Return who follows a member."""
    return _people("followers", params, uid)


@endpoint(bp, "GET /api/v1/accounts/<id:uid>/following", "", public=True)
def followed(params: PeopleParameters, uid: int) -> Listed[Account]:
    """Return whom a member follows."""
    return _people("following", params, uid)


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


def _account(uid: int) -> Account:
    found = db().read(accounts_of([uid])).get(uid)
    if found is None:
        raise NotFound("no_member")
    return found


def _relationship(uid: int) -> Relationship:
    return db().read(relationships_of(g.viewer.uid, [uid]))[0]


def _people(kind: str, params: Paging, uid: int) -> Listed[Account]:
    page = load_follow_page(db(), kind, uid, params.max_id, params.size, viewer_uid())
    if page is None:
        raise NotFound("no_member")
    found = db().read(accounts_of(member.uid for member in page.page.items))
    return Listed(list(found.values()), page.page.next)
