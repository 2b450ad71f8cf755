"""What statuses quote. A quote names the status that it is about; what a reader is shown of that is read anew for each
page, as its author wishes at this moment, and never kept with the quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import keys
from ..accounts.quoting import Quoting
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import NotFound
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below, cut
from ..scripts import script
from .acts import NOBODYS, Acts, Card, acts_commands, acts_from, lately_commands, lately_from
from .aims import foreign
from .boosts import Item, status_of, writers
from .seeing import Between, between_commands, between_from
from .status import Status
from .store import hydration
from .visibility import unpack, visible

DETACH, REATTACH, LET_QUOTE = (script(f"statuses/{verb}.lua") for verb in ("detach", "reattach", "let_quote"))


@dataclass(frozen=True, slots=True)
class Quotes:
    """The author of a status, a page of what quotes it, newest first, how many quotes there are, and what the reader
    did with those on the page.
    """

    author: Member
    page: Page[Status]
    count: int
    acts: Acts


class Cards:
    """What stands beside some statuses, with what they quote as the viewer is shown it, and what is still to be looked
    up of `acts`: `commands` to put into a trip.
    """

    def __init__(self, viewer: int | None, items: Iterable[Item], acts: Acts) -> None:
        self._viewer, self._acts, self._lately = viewer, acts, lately_commands(viewer, acts)
        self._quotes = {one.id: one.quote for one in map(status_of, items) if one.quote}
        self._entries = list(dict.fromkeys(self._quotes.values()))
        self._authors = {author for _, author in self._entries}
        statuses, self._read = hydration(self._entries)
        self._ties = between_commands(viewer, self._authors)
        detached: list[Command] = [("ZSCORE", keys.detached(quote[0]), one) for one, quote in self._quotes.items()]
        self.commands: list[Command] = [*self._lately, *detached, *self._ties, *statuses]

    def read(self, replies: Sequence[Any]) -> Acts:
        """All of that, by the replies."""
        just_now, detached, ties, statuses = _split(replies, len(self._lately), len(self._quotes), len(self._ties))
        acts = lately_from(self._acts, just_now)
        if not self._quotes:
            return acts
        between = between_from(self._viewer, self._authors, ties)
        found = dict(zip(self._entries, self._read(statuses), strict=True))
        told = zip(self._quotes.items(), detached, strict=True)
        return replace(acts, cards={one: _card(found[quote], between, at) for (one, quote), at in told})


def with_cards(
    db: Db, viewer: int | None, items: Iterable[Item], acts: Acts = NOBODYS, also: Sequence[Command] = ()
) -> Acts:
    """The same in one trip, in which `also` is sent; none where that is nothing."""
    cards = Cards(viewer, items, acts)
    return cards.read(db.parts(cards.commands, also)[0])


def uids_of(items: Iterable[Item]) -> frozenset[int]:
    """The authors of statuses, who boosts them, and the authors of what these quote: who is on a page of them."""
    found = set[int]()
    for item in items:
        found |= writers(item) | {quote[1] for quote in (status_of(item).quote,) if quote}
    return frozenset(found)


def listed(db: Db, status_id: int, before: int | None, size: int, viewer: int | None) -> Quotes:
    """What quotes a status and everybody may see; `before`: the last page's cursor. Those whom the viewer is not shown
    are counted and left out. Two trips, and one for what the viewer did just now. Raises NotFound, also where the
    status is not for them; Forbidden when its author is suspended, or hidden from them.
    """
    newest = ("ZRANGE", keys.quotes(status_id), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1)
    by, flat = db.trip(("HGET", keys.status(status_id), "author"), newest)
    if by is None:
        raise NotFound("no_status")
    own = (status_id, int(by))
    entries = [(int(one), int(author)) for one, author in (entry.split(":") for entry in flat)]
    commands, read = hydration([own, *entries])
    ids, authors = [one for one, _ in entries], {author for _, author in (own, *entries)}
    ties, acted = between_commands(viewer, authors), acts_commands(viewer, entries)
    detached: list[Command] = [("ZSCORE", keys.detached(status_id), one) for one in ids]
    replies = db.trip(*detached, *ties, *acted, *commands)
    parts = _split(replies, len(detached), len(ties), len(acted))
    between = between_from(viewer, authors, parts[1])
    quoted, *found = read(parts[3])
    status = between.admit(quoted)
    cards = {one: _card(status, between, at) for one, at in zip(ids, parts[0], strict=True)}
    page = cut(list(zip(ids, found, strict=True)), size)
    shown = tuple(one for one in page.items if one and between.shown(one))
    acts = replace(acts_from(db, viewer, entries, parts[2]), cards=cards)
    return Quotes(status.author, Page(shown, page.next), status.quotes, acts)


def detach(db: Db, config: Config, uid: int, quote: int) -> None:
    """Takes a member's status out of a quote of it; again is no change. Three trips. Raises NotFound, also where the
    quote is not for them or is of another's status; Conflict at DETACHED_MAX; Unavailable.
    """
    names, status_id, p = _own(db, uid, quote)
    db.run(DETACH(names, uid, status_id, quote, config.detached_max, p, config.outbox_max, *trace()))


def reattach(db: Db, config: Config, uid: int, quote: int) -> None:
    """Shows it there again; what it was not taken out of is no change. Raises as `detach`."""
    names, status_id, p = _own(db, uid, quote)
    db.run(REATTACH(names, uid, status_id, quote, p, config.outbox_max, *trace()))


def let_quote(db: Db, uid: int, status_id: int, quoting: Quoting) -> None:
    """Says anew who may quote a member's own status; what quotes it stays. Raises NotFound; Forbidden when it is
    somebody else's, or the member is suspended.
    """
    if partition_of(status_id) != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise foreign(db, status_id)
    db.run(LET_QUOTE([keys.status(status_id), keys.user(uid)], uid, status_id, quoting.value))


def _own(db: Db, uid: int, quote: int) -> tuple[list[str], int, int]:
    """Keys for the scripts, the status of this member that a quote shows, and its partition."""
    by, vis, who, quoted, of = db.run(("HMGET", keys.status(quote), "author", "vis", "who", "quote", "quoted"))
    if by is None or not quoted or int(of) != uid:
        raise NotFound("no_status")
    follows, fields = db.trip(("ZSCORE", keys.following(uid), by), member_command(int(by)))
    between, member = Between(uid, follows=frozenset({int(by)} if follows else ())), member_from(int(by), fields)
    if member is None or not between.may_see(int(by), visible(vis, member), unpack(who)):
        raise NotFound("no_status")
    status_id, p = int(quoted), partition_of(uid)
    return [keys.status(status_id), keys.detached(status_id), keys.outbox(p)], status_id, p


def _card(status: Status | None, between: Between, detached: Any) -> Card:
    """What a viewer is shown of a quoted status."""
    if detached is not None:
        return Card(None, detached=True)
    if status is None or not between.shown(status):
        return Card(None)
    return Card(status, muted=not between.unasked(status.author.uid))


def _split(replies: Sequence[Any], *sizes: int) -> list[Sequence[Any]]:
    """The replies in parts of these sizes, and what is left."""
    parts, at = [], 0
    for size in sizes:
        parts.append(replies[at : at + size])
        at += size
    return [*parts, replies[at:]]
