"""Suggestions for a member: those computed for them, then popular and new members."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.core.store import Db, Read, constant, gather, read

from . import keys, popular
from .checks import DISMISSED, SuggestedMember, check, check_for_visitors, relations
from .reasons import Suggestion, unpack

FILL = 10  # new members fill shorter lists only
SPARE_MIN = 9  # members looked at besides those who are shown: some may not be shown


@dataclass(frozen=True, slots=True)
class Candidates:
    """Who may be suggested, before anything is checked: computed for the viewer, then for all."""

    own: Sequence[Suggestion]
    popular: Sequence[Suggestion]
    newest: Sequence[Suggestion]


def candidates(viewer: int | None) -> Read[Candidates]:
    """Read candidates for a viewer's suggestions (None: a visitor)."""
    return gather(_own(viewer), popular.popular(), popular.newest()).map(
        lambda found: Candidates(*found)
    )


def suggested(db: Db, viewer: int, limit: int, found: Candidates) -> list[SuggestedMember]:
    """Return up to `limit` members whom a viewer may want to follow, best first.

    Two trips; four if nobody has read the popular members for some minutes. Relations to the viewer
    are read for all candidates, the rest only for as many as are needed.
    """
    others, cached = _popular(db, found)
    candidates = [*found.own, *others]
    between, _ = db.fetch(relations(viewer, [*candidates, *found.newest]), cached)
    wanted = _first_members(between.allowed([*candidates, *found.newest]), limit)
    checked = db.read(check(viewer, wanted, between))
    best_uids = {one.uid for one in candidates}
    fill = [one for one in checked if one.member.uid not in best_uids]
    best = [one for one in checked if one.member.uid in best_uids][:limit]
    return [*best, *fill[: max(min(limit, FILL) - len(best), 0)]]


def popular_members(db: Db, limit: int, found: Candidates) -> list[SuggestedMember]:
    """Return up to `limit` popular and active members, the same for all visitors.

    One trip; three if nobody has read them for some minutes.
    """
    others, cached = _popular(db, found)
    checked, _ = db.fetch(check_for_visitors(others), cached)
    return checked[:limit]


def dismiss(db: Db, viewer: int, login: str) -> None:
    """Never suggest the member of a login to a viewer again. Safe to repeat. Three trips.

    Raises NotFound, Invalid for oneself, Unavailable.
    """
    member = accounts.get_other(db, viewer, login, "yourself")
    db.run(DISMISSED.add(keys.dismissed(viewer), [member.uid]))


def _own(viewer: int | None) -> Read[list[Suggestion]]:
    if viewer is None:
        return constant([])
    command = ("ZRANGE", keys.suggestions(viewer), 0, -1)
    return read(command, lambda entries: list(map(unpack, entries)))


def _popular(db: Db, found: Candidates) -> tuple[Sequence[Suggestion], Read[None]]:
    """Return the popular members, and the read that caches them. Two trips if they were not."""
    if found.popular:
        return found.popular, constant(None)
    chosen = popular.choose(db)
    return chosen, popular.save(chosen)


def _first_members(suggestions: Sequence[Suggestion], limit: int) -> list[Suggestion]:
    """Return the first suggestions, of `limit` members and some to spare."""
    uids = list(dict.fromkeys(one.uid for one in suggestions))
    wanted = frozenset(uids[: limit + max(limit // 4, SPARE_MIN)])
    return [one for one in suggestions if one.uid in wanted]
