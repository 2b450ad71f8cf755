"""Searching people, posts and hashtags."""

import re
from collections.abc import Sequence
from typing import ClassVar

import msgspec
from flask import g

from webapp.accounts import store as accounts
from webapp.autocomplete.members import search_members, suggest_members
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.entities.status_parts import Tag, own_tags, tag_entity
from webapp.client_api.http import Id, Ranked, site_address
from webapp.client_api.newer import sized
from webapp.client_api.presentation import present, present_entries
from webapp.client_api.status_reads.account_reads import listed_accounts, name_here
from webapp.core.errors import Refused
from webapp.core.search.syntax import Query, parse
from webapp.core.store import parse_id
from webapp.core.web import consume_for_requester, db, viewer_uid
from webapp.following.relations import followed_among
from webapp.search.hashtags import search_hashtags, tag_words
from webapp.search.people import search_people
from webapp.search.posts import search_latest
from webapp.statuses import entries_of

bp = ApiBlueprint("finding")
MEMBER_PATH = re.compile(r"/@([A-Za-z0-9_]{1,15})(?:/(\d{1,16}))?/?\Z")


class PeopleParameters(Ranked):
    """The people of a search. `following`: only those whom the caller follows."""

    q: str = ""
    following: bool = False
    limit: int = 40
    most: ClassVar[int] = 80

    @property
    def text(self) -> str:
        """Return the text to search for. Raises Refused if it is empty."""
        if text := self.q.strip():
            return text
        raise Refused("invalid_parameter", "param is missing or the value is empty: q")


class SearchParameters(PeopleParameters):
    """A search. `type`: accounts, hashtags or statuses; "" for all.

    `account_id`: only statuses of this member are found.
    """

    type: str = ""
    account_id: Id | None = None
    limit: int = 20
    most: ClassVar[int] = 40


class Results(msgspec.Struct):
    """The results of a search."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


@bp.declare("GET /api/v1/search", "read:search", "search_v1", public=True)
@bp.declare("GET /api/v2/search", "read:search", public=True)
def search(params: SearchParameters) -> Results:
    """Search people, posts and hashtags. The address of a post or member finds just that one."""
    consume_for_requester("search")
    text = params.text
    if (address := _own_address(text)) is not None:
        return address
    found = Results([], [], [])
    if _wants(params, "accounts"):
        people = _people(text, parse(text), params)
        found.accounts = listed_accounts(_followed(people) if params.following else people)
    if _wants(params, "statuses"):
        found.statuses = _posts(text, params)
    if _wants(params, "hashtags") and (words := tag_words(text)):
        names = [one.trend.name for one in search_hashtags(db(), words).items[params.asked]]
        own = db().read(own_tags(viewer_uid()))
        found.hashtags = [tag_entity(name, own) for name in names]
    return found


@bp.declare("GET /api/v1/accounts/search", "read:accounts")
def complete(params: PeopleParameters) -> list[Account]:
    """Return people whose names begin with what is typed, and the caller for their login."""
    typed = name_here(params.text)
    if typed is None:
        return []
    found = db().read(search_members(viewer_uid(), typed))
    people = db().read(suggest_members(g.viewer.uid, found, params.asked.stop))
    own = [g.viewer.uid] if typed.lower() == g.viewer.login.lower() else []
    uids = [*own, *(one.uid for one in people)][params.asked]
    return listed_accounts(_followed(uids) if params.following else uids)


def _wants(params: SearchParameters, kind: str) -> bool:
    return params.type in ("", kind)


def _followed(uids: Sequence[int]) -> list[int]:
    """Return those of some members whom the caller follows. One trip."""
    follows = db().read(followed_among(viewer_uid(), uids))
    return [uid for uid in uids if uid in follows]


def _posts(text: str, params: SearchParameters) -> list[Status]:
    """Return the newest posts that match. Five trips at most."""
    if params.account_id is not None:
        author = db().read(accounts.get(params.account_id))
        text = f"from:{author.login} {text}" if author else ""
    query = parse(text)
    if query.plan.is_empty:
        return []
    page = search_latest(sized(params.asked.stop), query.plan, g.viewer).page
    return present(page.items, page.viewer_state)[params.asked]


def _people(text: str, query: Query, params: Ranked) -> list[int]:
    """Return the uids that a search finds. If it is a whole login, its member comes first.

    They are found even if the caller blocks them: clients look up whom to unblock.
    """
    login = name_here(text) or ""
    named = db().read(accounts.claimed_uid(login)) if accounts.LOGIN_PATTERN.match(login) else None
    found = [named] if named else []
    if not query.people_plan.is_empty:
        people = search_people(sized(params.asked.stop), query, g.viewer)
        found += [member.uid for member in people.page.items if member.uid != named]
    return found[params.asked]


def _own_address(text: str) -> Results | None:
    """Return the member or status at an address of this site, None for another text."""
    base = site_address()
    if not text.startswith(base) or not (match := MEMBER_PATH.match(text.removeprefix(base))):
        return None
    status_id = parse_id(match[2]) if match[2] else None
    if status_id:
        return Results([], list(present_entries(db().read(entries_of([status_id]))).values()), [])
    uid = db().read(accounts.claimed_uid(match[1]))
    return Results(listed_accounts([uid] if uid else []), [], [])
