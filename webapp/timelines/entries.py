"""What events say of boosts, and boosts where timelines are read: in homes of those who follow, and on profiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from webapp.core.events.outbox import Event
from webapp.core.store.reads import Command
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boosts import (
    Boost,
    BoostLoader,
    BoostRef,
    Item,
    dedupe_boosts,
    has_suspended_member,
    member_uids,
    merge_newest_first,
    ref_from_entry,
    ref_from_event,
    status_entries,
    zset_member,
)
from webapp.statuses.interactions.viewer_reads import parse_viewer_state, viewer_state_commands
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status
from webapp.statuses.store import hydration
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from


def exists_command(event: Event) -> Command:
    """The command that asks whether what an event tells of is there."""
    boost = ref_from_event(event)
    if boost:
        return (
            "ZSCORE",
            interaction_keys.member_boosts(boost.booster_uid),
            zset_member(boost.status_id, boost.author_uid),
        )
    return ("EXISTS", status_keys.status(int(event.data["id"])))


def still_valid(event: Event, reply: Any) -> bool:
    """Whether an event may be carried on, by the reply to that: what takes away always may."""
    if event.type == "boosted":
        return reply is not None and int(reply) == int(event.data["id"])
    return event.type != "posted" or bool(reply)


class EntryLoader:
    """What some entries of timelines show: of each a status (its author's own, or a boost's) with its author, and the
    boosts among them. `authors`: who wrote it; `by`: whose posts and boosts these are; `people`: all of them.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._boost_refs = [ref_from_entry(entry) if "=" in entry else None for entry in entries]
        self.pairs = [
            (ref.status_id, ref.author_uid) if ref else parse_entry(entry)
            for ref, entry in zip(self._boost_refs, entries, strict=True)
        ]
        boost_refs = [ref for ref in self._boost_refs if ref]
        self.authors = {author for _, author in self.pairs}
        self.posters = {
            ref.booster_uid if ref else author
            for ref, (_, author) in zip(self._boost_refs, self.pairs, strict=True)
        }
        self.members = self.authors | self.posters
        self._boost_loader = BoostLoader(boost_refs)
        self.commands = self._boost_loader.commands

    def parse(self, replies: Sequence[Any], statuses: Sequence[Status | None]) -> list[Item | None]:
        """What stands there, in the same order, from the replies to `commands` and what `pairs` name; None for what is
        gone, or not so any more.
        """
        if not self.commands:
            return list(statuses)
        boosted_statuses = [
            status for status, ref in zip(statuses, self._boost_refs, strict=True) if ref
        ]
        boosts = self._boost_loader.parse(replies, boosted_statuses)
        return [
            next(boosts) if ref else status
            for status, ref in zip(statuses, self._boost_refs, strict=True)
        ]


class BoostPage:
    """A few boosts that a page may show, and what stands between their readers and whom they show: `commands` to put
    into a trip. (Where homes are read, the script that reads them knows that already.) `home`: for the viewer's home;
    `others`: more boosts, of which it is told whom they show alone.
    """

    def __init__(
        self,
        viewer: int,
        refs: Sequence[BoostRef],
        for_home: bool = False,
        other_refs: Sequence[BoostRef] = (),
    ) -> None:
        self._viewer, self._refs = viewer, refs
        self._author_uids = {
            uid for one in (*refs, *other_refs) for uid in (one.booster_uid, one.author_uid)
        }
        self._boost_loader, self.pairs = (
            BoostLoader(refs),
            [(one.status_id, one.author_uid) for one in refs],
        )
        statuses, self._parse_statuses = hydration(self.pairs)
        self._command_groups = (
            relationship_commands(viewer, self._author_uids, for_home),
            self._boost_loader.commands,
            statuses,
        )
        self.commands = [command for part in self._command_groups for command in part]

    def parse(self, replies: Sequence[Any], requested_uid: int = 0) -> list[Boost]:
        """Those that the viewer is shown: of the member `asked` for even where that one is muted."""
        remaining = iter(replies)
        _, boost_replies, status_replies = (
            list(islice(remaining, len(group))) for group in self._command_groups
        )
        relationship = self.relationship(replies)
        boosts = [
            boost
            for boost in self._boost_loader.parse(
                boost_replies, self._parse_statuses(status_replies)
            )
            if boost
        ]
        return [one for one in boosts if visible_unasked(relationship, one, requested_uid)]

    def relationship(self, replies: Sequence[Any]) -> Relationship:
        """What stands between the viewer and whom they all show."""
        return relationship_from(
            self._viewer, self._author_uids, replies[: len(self._command_groups[0])]
        )


def visible_unasked(relationship: Relationship, item: Item, requested_uid: int = 0) -> bool:
    """Whether a viewer is shown it without asking for it, other than for what is of the member `asked` for."""
    return (
        not has_suspended_member(item)
        and may_see(relationship, item)
        and unblocked(relationship, member_uids(item), requested_uid)
    )


