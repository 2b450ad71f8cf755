"""What a list shows its reader: what its members write and boost, as far as it is for the reader and not hidden from
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from webapp.accounts.store import Member
from webapp.config import Config
from webapp.core.events.outbox import NEWEST_LOG_ENTRY, log_position
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound, paginate
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boosts import Boost, Item, dedupe_boosts
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.timelines.entries import EntryLoader, visible_unasked
from webapp.timelines.hydration import hydrate
from webapp.timelines.rebuild.builder import CandidateReader, page_from_candidates
from webapp.timelines.timeline import Timeline, with_cards

from . import keys
from .store import List, owner_commands, owner_from, visible_list_from

PAGE = script("lists/lua/read_page.lua")
MERGE = script("lists/lua/merge.lua")


def load_timeline(
    db: Db, config: Config, owner: int, number: int, viewer: int | None, before: int | None = None
) -> tuple[List, Member, Timeline[Item]]:
    """A list that a viewer may see, its owner, and a page of its timeline, newest first, never short while more is
    kept. Two trips; one more where something on the page is not shown, or shown again further down, and one where
    something on it quotes another status, or for what the reader did just now; four where the timeline was not kept, or
    its members have changed. Raises NotFound, and Forbidden where the owner is not to be seen.
    """
    newest_position, page_reply, *owner_replies = db.trip(
        NEWEST_LOG_ENTRY, _page_command(owner, number, before), *owner_commands(owner, viewer)
    )
    if page_reply is None:
        raise NotFound("no_list")
    fields, size, entries, rebuild_mark, *rebuild_arguments = page_reply
    list_, owner_member = (
        visible_list_from(owner, number, fields, size, viewer),
        owner_from(owner, viewer, owner_replies),
    )
    if rebuild_mark:
        return (
            list_,
            owner_member,
            _rebuild_page(
                db,
                config,
                list_,
                viewer,
                before,
                log_position(newest_position),
                rebuild_mark,
                *rebuild_arguments,
            ),
        )
    page, viewer_state = _load_page(db, config, viewer, entries)
    return (
        list_,
        owner_member,
        with_cards(
            db, viewer, Timeline(page.items, page.next, log_position(newest_position), viewer_state)
        ),
    )


def _load_page(
    db: Db, config: Config, viewer: int | None, entries: Sequence[str]
) -> tuple[Page[Item], ViewerState]:
    """The first page of what a viewer is shown of some entries, and what they did with it: first as many entries as
    that takes are looked at, then all.
    """
    size = config.page_size
    for scan_size in (size + 1, len(entries)):
        items, viewer_state, relationship, _ = hydrate(db, config, viewer, entries[:scan_size])
        visible_items = dedupe_boosts(
            [item for item in items if item and visible_unasked(relationship, item)]
        )
        if scan_size >= len(entries) or (
            len(visible_items) > size
            and not _boosted_again_below(visible_items, entries[scan_size:])
        ):
            break
    return paginate([(item.id, item) for item in visible_items], size), viewer_state


def _boosted_again_below(items: Sequence[Item], later_entries: Sequence[str]) -> bool:
    """Whether what some of these boost stands further down, too: it might be left out for that."""
    boosted = {item.status.id for item in items if isinstance(item, Boost)}
    return bool(boosted) and not boosted.isdisjoint(
        status_id for status_id, _ in EntryLoader(later_entries).pairs
    )


def _rebuild_page(
    db: Db,
    config: Config,
    list_: List,
    viewer: int | None,
    before: int | None,
    position: str,
    rebuild_mark: str,
    members: Sequence[str],
    followed: Collection[str],
) -> Timeline[Item]:
    """A page of a list that is not kept, or whose members have changed, gathered from what these write and boost; the
    first page keeps it. A crash leaves the mark, and so does a change meanwhile: the next look builds again. Three
    trips.
    """
    owner, uids = list_.owner, [int(uid) for uid in members]
    sources = [(uid, key) for uid in uids for key in _source_keys(owner, uid, str(uid) in followed)]
    reader = CandidateReader(
        owner, sources, {owner, *uids}, config.list_home_max, before, config.page_size
    )
    reader.accept(db.trip(*reader.commands))

    candidates = (reader.entries, reader.complete_to)
    page, replies = page_from_candidates(db, config, viewer, *candidates, position, reader.commands)
    reader.accept(replies)
    merge_command = MERGE(
        members=keys.list_members(owner, list_.number),
        timeline=keys.list_home(owner, list_.number),
        active=keys.active_lists(partition_of(owner)),
        uid=owner,
        number=list_.number,
        mark=rebuild_mark,
        limit=config.list_home_max,
        entries=reader.entries,
    )
    store_commands = [] if before else [merge_command]
    return with_cards(db, viewer, page, store_commands)


def _source_keys(owner: int, author: int, followed: bool) -> Iterator[str]:
    """The lists of what an author wrote that the owner of a list may see, and of what they boost."""
    yield from (
        status_keys.profile_statuses(author),
        status_keys.profile_replies(author),
        interaction_keys.member_boosts(author),
        status_keys.restricted_statuses(author, owner),
    )
    if followed:
        yield status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE)


def _page_command(owner: int, number: int, before: int | None) -> Command:
    return PAGE(
        list=keys.list_(owner, number),
        members=keys.list_members(owner, number),
        timeline=keys.list_home(owner, number),
        active=keys.active_lists(partition_of(owner)),
        following=following_keys.following(owner),
        uid=owner,
        number=number,
        bound=max_bound(before),
    )
