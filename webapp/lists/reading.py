"""What a list shows its reader: what its members write and boost, as far as it is for the reader and not hidden from
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .. import keys
from ..accounts.store import Member
from ..config import Config
from ..db import Command, Db
from ..errors import NotFound
from ..events import NEWEST, position_of
from ..ids import partition_of
from ..paging import Page, below, cut
from ..scripts import script
from ..statuses.acts import Acts
from ..statuses.boosts import Boost, Item, once
from ..timelines.boosted import Shown, admits
from ..timelines.gathering import Gathered, built
from ..timelines.reading import fetch
from ..timelines.timeline import Timeline, with_cards
from .store import List, known, owner_commands, owner_from

PAGE = script("lists/page.lua")
MERGE = script("lists/merge.lua")


def timeline(
    db: Db, config: Config, owner: int, number: int, viewer: int | None, before: int | None = None
) -> tuple[List, Member, Timeline[Item]]:
    """A list that a viewer may see, its owner, and a page of its timeline, newest first, never short while more is
    kept. Two trips; one more where something on the page is not shown, or shown again further down, and one where
    something on it quotes another status, or for what the reader did just now; four where the timeline was not kept, or
    its members have changed. Raises NotFound, and Forbidden where the owner is not to be seen.
    """
    log, told, *rest = db.trip(NEWEST, _page(owner, number, before), *owner_commands(owner, viewer))
    if told is None:
        raise NotFound("no_list")
    fields, size, entries, mark, *members = told
    shown, by = known(owner, number, fields, size, viewer), owner_from(owner, viewer, rest)
    if mark:
        return shown, by, _gathered(db, config, shown, viewer, before, position_of(log), mark, *members)
    page, acts = _filled(db, config, viewer, entries)
    return shown, by, with_cards(db, viewer, Timeline(page.items, page.next, position_of(log), acts))


def _filled(db: Db, config: Config, viewer: int | None, entries: Sequence[str]) -> tuple[Page[Item], Acts]:
    """The first page of what a viewer is shown of some entries, and what they did with it: first as many entries as
    that takes are looked at, then all.
    """
    size = config.page_size
    for look in (size + 1, len(entries)):
        items, acts, between, _ = fetch(db, config, viewer, entries[:look])
        found = once([item for item in items if item and admits(between, item)])
        if look >= len(entries) or (len(found) > size and not _again(found, entries[look:])):
            break
    return cut([(item.id, item) for item in found], size), acts


def _again(items: Sequence[Item], below: Sequence[str]) -> bool:
    """Whether what some of these boost stands further down, too: it might be left out for that."""
    boosted = {item.status.id for item in items if isinstance(item, Boost)}
    return bool(boosted) and not boosted.isdisjoint(status_id for status_id, _ in Shown(below).pairs)


def _gathered(
    db: Db,
    config: Config,
    shown: List,
    viewer: int | None,
    before: int | None,
    position: str,
    mark: str,
    members: Sequence[str],
    followed: Collection[str],
) -> Timeline[Item]:
    """A page of a list that is not kept, or whose members have changed, gathered from what these write and boost; the
    first page keeps it. A crash leaves the mark, and so does a change meanwhile: the next look builds again. Three
    trips.
    """
    owner, uids = shown.owner, [int(uid) for uid in members]
    sources = [(uid, key) for uid in uids for key in _sources(owner, uid, str(uid) in followed)]
    gathered = Gathered(owner, sources, {owner, *uids}, config.list_home_max, before, config.page_size)
    gathered.read(db.trip(*gathered.commands))

    found = (gathered.entries, gathered.floor)
    page, more = built(db, config, viewer, *found, position, gathered.commands)
    gathered.read(more)
    own = (owner, shown.number)
    names = [keys.list_members(*own), keys.list_home(*own), keys.active_lists(partition_of(owner))]
    keep = [] if before else [MERGE(names, *own, mark, config.list_home_max, *gathered.entries)]
    return with_cards(db, viewer, page, keep)


def _sources(owner: int, author: int, followed: bool) -> Iterator[str]:
    """The lists of what an author wrote that the owner of a list may see, and of what they boost."""
    yield from (keys.profile(author), keys.replied(author), keys.boosts(author), keys.limited(author, owner))
    if followed:
        yield keys.limited(author, keys.FOLLOWERS)


def _page(owner: int, number: int, before: int | None) -> Command:
    own = (keys.list_(owner, number), keys.list_members(owner, number), keys.list_home(owner, number))
    names = [*own, keys.active_lists(partition_of(owner)), keys.following(owner)]
    return PAGE(names, owner, number, below(before))
