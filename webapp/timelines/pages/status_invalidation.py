"""Projections: invalidate cached pages that show a status. All are safe to run twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from webapp.core.events.outbox import Context, Event
from webapp.core.events.steps import Steps, ask, in_steps, send
from webapp.pagecache.invalidation import invalidate, invalidate_commands
from webapp.pagecache.member_versions import bump_commands, bump_versions
from webapp.statuses.lookup import Entry, entries_of
from webapp.statuses.threads.replies import unpack_path

from .logins import logins_of, read_logins
from .paths import (
    PUBLIC_HOT,
    PUBLIC_PAGES,
    STATUSES_BY_ID,
    all_status_paths,
    boosts_path,
    embed_path,
    feed_path,
    likes_path,
    own_paths,
    profile_paths,
    quotes_path,
    status_path,
)


@in_steps
def for_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate pages after statuses were posted or deleted.

    These are the author's pages, the public ones, and those of the statuses above and quoted. Of a
    reply also its own page: the status it answers may be gone already. Of replies, quotes and
    deleted statuses also pages by id, which open pages load. Of a deleted status all pages, hot
    posts, and all that show its author if it had replies: quotes and replies may be on many.
    """
    is_deleted = events[0].type == "deleted"
    posted = [(int(event.data["id"]), int(event.data["author"])) for event in events]
    quoted = [
        (int(event.data["quoted_id"]), int(event.data["quoted_uid"]))
        for event in events
        if "quoted_id" in event.data
    ]
    related = [*quoted, *chain(*(_thread_above(event) for event in events))]
    logins = yield from ask(logins_of(author for _, author in [*posted, *related]))
    paths = {*PUBLIC_PAGES}
    for _, author in posted:
        if author in logins:
            login = logins[author]
            paths |= {*profile_paths(login), feed_path(login)}
    for address in _addresses(related, logins):
        paths.update(own_paths(*address))
    paths |= {quotes_path(*address) for address in _addresses(quoted, logins)}
    replied_authors = {int(event.data["author"]) for event in events if "referenced" in event.data}
    if replied_authors:
        yield from send(*bump_commands(replied_authors))
    if related or is_deleted:
        paths.add(STATUSES_BY_ID)
    if is_deleted:
        paths.add(PUBLIC_HOT)
        paths.update(*(all_status_paths(*address) for address in _addresses(posted, logins)))
    yield from send(*invalidate_commands(context.db, paths, hard=is_deleted))


def for_authors(context: Context, events: Sequence[Event]) -> None:
    """Invalidate all pages with the author of an edited status, or of a detached quote."""
    bump_versions(context.db, {int(event.data["author"]) for event in events})


@in_steps
def for_likes(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the pages of a status and of who likes it, and pages by id.

    Other pages may show an older count.
    """
    authors = {int(event.data["id"]): int(event.data.get("author") or 0) for event in events}
    unknown = [one for one, author in authors.items() if not author]
    authors |= dict((yield from ask(entries_of(unknown))))
    liked = [(one, author) for one, author in authors.items() if author]
    logins = yield from ask(logins_of(author for _, author in liked))
    paths = {STATUSES_BY_ID}
    for address in _addresses(liked, logins):
        paths |= {path(*address) for path in (status_path, embed_path, likes_path)}
    yield from send(*invalidate_commands(context.db, paths, hard=False))


@in_steps
def for_boosts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the profile of who boosts, pages by id, the status's page and its boosts."""
    boosted = [(int(event.data["status"]), int(event.data["author"])) for event in events]
    boosters = {int(event.data["uid"]) for event in events}
    logins = yield from ask(logins_of(boosters.union(author for _, author in boosted)))
    paths = {STATUSES_BY_ID}
    for address in _addresses(boosted, logins):
        paths |= {*own_paths(*address), boosts_path(*address)}
    paths.update(*(profile_paths(logins[uid]) for uid in boosters if uid in logins))
    yield from send(*invalidate_commands(context.db, paths, hard=False))


def for_polls(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the page of a poll's status, and pages by id, which open pages load."""
    statuses = {(int(event.data["id"]), int(event.data["author"])) for event in events}
    logins = read_logins(context, (author for _, author in statuses))
    paths = {STATUSES_BY_ID}
    for address in _addresses(statuses, logins):
        paths.update(own_paths(*address))
    invalidate(context.db, paths, hard=False)


def _thread_above(event: Event) -> Iterator[Entry]:
    """Yield the statuses that a reply answers, and the reply; nothing for a post."""
    if "ancestors" in event.data:
        yield from unpack_path(event.data["ancestors"])
        yield int(event.data["id"]), int(event.data["author"])


def _addresses(statuses: Iterable[Entry], logins: dict[int, str]) -> list[tuple[str, int]]:
    """Return (author's login, id) of each status whose author has an account."""
    return [(logins[author], status_id) for status_id, author in statuses if author in logins]
