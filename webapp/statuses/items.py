"""Items of timelines: statuses, and boosts of statuses."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import TypeVar

from webapp.accounts.store import Member
from webapp.core.store import created_at
from webapp.core.text.parser import tag_names

from .status import Status

BOOST_DEDUPE_WINDOW = 40  # items below a boost that are searched for the same status


@dataclass(frozen=True, slots=True)
class Boost:
    """A status shown again by a member."""

    id: int
    booster: Member
    status: Status

    @property
    def created(self) -> datetime:
        """Return when the member boosted the status."""
        return created_at(self.id)


Item = Status | Boost
T = TypeVar("T", bound=Item)


def status_of(item: Item) -> Status:
    """Return the status that an item shows."""
    return item.status if isinstance(item, Boost) else item


def members_shown(item: Item) -> tuple[Member, ...]:
    """Return the members that an item shows: who boosts, and the author."""
    return (item.booster, item.status.author) if isinstance(item, Boost) else (item.author,)


def member_uids(item: Item) -> set[int]:
    """Return the uids of the members that an item shows."""
    return {member.uid for member in members_shown(item)}


def has_suspended_member(item: Item) -> bool:
    """Return True if a member that an item shows is suspended."""
    return any(member.suspended for member in members_shown(item))


def uids_on_page(items: Iterable[Item]) -> frozenset[int]:
    """Return the uids of all members on a page of items, authors of quoted statuses included.

    The latter also with a minus sign: their statuses may be hidden (see `CachedPage.uids`).
    """
    uids: set[int] = set()
    for item in items:
        uids |= member_uids(item)
        if quote := status_of(item).quote:
            uids |= {quote[1], -quote[1]}
    return frozenset(uids)


def hashtags_on_page(items: Iterable[Item], limit: int = 8) -> list[str]:
    """Return the names of the hashtags on a page, those of the most statuses first.

    Those behind warnings are left out.
    """
    statuses = {status.id: status for status in map(status_of, items)}.values()
    open_entities = (status.entities for status in statuses if not status.cw)
    names = Counter(name for entities in open_entities for name in tag_names(entities))
    return [name for name, _ in names.most_common(limit)]


def people_on_page(items: Iterable[Item], but: int = 0, limit: int = 5) -> list[Member]:
    """Return the authors of a page's statuses, in order, without the member `but`."""
    authors = {status_of(item).author.uid: status_of(item).author for item in items}
    return [member for uid, member in authors.items() if uid != but][:limit]


def status_entries(items: Iterable[Item]) -> list[tuple[int, int]]:
    """Return (status id, author's uid) of each item's status."""
    return [(status.id, status.author.uid) for status in map(status_of, items)]


def merge_newest_first(*lists: Sequence[T]) -> list[T]:
    """Merge lists of items into one, newest first."""
    return sorted(chain(*lists), key=attrgetter("id"), reverse=True)


def dedupe_boosts(items: Sequence[T]) -> list[T]:
    """Return items, newest first, without boosts of statuses that follow just below them.

    A boost is left out if one of the next BOOST_DEDUPE_WINDOW items shows the same status.
    """
    if Boost not in set(map(type, items)):
        return list(items)
    ids = [status_of(item).id for item in items]
    return [
        item
        for index, item in enumerate(items)
        if not isinstance(item, Boost)
        or item.status.id not in ids[index + 1 : index + 1 + BOOST_DEDUPE_WINDOW]
    ]
