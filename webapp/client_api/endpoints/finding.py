"""Search and hashtags."""

from __future__ import annotations

import re

import msgspec
from flask import g

from webapp.accounts import store as accounts
from webapp.autocomplete.members import search_members, suggest_members
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.entities.status_parts import Tag, tag_entity
from webapp.client_api.http import Parameters, invalid, site_address
from webapp.client_api.presentation import present_entries, present_page
from webapp.client_api.status_reads.account_reads import listed_accounts, name_here
from webapp.core.search.syntax import Query, parse
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import tag_name
from webapp.core.web.context import db, site, viewer_uid
from webapp.core.web.rate_limits import consume_for_requester
from webapp.search.hashtags import search_hashtags, tag_words
from webapp.search.people import search_people
from webapp.search.posts import search_latest
from webapp.statuses.lookup import entries_of
from webapp.timelines.tags import store as tags

bp = ApiBlueprint("finding")
MEMBER_PATH = re.compile(r"/@([A-Za-z0-9_]{1,15})(?:/(\d{1,16}))?/?\Z")


class SearchParameters(Parameters):
    """What is searched for. `type`: accounts, hashtags or statuses; "" for all."""

    q: str = ""
    type: str = ""
    limit: int = 20
    offset: int = 0

    @property
    def size(self) -> int:
        """Return how many of each kind are found at most."""
        return max(1, min(self.limit, 40))


class Results(msgspec.Struct):
    """What was found."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


@bp.declare("GET /api/v2/search", "read:search", public=True)
def search(params: SearchParameters) -> Results:
    """Search people, posts and hashtags. The address of a post or member finds just that one."""
    consume_for_requester("search")
    text = params.q.strip()
    if (address := _own_address(text)) is not None:
        return address
    query, found = parse(text), Results([], [], [])
    if _wants(params, "accounts"):
        found.accounts = listed_accounts(_people(text, query, params.offset)[: params.size])
    if _wants(params, "statuses") and not query.plan.is_empty and not params.offset:
        posts = search_latest(site(), query.plan, g.viewer)
        found.statuses = list(present_page(posts.page).items)[: params.size]
    if _wants(params, "hashtags") and (words := tag_words(text)) and not params.offset:
        names = [one.trend.name for one in search_hashtags(db(), words).items[: params.size]]
        followed = db().read(tags.followed(g.viewer.uid)) if g.viewer else ()
        found.hashtags = [tag_entity(name, name in followed) for name in names]
    return found


@bp.declare("GET /api/v1/accounts/search", "read:accounts")
def complete(params: SearchParameters) -> list[Account]:
    """Return people whose names begin with what is typed."""
    typed = name_here(params.q)
    if typed is None:
        return []
    found = db().read(search_members(viewer_uid(), typed))
    people = db().read(suggest_members(g.viewer.uid, found, params.size))
    return listed_accounts(one.uid for one in people)


@bp.declare("GET /api/v1/tags/<name>", "", public=True)
def tag(name: str) -> Tag:
    """Return a hashtag."""
    folded = _folded(name)
    return tag_entity(folded, db().read(tags.is_followed(viewer_uid(), folded)))


@bp.declare("POST /api/v1/tags/<name>/follow", "write:follows", limit="follow")
def follow_tag(name: str) -> Tag:
    """Follow a hashtag."""
    tags.follow(site(), g.viewer.uid, _folded(name))
    return tag_entity(_folded(name), True)


@bp.declare("POST /api/v1/tags/<name>/unfollow", "write:follows", limit="follow")
def unfollow_tag(name: str) -> Tag:
    """Unfollow a hashtag."""
    tags.unfollow(site(), g.viewer.uid, _folded(name))
    return tag_entity(_folded(name), False)


@bp.declare("GET /api/v1/followed_tags", "read:follows")
def followed_tags() -> list[Tag]:
    """Return the hashtags that the caller follows."""
    return [tag_entity(name, True) for name in db().read(tags.followed(g.viewer.uid))]


def _wants(params: SearchParameters, kind: str) -> bool:
    return params.type in ("", kind)


def _people(text: str, query: Query, offset: int) -> list[int]:
    """Return the uids that a search finds. The member of a whole login is the first of them.

    That one is found even if the caller blocks them: clients look up whom to unblock.
    """
    login = name_here(text) or ""
    is_login = bool(accounts.LOGIN_PATTERN.match(login)) and not offset
    named = db().read(accounts.claimed_uid(login)) if is_login else None
    others: list[int] = []
    if not query.people_plan.is_empty:
        people = search_people(site(), query, g.viewer, offset)
        others = [member.uid for member in people.page.items]
    return [named, *others] if named else others


def _folded(name: str) -> str:
    folded = tag_name(name)
    if not folded:
        raise invalid("Tag is invalid")
    return folded


def _own_address(text: str) -> Results | None:
    """Return what an address of this site names, None for another text."""
    base = site_address()
    if not text.startswith(base) or not (match := MEMBER_PATH.match(text.removeprefix(base))):
        return None
    status_id = parse_id(match[2]) if match[2] else None
    if status_id:
        return Results([], list(present_entries(db().read(entries_of([status_id]))).values()), [])
    uid = db().read(accounts.claimed_uid(match[1]))
    return Results(listed_accounts([uid] if uid else []), [], [])