def unblocked(relationship: Relationship, uids: Iterable[int], requested_uid: int = 0) -> bool:
    """Whether a viewer is shown what shows these members, without asking for others than the member `asked` for."""
    return all(
        relationship.visible_on_request(uid)
        if uid == requested_uid
        else relationship.visible_in_timelines(uid)
        for uid in uids
    )


def may_see(relationship: Relationship, item: Item) -> bool:
    """Whether it is for the viewer: a boost of no more than what everybody may see."""
    return (
        relationship.may_see_boost(item.status, item.booster)
        if isinstance(item, Boost)
        else relationship.may_see_status(item)
    )


@lru_cache(20_000)  # many homes have the same
def parse_entry(entry: str) -> Entry:
    """(status id, author's uid) of a timeline's member `id:author`, or `id:author:to`."""
    status_id, author, *_ = entry.split(":")
    return int(status_id), int(author)


def within_page(
    ids: Sequence[int], boosts: Sequence[BoostRef], size: int, floor: int
) -> tuple[list[BoostRef], int]:
    """Those boosts that may stand on a page of so many, with what has these ids, and not below `floor`; and the id
    below which others were left aside, 0 where none were.
    """
    newest = sorted((*ids, *(one.id for one in boosts)), reverse=True)[: size + 1]
    lower_bound = max(floor, newest[-1]) if newest else 0
    more_below = any(floor <= one.id < lower_bound for one in boosts)
    return [one for one in boosts if one.id >= lower_bound], lower_bound if more_below else 0


class ProfilePage:
    """What a member wrote and boosts, mixed, for a page of their profile: `commands` to put into a trip. `posts`: as
    many as a page may take, and one more, where there are so many; `boosts`: the newest, of which the `first` are
    fetched, and of the others it is asked whom they show; `end`: the id below which nothing was looked at, 0 for none.
    """

    def __init__(
        self,
        viewer: int,
        uid: int,
        posts: Sequence[Status],
        pinned: Sequence[Status],
        boosts: Sequence[BoostRef],
        complete_to: int,
        size: int,
        fetch_limit: int,
    ) -> None:
        self._viewer, self._uid, self._posts, self._pinned, self._size = (
            viewer,
            uid,
            posts,
            pinned,
            size,
        )
        floor = posts[size].id if len(posts) > size else 0
        self._boost_refs = [one for one in boosts if one.id > floor]
        self._complete_to = complete_to if complete_to > floor else 0
        self._continuation: ProfilePage | None = None
        # Below the last boost that is fetched, nothing can be told of the order.
        self._floor = (
            self._boost_refs[fetch_limit - 1].id
            if len(self._boost_refs) > fetch_limit
            else self._complete_to
        )
        self._boost_page = BoostPage(
            viewer, self._boost_refs[:fetch_limit], other_refs=self._boost_refs[fetch_limit:]
        )
        self._pairs = [*status_entries([*pinned, *posts[: size + 1]]), *self._boost_page.pairs]
        self._state_commands = viewer_state_commands(viewer, self._pairs)
        self.commands = [*self._state_commands, *self._boost_page.commands]

    def more_commands(self, replies: Sequence[Any]) -> list[Command]:
        """The commands of one more trip, where so many of the boosts that were fetched are not shown that the page
        would be short, and others are left: these, by the replies to `commands`.
        """
        items, _, floor = self.parse(replies)
        if len(items) <= self._size and floor != (self._complete_to or None):
            relationship = self._boost_page.relationship(replies[len(self._state_commands) :])
            unblocked_refs = [
                one
                for one in self._boost_refs
                if unblocked(relationship, (one.booster_uid, one.author_uid), self._uid)
            ]
            arguments = (
                self._viewer,
                self._uid,
                self._posts,
                self._pinned,
                unblocked_refs,
                self._complete_to,
                self._size,
                len(unblocked_refs),
            )
            self._continuation = ProfilePage(*arguments)
        return self._continuation.commands if self._continuation else []

    def parse(
        self, replies: Sequence[Any], more_replies: Sequence[Any] = ()
    ) -> tuple[list[Item], ViewerState, int | None]:
        """What stands there, newest first, from the replies to `commands` and to those of `more`; what the reader did
        with it; and where what was not looked at begins, if anything.
        """
        if self._continuation:
            return self._continuation.parse(more_replies)
        split, pinned_ids = len(self._state_commands), {status.id for status in self._pinned}
        items = dedupe_boosts(
            merge_newest_first(self._posts, self._boost_page.parse(replies[split:], self._uid))
        )
        visible = [
            one for one in items if not isinstance(one, Boost) or one.status.id not in pinned_ids
        ]
        visible = [one for one in visible if one.id >= self._floor]
        return (
            visible,
            parse_viewer_state(self._viewer, self._pairs, replies[:split]),
            self._floor or None,
        )
