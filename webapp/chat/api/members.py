"""The members that a request names: by id, or by username with an @."""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.core.errors import Invalid, NotFound
from webapp.core.store.ids import parse_id
from webapp.core.web.context import config, db

from .fields import Fields


def resolve_member(name: str) -> int:
    """Return the uid in a path: `17`, or `@wren`. At most two trips. Raises NotFound."""
    if name.startswith("@"):
        return accounts.get_by_login(db(), name[1:]).uid
    return NotFound.unless(parse_id(name), "no_member")


def resolve_members(fields: Fields) -> list[int]:
    """Return the uids in the field `members`: a list of ids and usernames. At most two trips.

    Raises Invalid for anything else, NotFound for a username that nobody has.
    """
    named = fields.get("members") or []
    if not isinstance(named, list) or len(named) >= config().chat_members_max:
        raise Invalid("bad_members")
    logins = [one.removeprefix("@").lower() for one in named if isinstance(one, str)]
    uids = [one for one in named if type(one) is int and parse_id(str(one))]
    if len(logins) + len(uids) < len(named):
        raise Invalid("bad_members")
    found = accounts.get_many_by_login(db(), logins) if logins else {}
    if len(found) < len(set(logins)):
        raise NotFound("no_member")
    return list(dict.fromkeys([*uids, *(member.uid for member in found.values())]))
