"""What events say of boosts, and boosts where timelines are read: in homes of those who follow, and on profiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from .. import keys
from ..db import Command
from ..events import Event
from ..statuses.acts import Acts, acts_commands, acts_read
from ..statuses.boosts import (
    Boost,
    Boosted,
    Item,
    Told,
    every,
    member_of,
    once,
    statuses_of,
    suspended,
    told_by,
    told_of,
    writers,
)
from ..statuses.seeing import Between, between_commands, between_from
from ..statuses.status import Status
from ..statuses.store import Entry, hydration


def truth_command(event: Event) -> Command:
    """The command that asks whether what an event tells of is there."""
    boost = told_by(event)
    if boost:
        return ("ZSCORE", keys.boosts(boost.by), member_of(boost.status, boost.author))
    return ("EXISTS", keys.status(int(event.data["id"])))


def still_so(event: Event, truth: Any) -> bool:
    """Whether an event may be carried on, by the reply to that: what takes away always may."""
    if event.type == "boosted":
        return truth is not None and int(truth) == int(event.data["id"])
    return event.type != "posted" or bool(truth)


class Shown:
    """What some entries of timelines show: of each a status (its author's own, or a boost's) with its author, and the
    boosts among them. `authors`: who wrote it; `by`: whose posts and boosts these are; `people`: all of them.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._told = [told_of(entry) if "=" in entry else None for entry in entries]
        self.pairs = [
            (told.status, told.author) if told else pair_of(entry)
            for told, entry in zip(self._told, entries, strict=True)
        ]
        boosts = [told for told in self._told if told]
        self.authors = {author for _, author in self.pairs}
        self.by = {told.by if told else author for told, (_, author) in zip(self._told, self.pairs, strict=True)}
        self.people = self.authors | self.by
        self._boosts = Boosted(boosts)
        self.commands = self._boosts.commands

    def read(self, replies: Sequence[Any], statuses: Sequence[Status | None]) -> list[Item | None]:
        """What stands there, in the same order, from the replies to `commands` and what `pairs` name; None for what is
        gone, or not so any more.
        """
        if not self.commands:
            return list(statuses)
        shown = [status for status, told in zip(statuses, self._told, strict=True) if told]
        boosts = self._boosts.read(replies, shown)
        return [next(boosts) if told else status for status, told in zip(statuses, self._told, strict=True)]


class Boosters:
    """A few boosts that a page may show, and what stands between their readers and whom they show: `commands` to put
    into a trip. (Where homes are read, the script that reads them knows that already.) `home`: for the viewer's home;
    `others`: more boosts, of which it is told whom they show alone.
    """

    def __init__(self, viewer: int, told: Sequence[Told], home: bool = False, others: Sequence[Told] = ()) -> None:
        self._viewer, self._told = viewer, told
        self._writers = {uid for one in (*told, *others) for uid in (one.by, one.author)}
        self._boosted, self.pairs = Boosted(told), [(one.status, one.author) for one in told]
        statuses, self._read = hydration(self.pairs)
        self._parts = (between_commands(viewer, self._writers, home), self._boosted.commands, statuses)
        self.commands = [command for part in self._parts for command in part]

    def read(self, replies: Sequence[Any], asked: int = 0) -> list[Boost]:
        """Those that the viewer is shown: of the member `asked` for even where that one is muted."""
        told = iter(replies)
        _, boosted, statuses = (list(islice(told, len(part))) for part in self._parts)
        between = self.between(replies)
        found = [boost for boost in self._boosted.read(boosted, self._read(statuses)) if boost]
        return [one for one in found if admits(between, one, asked)]

    def between(self, replies: Sequence[Any]) -> Between:
        """What stands between the viewer and whom they all show."""
        return between_from(self._viewer, self._writers, replies[: len(self._parts[0])])


def admits(between: Between, item: Item, asked: int = 0) -> bool:
    """Whether a viewer is shown it without asking for it, other than for what is of the member `asked` for."""
    return not suspended(item) and sees(between, item) and meets(between, writers(item), asked)


