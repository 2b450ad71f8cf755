"""Which of the pages kept for visitors an event makes untrue. Each of these is safe to run twice.

The paths are those of the views; a worker has no app to ask for them, so a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.threads.replies import unpack_path

FRONT_PAGE, PUBLIC, PUBLIC_FEED, STATUSES_BY_ID = "/", "/public", "/public.atom", "/statuses"


def profile_path(login: str) -> str:
    """The path of a member's profile."""
    return f"/@{login}"


def replies_path(login: str) -> str:
    """The path of a member's profile with their replies."""
    return f"/@{login}/replies"


def feed_path(login: str) -> str:
    """The path of a member's feed."""
    return f"/@{login}/feed.atom"


def status_path(login: str, status_id: int | str) -> str:
    """The path of a status."""
    return f"/@{login}/{status_id}"


def likes_path(login: str, status_id: int | str) -> str:
    """The path of those who like a status."""
    return f"{status_path(login, status_id)}/likes"


def boosts_path(login: str, status_id: int | str) -> str:
    """The path of those who boost a status."""
    return f"{status_path(login, status_id)}/boosts"


def quotes_path(login: str, status_id: int | str) -> str:
    """The path of what quotes a status."""
    return f"{status_path(login, status_id)}/quotes"


def history_path(login: str, status_id: int | str) -> str:
    """The path of what a status said before."""
    return f"{status_path(login, status_id)}/history"


def tag_path(name: str) -> str:
    """The path of a hashtag, by its folded name."""
    return f"/tags/{name}"


def tag_feed_path(name: str) -> str:
    """The path of its feed."""
    return f"{tag_path(name)}.atom"


def follow_paths(login: str) -> tuple[str, str]:
    """The paths of a member's followers, and of whom they follow."""
    return f"/@{login}/followers", f"/@{login}/following"


def lists_path(login: str) -> str:
    """The path of a member's lists."""
    return f"/@{login}/lists"


def for_statuses(context: Context, events: Sequence[Event]) -> None:
    """A status that was posted or deleted: on its author's page, the public ones, those of what it answers or quotes;
    when it is gone, on all of its own, on the pages of the replies below and among those that were asked for by number;
    and on its own page when it answers something, which may have gone before it was known to be answered.
    """
    statuses = [(int(event.data["author"]), event.data["id"]) for event in events]
    quoted = [
        (int(event.data["quote"]), int(event.data["quoted"]))
        for event in events
        if "quote" in event.data
    ]
    affected = [
        *quoted,
        *(step for event in events for step in unpack_path(event.data.get("above"))),
    ]
    affected += [
        (int(event.data["id"]), int(event.data["author"]))
        for event in events
        if "above" in event.data
    ]
    logins = _logins(
        context, (author for author, _ in [*statuses, *((uid, "") for _, uid in affected)])
    )
    authors = [logins[author] for author, _ in statuses if author in logins]
    paths = {
        FRONT_PAGE,
        PUBLIC,
        PUBLIC_FEED,
        *(path(login) for login in authors for path in (profile_path, replies_path, feed_path)),
    }
    paths |= {
        status_path(logins[author], status_id) for status_id, author in affected if author in logins
    }
    paths |= {
        quotes_path(logins[author], status_id) for status_id, author in quoted if author in logins
    }
    deleted = events[0].type == "deleted"
    replied_authors = {int(event.data["author"]) for event in events if "answered" in event.data}
    if replied_authors:  # who wrote it is on the pages of all that is below it or quotes it, of which there may be many
        bump_versions(context.db, replied_authors)
    if deleted:
        addresses = [
            (logins[author], status_id) for author, status_id in statuses if author in logins
        ]
        paths |= {
            STATUSES_BY_ID,
            *(
                path(*status)
                for status in addresses
                for path in (status_path, likes_path, boosts_path, quotes_path, history_path)
            ),
        }
    invalidate(context.db, paths, hard=deleted)


def for_authors(context: Context, events: Sequence[Event]) -> None:
    """A status that says something else now, or is shown in other quotes: on any page that shows its author."""
    bump_versions(context.db, {int(event.data["author"]) for event in events})


