"""A home that is not kept, at the first visit after a long time, or that lacks something at its bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.core.web.pagination import overfetch
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boosts import Item
from webapp.timelines import keys as timeline_keys
from webapp.timelines.tags import store as tags
from webapp.timelines.timeline import Timeline

from .builder import CandidateReader, page_from_candidates

MERGE = script("timelines/lua/merge_into_home.lua")
ENTRIES_PER_LIST = (
    200  # entries that are read of each list, where that is not too many of all together
)


def rebuilt_page(
    db: Db, config: Config, uid: int, before: int | None, position: str, home_reply: Sequence[Any]
) -> Timeline[Item]:
    """A page of a home, gathered from the profiles it follows and its tags; and what is kept from then on, where that
    joins what is kept already. `told`: the reply to the home's command, which began it: the member is active since, so
    that nothing posted meanwhile is missed. A crash leaves the mark that something is missing, and so does a follow or
    an unfollow meanwhile: the next visit builds again, as does one that comes to where the lists were not read any
    deeper. Where much of it is hidden, or very many are followed, a page may be short, and leads on; nothing on it is
    shown with what it quotes. Two trips.
    """
    _, _, pull_reply, tag_names, _, (rebuild_mark, version, followed_reply) = home_reply
    visible_authors, pull_authors, size = (
        {uid, *map(int, followed_reply)},
        {*map(int, pull_reply)} - {uid},
        config.page_size,
    )
    pushed_lists = [
        (author, key)
        for author in visible_authors
        for key in _visible_lists(uid, author, author not in pull_authors)
    ]
    pull_lists = [(author, key) for author in pull_authors for key in _unrestricted_lists(author)]
    pushed_reader = CandidateReader(
        uid, pushed_lists, visible_authors, config.home_max, before, max(ENTRIES_PER_LIST, size)
    )
    pull_reader = CandidateReader(uid, pull_lists, visible_authors, overfetch(size), before, size)
    tag_pages = tags.TagPages(db, config, before)
    tag_replies, pushed_replies, pull_replies = db.trip_by_group(
        tag_pages.commands_for(tag_names), pushed_reader.commands, pull_reader.commands
    )
    tag_pages.accept(tag_replies)
    pushed_reader.accept(pushed_replies)
    pull_reader.accept(pull_replies)
    tag_entries = tag_pages.combine(tag_names, frozenset())
    floor = max(pushed_reader.complete_to, pull_reader.complete_to, tag_entries.complete_to)
    entry_by_id = {
        tags.id_of(one): one
        for one in (*tag_entries.entries, *pushed_reader.entries, *pull_reader.entries)
    }
    entries = [
        entry_by_id[status_id]
        for status_id in sorted(entry_by_id, reverse=True)
        if status_id >= floor
    ]
    merge_command = MERGE(
        home=timeline_keys.home(uid),
        following=following_keys.following(uid),
        active=timeline_keys.active_members(partition_of(uid)),
        fences=event_keys.fences(partition_tag(uid)),
        uid=uid,
        source="",
        token=0,
        home_max=config.home_max,
        home_slack=config.home_slack,
        complete_to=pushed_reader.complete_to or "",
        mark=rebuild_mark,
        version=version,
        before=before or "",
        entries=pushed_reader.entries,
    )
    return page_from_candidates(
        db, config, uid, entries, floor, position, [merge_command], for_home=True
    )[0]


def _visible_lists(uid: int, author: int, is_pushed: bool) -> Iterator[str]:
    """The lists of an author's statuses and boosts that a member may see who follows them, or is the author, as far as
    they are kept in homes: of one who is merged what names the member, for that alone is not.
    """
    yield status_keys.restricted_statuses(author, uid)
    if is_pushed:
        yield from _unrestricted_lists(author, is_own=author == uid)


def _unrestricted_lists(author: int, is_own: bool = False) -> Iterator[str]:
    yield from (
        status_keys.profile_statuses(author),
        status_keys.profile_replies(author),
        interaction_keys.member_boosts(author),
    )
    if not is_own:
        yield status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE)
