"""A home that is not kept, at the first visit after a long time, or that lacks something at its bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import keys
from ..config import Config
from ..db import Db
from ..ids import partition_of
from ..paging import looked_at
from ..scripts import script
from ..statuses.boosts import Item
from . import tags
from .gathering import Gathered, built
from .timeline import Timeline

MERGE = script("timelines/merge.lua")
LOOK = 200  # entries that are read of each list, where that is not too many of all together


def page(db: Db, config: Config, uid: int, before: int | None, position: str, told: Sequence[Any]) -> Timeline[Item]:
    """A page of a home, gathered from the profiles it follows and its tags; and what is kept from then on, where that
    joins what is kept already. `told`: the reply to the home's command, which began it: the member is active since, so
    that nothing posted meanwhile is missed. A crash leaves the mark that something is missing, and so does a follow or
    an unfollow meanwhile: the next visit builds again, as does one that comes to where the lists were not read any
    deeper. Where much of it is hidden, or very many are followed, a page may be short, and leads on; nothing on it is
    shown with what it quotes. Two trips.
    """
    _, _, pulled, names, _, (mark, version, followed) = told
    shown, merged, size = {uid, *map(int, followed)}, {*map(int, pulled)} - {uid}, config.page_size
    mine = [(author, name) for author in shown for name in _lists(uid, author, author not in merged)]
    theirs = [(author, name) for author in merged for name in _open_lists(author)]
    own = Gathered(uid, mine, shown, config.home_max, before, max(LOOK, size))
    others = Gathered(uid, theirs, shown, looked_at(size), before, size)
    pages = tags.Pages(db, config, before)
    of_tags, of_own, of_others = db.parts(pages.ask(names), own.commands, others.commands)
    pages.read(of_tags)
    own.read(of_own)
    others.read(of_others)
    brought = pages.of(names, frozenset())
    floor = max(own.floor, others.floor, brought.floor)
    found = {tags.id_of(one): one for one in (*brought.entries, *own.entries, *others.entries)}
    entries = [found[number] for number in sorted(found, reverse=True) if number >= floor]
    kept = [keys.home(uid), keys.following(uid), keys.active(partition_of(uid)), keys.fences(keys.tag(uid))]
    head = (uid, "", 0, config.home_max, config.home_slack, own.floor or "", mark, version, before or "")
    keep = MERGE(kept, *head, *own.entries)
    return built(db, config, uid, entries, floor, position, [keep], home=True)[0]


def _lists(uid: int, author: int, pushed: bool) -> Iterator[str]:
    """The lists of an author's statuses and boosts that a member may see who follows them, or is the author, as far as
    they are kept in homes: of one who is merged what names the member, for that alone is not.
    """
    yield keys.limited(author, uid)
    if pushed:
        yield from _open_lists(author, own=author == uid)


def _open_lists(author: int, own: bool = False) -> Iterator[str]:
    yield from (keys.profile(author), keys.replied(author), keys.boosts(author))
    if not own:
        yield keys.limited(author, keys.FOLLOWERS)
