"""Suggestions for a member: those computed for them, then popular and new members."""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.errors import Invalid

from . import keys, popular
from .reasons import Suggestion, unpack
from .shown import DISMISSED, SuggestedMember, check

FILL = 10  # new members fill shorter lists only


def suggested(db: Db, viewer: int, limit: int) -> list[SuggestedMember]:
    """Return up to `limit` members whom a viewer may want to follow, best first.

    Two trips; four if nobody has read the popular
    members for some minutes.
    """
    own, others, newest = db.fetch(_own(viewer), popular.popular(), popular.newest())
    cached = popular.save(())
    if not others:
        others = popular.choose(db)
        cached = popular.save(others)
    shown, _ = db.fetch(check(viewer, [*own, *others, *newest]), cached)
    known = {one.uid for one in (*own, *others)}
    fill = [one for one in shown if one.member.uid not in known]
    best = [one for one in shown if one.member.uid in known][:limit]
    return [*best, *fill[: max(min(limit, FILL) - len(best), 0)]]


def dismiss(db: Db, viewer: int, login: str) -> None:
    """Never suggest the member of a login to a viewer again. Again changes nothing. Three trips.

    Raises NotFound, Invalid for oneself, Unavailable.
    """
    member = accounts.get_by_login(db, login)
    if member.uid == viewer:
        raise Invalid("yourself")
    db.run(DISMISSED.add(keys.dismissed(viewer), [member.uid]))


def _own(viewer: int) -> Read[list[Suggestion]]:
    command = ("ZRANGE", keys.suggestions(viewer), 0, -1)
    return read(command, lambda entries: list(map(unpack, entries)))
