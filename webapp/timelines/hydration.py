"""What the entries of timelines show, in the trip that fetches it all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.following import keys as following_keys
from webapp.statuses.interactions.boosts import (
    BoostRef,
    Item,
    dedupe_boosts,
    member_uids,
    members_shown,
    merge_newest_first,
    status_entries,
)
from webapp.statuses.interactions.viewer_reads import parse_viewer_state, viewer_state_commands
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status
from webapp.statuses.status_cache import CachedStatusLoader
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from
from webapp.statuses.visibility.visibility import Visibility

from .entries import BoostPage, EntryLoader, may_see, parse_entry, within_page
from .pull.authors import AuthorPages
from .tags import store as tags


class HydratedPage(NamedTuple):
    """What a home's entries show together with what is merged at read time, newest first and once, down to `end` (0:
    all); what the reader did with it; the entries that are gone, or not for the reader; and the authors of those left
    out that are not gone: who has just been suspended, or who is hidden from the reader and comes under a tag.
    """

    items: list[Item]
    viewer_state: ViewerState
    deleted: list[str]
    excluded_authors: set[int]
    complete_to: int


def hydrate_home(
    db: Db,
    config: Config,
    uid: int,
    merged_entries: tags.MergedEntries,
    author_pages: AuthorPages,
    home_state: ViewerState,
    extra: Sequence[Command] = (),
) -> tuple[HydratedPage, list[Any]]:
    """It, and the replies to `also`. `own`: what the reader did with what the home's own entries show. One trip, none
    where this process read all of it just now.
    """
    loader, tag_only_authors = (
        EntryLoader(merged_entries.entries),
        sorted(merged_entries.tag_only_authors),
    )
    followed = loader.posters - merged_entries.tag_only_authors
    status_cache = CachedStatusLoader(
        db, loader.pairs, uid, config.status_seconds, loader.authors - followed
    )
    pull_boosts, complete_to = _pull_boosts(config, merged_entries, author_pages)
    boost_page = BoostPage(uid, pull_boosts, for_home=True)
    pairs = [
        *map(parse_entry, merged_entries.tag_only),
        *status_entries(author_pages.statuses),
        *boost_page.pairs,
    ]
    replied_uids, relation_commands = (
        _replied_uids(uid, author_pages.statuses),
        relationship_commands(uid, tag_only_authors, home=True),
    )
    command_groups = (
        status_cache.commands,
        _viewer_state_commands(uid, pairs, replied_uids),
        relation_commands,
        loader.commands,
        boost_page.commands,
        extra,
    )
    (
        status_replies,
        state_replies,
        relationship_replies,
        entry_boost_replies,
        boost_replies,
        extra_replies,
    ) = db.trip_by_group(*command_groups)
    relationship = relationship_from(uid, tag_only_authors, relationship_replies).with_follows(
        followed
    )
    items, deleted, excluded_authors = _filter_visible(
        relationship,
        merged_entries.entries,
        loader.parse(entry_boost_replies, status_cache.parse(status_replies)),
    )
    visible_replied_uids = {
        0,
        uid,
        *(
            replied_uid
            for replied_uid, score in zip(
                replied_uids, state_replies[-1] if replied_uids else (), strict=True
            )
            if score
        ),
    }
    pull_statuses = [
        status
        for status in author_pages.statuses
        if status.id >= merged_entries.merge_floor and status.reply_to_uid in visible_replied_uids
    ]
    pull_items, complete_to = (
        list[Item]((*boost_page.parse(boost_replies), *pull_statuses)),
        max(complete_to, merged_entries.complete_to, author_pages.complete_to),
    )
    if pull_items:
        items = merge_newest_first(list({item.id: item for item in (*items, *pull_items)}.values()))
    visible_items = [item for item in dedupe_boosts(items) if item.id >= complete_to]
    viewer_state = (
        home_state.merge(parse_viewer_state(uid, pairs, state_replies)) if pairs else home_state
    )
    return HydratedPage(
        visible_items, viewer_state, deleted, excluded_authors, complete_to
    ), extra_replies


def _filter_visible(
    relationship: Relationship, entries: Sequence[str], items: Sequence[Item | None]
) -> tuple[list[Item], list[str], set[int]]:
    """Of what entries of a home show, what is left; the entries that are gone or not for the reader; and the authors of
    what is left out for their sake.
    """
    visible, deleted, excluded_authors, unrestricted = (
        list[Item](),
        list[str](),
        set[int](),
        relationship.is_unrestricted,
    )
    for entry, item in zip(entries, items, strict=True):
        if (
            unrestricted
            and type(item) is Status
            and item.visibility is Visibility.PUBLIC
            and not item.author.suspended
        ):
            visible.append(item)  # as most are: nothing more is to be asked
            continue
        if item is None or not may_see(relationship, item):
            deleted.append(entry)
            continue
        visible.append(item)
        for member in members_shown(item):
            if member.suspended or not (
                unrestricted or relationship.visible_in_timelines(member.uid)
            ):
                excluded_authors.add(member.uid)
    return (
        [item for item in visible if not excluded_authors & member_uids(item)]
        if excluded_authors
        else visible,
        deleted,
        excluded_authors,
    )


def hydrate(
    db: Db,
    config: Config,
    viewer: int | None,
    entries: Sequence[str],
    extra_authors: Collection[int] = (),
    for_home: bool = False,
    extra: Sequence[Command] = (),
) -> tuple[list[Item | None], ViewerState, Relationship, list[Any]]:
    """What the entries of any other timeline (`home`: or of one built anew) show, each in its place, None for what is
    gone; what the viewer did with it; what is between the viewer and whom it shows, and `others`; and the replies to
    `also`. One trip.
    """
    loader = EntryLoader(entries)
    members = loader.members.union(extra_authors)
    status_cache = CachedStatusLoader(
        db, loader.pairs, viewer, config.status_seconds, loader.authors
    )
    relation_commands, state_commands = (
        relationship_commands(viewer, members, for_home),
        viewer_state_commands(viewer, loader.pairs),
    )
    replies = db.trip_by_group(
        relation_commands, status_cache.commands, loader.commands, state_commands, extra
    )
    relationship = relationship_from(viewer, members, replies[0])
    return (
        loader.parse(replies[2], status_cache.parse(replies[1])),
        parse_viewer_state(viewer, loader.pairs, replies[3]),
        relationship,
        replies[4],
    )


def _pull_boosts(
    config: Config, merged_entries: tags.MergedEntries, author_pages: AuthorPages
) -> tuple[list[BoostRef], int]:
    """The boosts of merged authors that may stand among the entries and what is merged, and the id below which others
    were left aside.
    """
    if not author_pages.boosts:
        return [], 0
    ids = [*map(tags.id_of, merged_entries.entries), *(one.id for one in author_pages.statuses)]
    return within_page(
        ids,
        author_pages.boosts,
        max(config.page_size, len(merged_entries.entries) - 1),
        merged_entries.merge_floor,
    )


def _replied_uids(uid: int, statuses: Sequence[Status]) -> list[int]:
    """The members whom some statuses answer, and whom a reader must follow to be shown these."""
    return sorted({status.reply_to_uid for status in statuses} - {0, uid})


def _viewer_state_commands(
    uid: int, pairs: Sequence[Entry], replied_uids: Sequence[int]
) -> list[Command]:
    follows: list[Command] = (
        [("ZMSCORE", following_keys.following(uid), *replied_uids)] if replied_uids else []
    )
    return [*viewer_state_commands(uid, pairs), *follows]
