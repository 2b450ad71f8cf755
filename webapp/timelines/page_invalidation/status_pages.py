"""Projections: invalidate cached pages that show a status. All are safe to run twice.

A page is dropped only when visitors would see a difference. Anyone who polls it would otherwise
notice that something restricted happened.
"""

from collections.abc import Iterable, Sequence

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Steps, ask, gather, send
from webapp.pagecache.invalidation import invalidate_commands
from webapp.pagecache.member_versions import bump_commands
from webapp.statuses import Entry, Visibility
from webapp.statuses.lookup import open_entries_of
from webapp.statuses.threads.replies import ThreadPath, unpack_path

from .member_pages import open_logins_of
from .paths import (
    HOT,
    PUBLIC_PAGES,
    STATUSES_BY_ID,
    TRENDING_TAGS,
    all_status_paths,
    feed_path,
    own_paths,
    profile_paths,
    status_path,
)


@in_steps
def for_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate pages after statuses were posted or deleted.

    These are the author's pages, the public ones, and those of the statuses above and quoted. A
    reply's own page is dropped too: the status it answers may be gone already. Pages by id, which
    open pages load, are dropped for replies, quotes and deleted statuses. A deleted status also
    drops all its pages and hot posts, and all pages with the author of the post that it answers or
    quotes, whose count falls. If it had replies or quotes, all pages with its own author, or with a
    gap in their place, are dropped.
    """
    is_deleted = events[0].type == "deleted"
    events = [event for event in events if not _is_restricted(event)]
    above = {event.id: [*_thread_above(event), *_quoted(event)] for event in events}
    authors = {_author(event) for event in events}
    logins = yield from ask(
        open_logins_of(authors.union(uid for entries in above.values() for _, uid in entries))
    )
    changed = {-_author(event) for event in events if "referenced" in event.data}
    events = [event for event in events if _author(event) in logins]
    paths = {*PUBLIC_PAGES} if events else set[str]()
    for event in events:
        if "referenced" in event.data:
            changed.add(_author(event))
        if is_deleted:
            changed |= {uid for _, uid in _counting(event)}
        paths |= _paths_of(event, above[event.id], logins)
    if changed:
        yield from send(*bump_commands(changed))
    yield from send(*invalidate_commands(context.db, paths, hard=is_deleted))


@in_steps
def for_authors(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate all pages with the author of an edited status, or of a detached quote."""
    events = [event for event in events if not _is_restricted(event)]
    quote_ids = [event.number("quote_id") for event in events if "quote_id" in event.data]
    quotes = yield from ask(open_entries_of(quote_ids))
    authors = {_author(event) for event in events}
    logins = yield from ask(open_logins_of(authors.union(quotes.values())))
    changed = {
        _author(event)
        for event in events
        if _author(event) in logins
        and ("quote_id" not in event.data or quotes.get(event.number("quote_id")) in logins)
    }
    if changed:
        yield from send(*bump_commands(changed))


@in_steps
def for_likes(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the pages of a status and of who likes it, and pages by id.

    Other pages may show an older count.
    """
    ids = {event.number("id") for event in events}
    known = {event.number("author") for event in events if "author" in event.data}
    liked, logins = yield from ask(gather(open_entries_of(ids), open_logins_of(known)))
    logins |= yield from ask(open_logins_of(set(liked.values()) - known))
    paths = set[str]()
    for address in _addresses(liked.items(), logins):
        paths |= {STATUSES_BY_ID, *own_paths(*address), status_path(*address, "likes")}
    yield from send(*invalidate_commands(context.db, paths, hard=False))


@in_steps
def for_boosts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the profile of who boosts, pages by id, the status's page and its boosts."""
    boosted = [(event.number("status"), _author(event)) for event in events]
    boosters = {event.number("uid") for event in events}
    logins = yield from ask(open_logins_of(boosters.union(author for _, author in boosted)))
    paths = set[str]()
    for address in _addresses(boosted, logins):
        paths |= {STATUSES_BY_ID, *own_paths(*address), status_path(*address, "boosts")}
    for login in (logins[uid] for uid in boosters if uid in logins):
        paths |= {*profile_paths(login), feed_path(login)}
    yield from send(*invalidate_commands(context.db, paths, hard=False))


@in_steps
def for_polls(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the page of a poll's status, and pages by id, which open pages load."""
    statuses = {
        (event.number("id"), _author(event)) for event in events if not _is_restricted(event)
    }
    logins = yield from ask(open_logins_of(author for _, author in statuses))
    paths = set[str]()
    for address in _addresses(statuses, logins):
        paths |= {STATUSES_BY_ID, *own_paths(*address)}
    yield from send(*invalidate_commands(context.db, paths, hard=False))


def _paths_of(event: Event, above: Sequence[Entry], logins: dict[int, str]) -> set[str]:
    """Return the paths of the pages that a status is on, without the public ones.

    `above`: the statuses that it answers or quotes. `logins`: of authors whom visitors may read.
    """
    login = logins[_author(event)]
    paths = {*profile_paths(login), feed_path(login)}
    for address in _addresses(above, logins):
        paths.update(own_paths(*address))
    paths |= {status_path(*address, "quotes") for address in _addresses(_quoted(event), logins)}
    if "ancestors" in event.data:
        paths.update(own_paths(login, event.data["id"]))
    is_deleted = event.type == "deleted"
    if above or is_deleted:
        paths.add(STATUSES_BY_ID)
    if is_deleted:
        paths |= {HOT, TRENDING_TAGS, *all_status_paths(login, event.data["id"])}
    return paths


def _is_restricted(event: Event) -> bool:
    """Return True if no visitor sees the event's status."""
    return Visibility(event.data.get("visibility", "")).restricted


def _author(event: Event) -> int:
    return event.number("author")


def _thread_above(event: Event) -> ThreadPath:
    """Return the statuses that a reply answers, the nearest last; none for a post."""
    return unpack_path(event.data.get("ancestors"))


def _quoted(event: Event) -> ThreadPath:
    """Return the status that a quote quotes; none for another status."""
    if "quoted_id" not in event.data:
        return ()
    return ((event.number("quoted_id"), event.number("quoted_uid")),)


def _counting(event: Event) -> ThreadPath:
    """Return the statuses that count the event's status as a reply or a quote."""
    return _thread_above(event)[-1:] + _quoted(event)


def _addresses(statuses: Iterable[Entry], logins: dict[int, str]) -> list[tuple[str, int]]:
    """Return (author's login, id) of each status whose author is in `logins`."""
    return [(logins[author], status_id) for status_id, author in statuses if author in logins]