def for_profiles(context: Context, events: Sequence[Event]) -> None:
    """A profile that shows its statuses in another order, as its feed does."""
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    invalidate(
        context.db,
        (path(login) for login in logins for path in (profile_path, feed_path)),
        hard=False,
    )


def for_likes(context: Context, events: Sequence[Event]) -> None:
    """A like that was given or taken back: on the status's own page, and among those who like it. On others the number
    is as old as they are.
    """
    ids = sorted({event.data["id"] for event in events})
    authors = context.db.trip(
        *(("HGET", status_keys.status(int(status_id)), "author") for status_id in ids)
    )
    liked = [
        (int(author), status_id) for author, status_id in zip(authors, ids, strict=True) if author
    ]
    logins = _logins(context, (author for author, _ in liked))
    addresses = [(logins[author], status_id) for author, status_id in liked if author in logins]
    invalidate(
        context.db,
        (path(*status) for status in addresses for path in (status_path, likes_path)),
        hard=False,
    )


def for_boosts(context: Context, events: Sequence[Event]) -> None:
    """A boost that was given or taken back: on the profile of who did it, among what was asked for by number, on the
    status's own page and among those who boost it.
    """
    boosted = [
        (int(event.data["author"]), event.data["target"], int(event.data["uid"]))
        for event in events
    ]
    logins = _logins(context, (uid for author, _, booster in boosted for uid in (author, booster)))
    addresses = [
        (logins[author], status_id) for author, status_id, _ in boosted if author in logins
    ]
    paths = {
        STATUSES_BY_ID,
        *(path(*status) for status in addresses for path in (status_path, boosts_path)),
    }
    paths |= {
        path(logins[booster])
        for *_, booster in boosted
        if booster in logins
        for path in (profile_path, replies_path)
    }
    invalidate(context.db, paths, hard=False)


def for_polls(context: Context, events: Sequence[Event]) -> None:
    """A poll in which somebody voted, or that ended: on its status's own page, and among those that are asked for by
    number, as open pages do that were told of it.
    """
    statuses = {(int(event.data["author"]), event.data["id"]) for event in events}
    logins = _logins(context, (author for author, _ in statuses))
    paths = {
        status_path(logins[author], status_id) for author, status_id in statuses if author in logins
    }
    invalidate(context.db, paths | {STATUSES_BY_ID}, hard=False)


def for_follows(context: Context, events: Sequence[Event]) -> None:
    """A follow that began or ended: on the pages of both."""
    for_follow_lists(
        context, (int(event.data[field]) for event in events for field in ("uid", "target"))
    )


def for_follow_lists(context: Context, uids: Iterable[int]) -> None:
    """Members who follow others than before, or are followed by others: on their profiles and lists."""
    logins = _logins(context, uids).values()
    invalidate(
        context.db,
        (
            path
            for one in logins
            for path in (profile_path(one), replies_path(one), *follow_paths(one))
        ),
        hard=False,
    )


def for_lists(context: Context, events: Sequence[Event]) -> None:
    """A list that was made, changed or deleted, on its owner's profile and among their lists; or that has more members
    or fewer, among these alone. What becomes private, or is gone, must not be shown any more.
    """
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    kind = events[0].type
    paths = (
        (lists_path,)
        if kind in ("listed", "unlisted")
        else (lists_path, profile_path, replies_path)
    )
    invalidate(
        context.db,
        (path(one) for one in logins for path in paths),
        hard=kind in ("list_changed", "list_gone"),
    )


def for_members(context: Context, events: Sequence[Event]) -> None:
    """Members who look different now, who must not be shown any more, or whose statuses must not: on any page. Where
    they come back, it is seen first on the public ones.
    """
    bump_versions(context.db, {int(event.data["uid"]) for event in events})
    invalidate(context.db, (FRONT_PAGE, PUBLIC, PUBLIC_FEED), hard=True)


def _logins(context: Context, uids: Iterable[int]) -> dict[int, str]:
    """The names of those members who have an account."""
    wanted = sorted(set(uids))
    stored = context.db.trip(*(("HGET", account_keys.user(uid), "login") for uid in wanted))
    return {uid: login for uid, login in zip(wanted, stored, strict=True) if login}
