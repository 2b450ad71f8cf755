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
from ..ids import partition_of
from ..paging import Page, below, cut
from ..scripts import script
from ..statuses.acts import Acts
from ..statuses.boosts import Boost, Item, once
from ..statuses.quotes import with_cards
from ..timelines.boosted import Shown, admits
from ..timelines.reading import fetch
from ..timelines.rebuild import gather
from ..timelines.timeline import NEWEST, Timeline
from .store import List, known, owner_commands, owner_from

PAGE = script("lists/page.lua")
MERGE = script("lists/merge.lua")
REBUILDS_MAX = 3  # members may be put on it while it is built; then what is there is shown


def timeline(
    db: Db, config: Config, owner: int, number: int, viewer: int | None, before: int | None = None
) -> tuple[List, Member, Timeline[Item]]:
    """A list that a viewer may see, its owner, and a page of its timeline, newest first, never short while more is
    kept. Two trips; one more where something on the page is not shown, or shown again further down, one where something
    on it quotes another status, or for what the reader did just now, and a few where the timeline was not kept, or its
    members have changed. Raises NotFound, and Forbidden where the owner is not to be seen.
    """
    for attempt in range(REBUILDS_MAX + 1):
        log, told, *rest = db.trip(NEWEST, _page(owner, number, before), *owner_commands(owner, viewer))
        if told is None:
            raise NotFound("no_list")
        fields, size, entries, mark, members, followed = told
        shown, by = known(owner, number, fields, size, viewer), owner_from(owner, viewer, rest)
        if not mark or attempt == REBUILDS_MAX:
            break
        _rebuild(db, config, shown, mark, members, set(followed))
    page, acts = _filled(db, config, viewer, entries)
    position = log[0][0] if log else "0-0"
    return shown, by, Timeline(page.items, page.next, position, with_cards(db, viewer, page.items, acts))


def _filled(db: Db, config: Config, viewer: int | None, entries: Sequence[str]) -> tuple[Page[Item], Acts]:
    """The first page of what a viewer is shown of some entries, and what they did with it: first as many entries as
    that takes are looked at, then all.
    """
    size = config.page_size
    for look in (size + 1, len(entries)):
        items, acts, between = fetch(db, config, viewer, entries[:look])
        found = once([item for item in items if item and admits(between, item)])
        if look >= len(entries) or (len(found) > size and not _again(found, entries[look:])):
            break
    return cut([(item.id, item) for item in found], size), acts


def _again(items: Sequence[Item], below: Sequence[str]) -> bool:
    """Whether what some of these boost stands further down, too: it might be left out for that."""
    boosted = {item.status.id for item in items if isinstance(item, Boost)}
    return bool(boosted) and not boosted.isdisjoint(status_id for status_id, _ in Shown(below).pairs)


def _rebuild(db: Db, config: Config, shown: List, mark: str, members: Sequence[str], followed: Collection[str]) -> None:
    """Builds the timeline of a list anew from what its members have written and boost. A crash leaves the mark, and the
    next look builds again.
    """
    owner, uids = shown.owner, [int(uid) for uid in members]
    sources = [(uid, key) for uid in uids for key in _sources(owner, uid, str(uid) in followed)]
    entries, _ = gather(db, owner, sources, {owner, *uids}, config.list_home_max) if sources else ([], False)
    own = (owner, shown.number)
    names = [keys.list_members(*own), keys.list_home(*own), keys.active_lists(partition_of(owner))]
    db.run(MERGE(names, *own, mark, config.list_home_max, *entries))


def _sources(owner: int, author: int, followed: bool) -> Iterator[str]:
    """The lists of what an author wrote that the owner of a list may see, and of what they boost."""
    yield from (keys.profile(author), keys.replied(author), keys.boosts(author), keys.limited(author, owner))
    if followed:
        yield keys.limited(author, keys.FOLLOWERS)


def _page(owner: int, number: int, before: int | None) -> Command:
    own = (keys.list_(owner, number), keys.list_members(owner, number), keys.list_home(owner, number))
    names = [*own, keys.active_lists(partition_of(owner)), keys.following(owner)]
    return PAGE(names, owner, number, below(before))
