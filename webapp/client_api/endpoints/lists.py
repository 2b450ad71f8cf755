"""The caller's lists, and who is on them."""

from functools import partial

import msgspec
from flask import g

from webapp.accounts import store as accounts
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account
from webapp.client_api.http import Id, Listed, Parameters, PeoplePaging, cleaned, invalid
from webapp.client_api.presentation import present_people, shown_member
from webapp.core.errors import NotFound
from webapp.core.forms.fields import normalize_name
from webapp.core.web import config, db, site
from webapp.following.member_pages import member_page
from webapp.lists import keys, lookup, store
from webapp.lists.lookup import List as Stored

bp = ApiBlueprint("lists")
MEMBERS_MAX = 40  # members whom one call adds or removes


class ListParameters(Parameters):
    """A list's name, and whether its members' posts stay out of Home."""

    title: str | None = None
    exclusive: bool | None = None


class MembersParameters(Parameters):
    """Members to add or to remove."""

    account_ids: tuple[Id, ...] = ()


class MembersPaging(PeoplePaging):
    """The members of a list. `limit`: 0 for all of them."""

    wants_none = False

    @property
    def size(self) -> int:
        """Return how many members the page has at most."""
        return super().size if self.limit else config().list_members_max


class List(msgspec.Struct):
    """A list of members."""

    id: str
    title: str
    exclusive: bool
    replies_policy: str = "list"


@bp.declare("GET /api/v1/lists", "read:lists")
def index() -> list[List]:
    """Return the caller's lists."""
    return [_entity(one) for one in db().read(lookup.owned(g.viewer.uid))]


@bp.declare("POST /api/v1/lists", "write:lists", limit="follow")
def create(params: ListParameters) -> List:
    """Create a list that only the caller sees."""
    title, exclusive = _title(params.title or ""), bool(params.exclusive)
    number = store.create(site(), g.viewer.uid, title, private=True, exclusive=exclusive)
    return List(str(number), title, exclusive)


@bp.declare("GET /api/v1/lists/<id:number>", "read:lists")
def show(number: int) -> List:
    """Return one of the caller's lists."""
    return _entity(db().read(lookup.get(g.viewer.uid, number)))


@bp.declare("PUT /api/v1/lists/<id:number>", "write:lists", limit="follow")
def change(params: ListParameters, number: int) -> List:
    """Change one of the caller's lists."""
    found = db().read(lookup.get(g.viewer.uid, number))
    title = "" if params.title is None else _title(params.title)
    # What is not sent stays as it is meanwhile. A private list stays one: its name is its own.
    store.update(site(), g.viewer.uid, number, title, found.private or None, params.exclusive)
    exclusive = found.exclusive if params.exclusive is None else params.exclusive
    return List(str(number), title or found.name, exclusive)


@bp.declare("DELETE /api/v1/lists/<id:number>", "write:lists")
def delete(number: int) -> None:
    """Delete one of the caller's lists."""
    store.delete(site(), g.viewer.uid, number)


@bp.declare("GET /api/v1/lists/<id:number>/accounts", "read:lists")
def members(params: MembersPaging, number: int) -> Listed[Account]:
    """Return the members of one of the caller's lists. `limit`: 0 for all of them."""
    db().read(lookup.get(g.viewer.uid, number))
    key = keys.list_members(g.viewer.uid, number)
    return present_people(params, key, partial(member_page, db(), key))


@bp.declare("POST /api/v1/lists/<id:number>/accounts", "write:lists", limit="follow")
def add(params: MembersParameters, number: int) -> None:
    """Put members on one of the caller's lists."""
    _set(params, number, True)


@bp.declare("DELETE /api/v1/lists/<id:number>/accounts", "write:lists", limit="follow")
def remove(params: MembersParameters, number: int) -> None:
    """Take members off one of the caller's lists."""
    _set(params, number, False)


@bp.declare("GET /api/v1/accounts/<id:uid>/lists", "read:lists")
def of_member(uid: int) -> list[List]:
    """Return those of the caller's lists that a member is on."""
    shown_member(uid)
    found = db().read(lookup.owned(g.viewer.uid, uid))
    return [_entity(one) for one in found if one.has_member]


def _set(params: MembersParameters, number: int, is_member: bool) -> None:
    if len(params.account_ids) > MEMBERS_MAX:
        raise invalid(f"At most {MEMBERS_MAX} accounts at once")
    found = lookup.get(g.viewer.uid, number)
    _, members = db().fetch(found, accounts.get_many(params.account_ids))
    if is_member and len(members) < len(set(params.account_ids)):
        raise NotFound("no_member")
    store.set_members(site(), g.viewer.uid, number, members.values(), is_member)


def _entity(found: Stored) -> List:
    return List(str(found.number), found.name, found.exclusive)


def _title(text: str) -> str:
    return cleaned("Title", normalize_name, text, store.NAME_MAX, "can't be blank")
