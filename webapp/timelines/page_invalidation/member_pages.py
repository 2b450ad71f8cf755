"""Projections: invalidate cached pages about members and lists. All are safe to run twice."""

from collections.abc import Iterable, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Read, Steps, ask, send
from webapp.pagecache.invalidation import invalidate, invalidate_commands
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses.lookup import open_entries_of
from webapp.statuses.values.visibility import protected_uids

from .paths import PUBLIC_PAGES, feed_path, follow_paths, lists_path, profile_path, profile_paths

VISIBILITY_EVENTS = ("protected", "unprotected", "limited", "unlimited", "account_deleted")


def for_profiles(context: Context, events: Sequence[Event]) -> None:
    """Invalidate profiles and feeds whose statuses are in another order for visitors."""
    pinned = context.db.read(open_entries_of(event.number("id") for event in events))
    logins = context.db.read(open_logins_of(pinned.values())).values()
    paths = [path(login) for login in logins for path in (profile_path, feed_path)]
    invalidate(context.db, paths, hard=False)


@in_steps
def for_follows(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Invalidate the pages of both members of a follow."""
    return for_follow_lists(
        context, [event.number(field) for event in events for field in ("uid", "target")]
    )


def for_follow_lists(context: Context, uids: Iterable[int]) -> Steps[None]:
    """Invalidate profiles and follow lists of members who follow, or are followed by, others."""
    logins = yield from ask(logins_of(uids))
    paths = [path for one in logins.values() for path in (*profile_paths(one), *follow_paths(one))]
    yield from send(*invalidate_commands(context.db, paths, hard=False))


def for_lists(context: Context, events: Sequence[Event]) -> None:
    """Invalidate a member's lists, and their profile if a list was created, changed or deleted.

    Not for lists that are private before and after.
    """
    shown = [event for event in events if not event.data.get("private")]
    logins = context.db.read(logins_of(event.number("uid") for event in shown)).values()
    kind = events[0].type
    paths = {lists_path(login) for login in logins}
    if kind not in ("list_member_added", "list_member_removed"):
        paths.update(*map(profile_paths, logins))
    # A list that becomes private, or is deleted, must no longer be shown.
    invalidate(context.db, paths, hard=kind in ("list_changed", "list_deleted"))


def for_members(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the public pages, and all pages that show a member who changed.

    Members who return are shown on public pages first. If visitors may now see more or fewer of the
    member's statuses, this also drops the pages that leave them out. Those name the uid with a
    minus sign.
    """
    uids = {event.number("uid") for event in events}
    left_out = uids if events[0].type in VISIBILITY_EVENTS else frozenset()
    if events[0].type in ("suspended", "restored"):
        left_out = uids - protected_uids(context.db, uids)
    bump_versions(context.db, uids.union(-uid for uid in left_out))
    invalidate(context.db, PUBLIC_PAGES, hard=True)


def logins_of(uids: Iterable[int]) -> Read[dict[int, str]]:
    """Read the logins of members who have an account."""
    each = sorted(set(uids))
    return Read(
        tuple(("HGET", account_keys.user(uid), "login") for uid in each),
        lambda logins: {uid: login for uid, login in zip(each, logins, strict=True) if login},
    )


def open_logins_of(uids: Iterable[int]) -> Read[dict[int, str]]:
    """Read the logins of members whose statuses visitors may see: those who are not protected."""
    each = frozenset(uids)
    return Read(
        tuple(("HMGET", account_keys.user(uid), "login", "protected") for uid in each),
        lambda found: {
            uid: login
            for uid, (login, protected) in zip(each, found, strict=True)
            if login and not protected
        },
    )
