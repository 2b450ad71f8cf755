"""Projections: invalidate cached pages that an event makes untrue. All are safe to run twice.

A hard invalidation drops pages that must not be shown any more. After a soft one a stale page may
be shown once more while a new one is rendered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import collect, read
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.lookup import Entry
from webapp.statuses.threads.replies import unpack_path

from .paths import (
    PUBLIC_PAGES,
    STATUSES_BY_ID,
    all_status_paths,
    boosts_path,
    feed_path,
    follow_paths,
    likes_path,
    lists_path,
    profile_path,
    profile_paths,
    quotes_path,
    status_path,
)


def for_statuses(context: Context, events: Sequence[Event]) -> None:
    """Invalidate pages after statuses were posted or deleted.

    These are the author's pages, the public ones, and those of the statuses above and quoted. Of a
    reply also its own page: the status it answers may be gone already. Of a deleted status all
    pages, pages by id, and all that show its author if it had replies: quotes and replies may be
    on many.
    """
    is_deleted = events[0].type == "deleted"
    posted = [(int(event.data["id"]), int(event.data["author"])) for event in events]
    quoted = [
        (int(event.data["quote"]), int(event.data["quoted"]))
        for event in events
        if "quote" in event.data
    ]
    related = [*quoted, *chain(*(_thread_above(event) for event in events))]
    logins = _logins(context, (author for _, author in [*posted, *related]))
    paths = {*PUBLIC_PAGES}
    for _, author in posted:
        if author in logins:
            login = logins[author]
            paths |= {*profile_paths(login), feed_path(login)}
    paths |= {status_path(*address) for address in _addresses(related, logins)}
    paths |= {quotes_path(*address) for address in _addresses(quoted, logins)}
    replied_authors = {int(event.data["author"]) for event in events if "answered" in event.data}
    if replied_authors:
        bump_versions(context.db, replied_authors)
    if is_deleted:
        paths.add(STATUSES_BY_ID)
        paths.update(*(all_status_paths(*address) for address in _addresses(posted, logins)))
    invalidate(context.db, paths, hard=is_deleted)


def for_authors(context: Context, events: Sequence[Event]) -> None:
    """Invalidate all pages with the author of an edited status, or of a detached quote."""
    bump_versions(context.db, {int(event.data["author"]) for event in events})


def for_profiles(context: Context, events: Sequence[Event]) -> None:
    """Invalidate profiles and feeds whose statuses are in another order."""
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    paths = [path(login) for login in logins for path in (profile_path, feed_path)]
    invalidate(context.db, paths, hard=False)


def for_likes(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the page of a status and of who likes it. Other pages may show an older count."""
    ids = sorted({int(event.data["id"]) for event in events})
    authors = context.db.read(
        collect(read(("HGET", status_keys.status(one), "author"), _to_uid) for one in ids)
    )
    liked = [(one, author) for one, author in zip(ids, authors, strict=True) if author]
    logins = _logins(context, (author for _, author in liked))
    paths = [
        path(*address)
        for address in _addresses(liked, logins)
        for path in (status_path, likes_path)
    ]
    invalidate(context.db, paths, hard=False)


def for_boosts(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the profile of who boosts, pages by id, the status's page and its boosts."""
    boosted = [(int(event.data["target"]), int(event.data["author"])) for event in events]
    boosters = {int(event.data["uid"]) for event in events}
    logins = _logins(context, boosters.union(author for _, author in boosted))
    paths = {STATUSES_BY_ID}
    for address in _addresses(boosted, logins):
        paths |= {status_path(*address), boosts_path(*address)}
    paths.update(*(profile_paths(logins[uid]) for uid in boosters if uid in logins))
    invalidate(context.db, paths, hard=False)


def for_polls(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the page of a poll's status, and pages by id, which open pages load."""
    statuses = {(int(event.data["id"]), int(event.data["author"])) for event in events}
    logins = _logins(context, (author for _, author in statuses))
    paths = {status_path(*address) for address in _addresses(statuses, logins)}
    invalidate(context.db, paths | {STATUSES_BY_ID}, hard=False)


def for_follows(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the pages of both members of a follow."""
    uids = [int(event.data[field]) for event in events for field in ("uid", "target")]
    for_follow_lists(context, uids)


def for_follow_lists(context: Context, uids: Iterable[int]) -> None:
    """Invalidate profiles and follow lists of members who follow, or are followed by, others."""
    logins = _logins(context, uids).values()
    paths = [path for one in logins for path in (*profile_paths(one), *follow_paths(one))]
    invalidate(context.db, paths, hard=False)


def for_lists(context: Context, events: Sequence[Event]) -> None:
    """Invalidate a member's lists, and their profile if a list was created, changed or deleted."""
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    kind = events[0].type
    paths = {lists_path(login) for login in logins}
    if kind not in ("listed", "unlisted"):
        paths.update(*map(profile_paths, logins))
    # A list that becomes private, or is deleted, must not be shown any more.
    invalidate(context.db, paths, hard=kind in ("list_changed", "list_gone"))


def for_members(context: Context, events: Sequence[Event]) -> None:
    """Invalidate all pages that show a member who changed, and the public pages.

    The latter show members first who come back.
    """
    bump_versions(context.db, {int(event.data["uid"]) for event in events})
    invalidate(context.db, PUBLIC_PAGES, hard=True)


def _thread_above(event: Event) -> Iterator[Entry]:
    """Yield the statuses that a reply answers, and the reply; nothing for a post."""
    if "above" in event.data:
        yield from unpack_path(event.data["above"])
        yield int(event.data["id"]), int(event.data["author"])


def _addresses(statuses: Iterable[Entry], logins: dict[int, str]) -> list[tuple[str, int]]:
    """Return (author's login, id) of each status whose author has an account."""
    return [(logins[author], status_id) for status_id, author in statuses if author in logins]


def _logins(context: Context, uids: Iterable[int]) -> dict[int, str]:
    """Return the logins of members who have an account. One trip."""
    each = sorted(set(uids))
    logins: list[str | None] = context.db.trip(
        *(("HGET", account_keys.user(uid), "login") for uid in each)
    )
    return {uid: login for uid, login in zip(each, logins, strict=True) if login}


def _to_uid(reply: str | None) -> int:
    return int(reply or 0)