def meets(between: Between, uids: Iterable[int], asked: int = 0) -> bool:
    """Whether a viewer is shown what shows these members, without asking for others than the member `asked` for."""
    return all(between.asked(uid) if uid == asked else between.unasked(uid) for uid in uids)


def sees(between: Between, item: Item) -> bool:
    """Whether it is for the viewer: a boost of no more than what everybody may see."""
    return between.passes_on(item.status, item.by) if isinstance(item, Boost) else between.sees(item)


@lru_cache(20_000)  # many homes have the same
def pair_of(entry: str) -> Entry:
    """(status id, author's uid) of a timeline's member `id:author`, or `id:author:to`."""
    status_id, author, *_ = entry.split(":")
    return int(status_id), int(author)


def among(ids: Sequence[int], told: Sequence[Told], size: int, floor: int) -> tuple[list[Told], int]:
    """Those boosts that may stand on a page of so many, with what has these ids, and not below `floor`; and the id
    below which others were left aside, 0 where none were.
    """
    newest = sorted((*ids, *(one.id for one in told)), reverse=True)[: size + 1]
    least = max(floor, newest[-1]) if newest else 0
    left = any(floor <= one.id < least for one in told)
    return [one for one in told if one.id >= least], least if left else 0


class OnProfile:
    """What a member wrote and boosts, mixed, for a page of their profile: `commands` to put into a trip. `posts`: as
    many as a page may take, and one more, where there are so many; `boosts`: the newest, of which the `first` are
    fetched, and of the others it is asked whom they show; `end`: the id below which nothing was looked at, 0 for none.
    """

    def __init__(
        self,
        reader: int,
        uid: int,
        posts: Sequence[Status],
        pinned: Sequence[Status],
        boosts: Sequence[Told],
        end: int,
        size: int,
        first: int,
    ) -> None:
        self._reader, self._uid, self._posts, self._pinned, self._size = reader, uid, posts, pinned, size
        floor = posts[size].id if len(posts) > size else 0
        self._told = [one for one in boosts if one.id > floor]
        self._end = end if end > floor else 0
        self._deeper: OnProfile | None = None
        # Below the last boost that is fetched, nothing can be told of the order.
        self._floor = self._told[first - 1].id if len(self._told) > first else self._end
        self._boosts = Boosters(reader, self._told[:first], others=self._told[first:])
        self._pairs = [*statuses_of([*pinned, *posts[: size + 1]]), *self._boosts.pairs]
        self._asking = acts_commands(reader, self._pairs)
        self.commands = [*self._asking, *self._boosts.commands]

    def more(self, replies: Sequence[Any]) -> list[Command]:
        """The commands of one more trip, where so many of the boosts that were fetched are not shown that the page
        would be short, and others are left: these, by the replies to `commands`.
        """
        items, _, floor = self.read(replies)
        if len(items) <= self._size and floor != (self._end or None):
            between = self._boosts.between(replies[len(self._asking) :])
            left = [one for one in self._told if meets(between, (one.by, one.author), self._uid)]
            given = (self._reader, self._uid, self._posts, self._pinned, left, self._end, self._size, len(left))
            self._deeper = OnProfile(*given)
        return self._deeper.commands if self._deeper else []

    def read(self, replies: Sequence[Any], more: Sequence[Any] = ()) -> tuple[list[Item], Acts, int | None]:
        """What stands there, newest first, from the replies to `commands` and to those of `more`; what the reader did
        with it; and where what was not looked at begins, if anything.
        """
        if self._deeper:
            return self._deeper.read(more)
        at, fixed = len(self._asking), {status.id for status in self._pinned}
        found = once(every(self._posts, self._boosts.read(replies[at:], self._uid)))
        shown = [one for one in found if not isinstance(one, Boost) or one.status.id not in fixed]
        shown = [one for one in shown if one.id >= self._floor]
        return shown, acts_read(self._reader, self._pairs, replies[:at]), self._floor or None
