"""Members: who calls, who they are, what they write, and whom they follow."""

from __future__ import annotations

from operator import attrgetter

import msgspec
from flask import g

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.endpoints.timelines import tags_of
from webapp.client_api.entities.account import Account, CredentialAccount, credential_account
from webapp.client_api.entities.status import Status
from webapp.client_api.http import IdsParameters, Listed, Paging, PeoplePaging, site_address
from webapp.client_api.newer import cut, sized
from webapp.client_api.presentation import present, present_list, present_people, shown_member
from webapp.client_api.status_reads.account_reads import accounts_of, listed_accounts, name_here
from webapp.core.errors import NotFound
from webapp.core.store import Site
from webapp.core.text.parser import tag_name
from webapp.core.web import Page, db, viewer_uid
from webapp.following.follow_lists import KEYS_BY_KIND, load_follow_page
from webapp.following.profiles import profile
from webapp.following.requests.store import pending_count
from webapp.statuses import Item, Timeline, keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.status import Status as Stored
from webapp.timelines.profile import ProfileQuery, profile_page
from webapp.timelines.profile_tabs.store import Tab, tab_page

bp = ApiBlueprint("accounts")
SEVERAL_MAX = 40  # members of one request


class UserInfo(msgspec.Struct, kw_only=True):
    """The calling member, in the words of OpenID Connect.

    `iss`: the address of this site. `sub`: the member's id, as a login can change.
    """

    iss: str
    sub: str
    name: str
    preferred_username: str
    profile: str
    picture: str


@bp.declare("GET /api/v1/accounts/verify_credentials", "read:me")
def verify() -> CredentialAccount:
    """Return the calling member."""
    return own_account()


@bp.declare("GET /oauth/userinfo", "profile")
def user_info() -> UserInfo:
    """Return who the caller is, to other sites on which members sign in with this one."""
    own = own_account()
    return UserInfo(
        iss=f"{site_address()}/",
        sub=own.id,
        name=own.display_name or own.username,
        preferred_username=own.username,
        profile=own.url,
        picture=own.avatar,
    )


def own_account() -> CredentialAccount:
    """Return the calling member. One trip."""
    uid = g.viewer.uid
    found, requests = db().fetch(profile(uid), pending_count(uid))
    member = NotFound.unless(found, "no_member")
    return credential_account(member, requests, site_address())


@bp.declare("GET /api/v1/accounts", "", public=True)
def several(params: IdsParameters) -> list[Account]:
    """Return some members, in the order of their ids in the request."""
    return listed_accounts(params.ids[:SEVERAL_MAX])


@bp.declare("GET /api/v1/accounts/lookup", "", public=True)
def lookup(acct: str = "") -> Account:
    """Return the member of a login, perhaps with the site's host."""
    return _account(db().read(accounts.uid_by_login(name_here(acct) or "")))


@bp.declare("GET /api/v1/accounts/<id:uid>", "", public=True)
def show(uid: int) -> Account:
    """Return a member."""
    return _account(uid)


@bp.declare("GET /api/v1/accounts/<id:uid>/statuses", "", public=True)
def statuses(
    params: Paging,
    uid: int,
    pinned: bool = False,
    only_media: bool = False,
    exclude_replies: bool = False,
    exclude_reblogs: bool = False,
    tagged: str = "",
) -> Listed[Status]:
    """Return a member's statuses. `tagged`: those with a hashtag alone."""
    member, name = shown_member(uid), tag_name(tagged)
    boosts = [] if exclude_reblogs else [interaction_keys.member_boosts(uid)]
    written = (*status_keys.authored_lists(uid), *boosts)
    keys = [status_keys.profile_media(uid)] if only_media else written

    def load(own_site: Site, before: int | None) -> Timeline[Item]:
        if only_media:
            return tab_page(own_site, Tab.MEDIA, uid, g.viewer, before).timeline
        query = ProfileQuery(
            member.login,
            g.viewer,
            before,
            with_replies=not (exclude_replies or pinned),
            with_pins=pinned,
            with_boosts=not exclude_reblogs,
            owner=uid,
        )
        return profile_page(own_site, query).timeline

    def shows(status: Stored) -> bool:
        is_left_out = only_media and exclude_replies and status.reply_to_uid
        return not is_left_out and (not name or name in tags_of(status))

    if pinned:
        return _pinned(params, load(sized(1), None))
    is_narrowed = name or (only_media and exclude_replies)
    return present_list(params, keys, load, "profile", shows if is_narrowed else None)


@bp.declare("GET /api/v1/accounts/<id:uid>/followers", "", public=True)
def followers(params: PeoplePaging, uid: int) -> Listed[Account]:
    """Return who follows a member."""
    return _people("followers", params, uid)


@bp.declare("GET /api/v1/accounts/<id:uid>/following", "", public=True)
def followed(params: PeoplePaging, uid: int) -> Listed[Account]:
    """Return whom a member follows."""
    return _people("following", params, uid)


@bp.declare("GET /api/v1/endorsements", "read:accounts")
def endorsed(params: PeoplePaging) -> Listed[Account]:
    """Return the members whom the caller features on the profile."""
    return _people("featured", params, g.viewer.uid)


@bp.declare("GET /api/v1/accounts/<id:uid>/endorsements", "", public=True)
def endorsed_by(params: PeoplePaging, uid: int) -> Listed[Account]:
    """Return the members whom a member features on the profile."""
    return _people("featured", params, uid)


def _account(uid: int) -> Account:
    return NotFound.unless(db().read(accounts_of([uid])).get(uid), "no_member")


def _pinned(params: Paging, first: Timeline[Item]) -> Listed[Status]:
    """Return a page of the pinned statuses of a profile's first page, pinned last first."""
    page = cut(sorted(first.pinned, key=attrgetter("id"), reverse=True), params, attrgetter("id"))
    shown = [pin for pin in first.pinned if pin in page.items]
    return page.showing(present(shown, first.viewer_state))


def _people(kind: str, params: Paging, uid: int) -> Listed[Account]:
    def load(before: int | None, size: int, above: str) -> Page[Member]:
        found = load_follow_page(db(), kind, uid, before, size, viewer_uid(), above)
        if found is None or found.profile.member.suspended:
            raise NotFound("no_member")
        return found.page

    return present_people(params, KEYS_BY_KIND[kind](uid), load)
