"""Which of the pages kept for visitors an event makes untrue. Each of these is safe to run twice.

The paths are those of the views; a worker has no app to ask for them, so a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import keys
from ..events import Context, Event
from ..pagestore import change, drop
from ..statuses.replies import unpack

FRONT, PUBLIC, PUBLIC_FEED, SEVERAL = "/", "/public", "/public.atom", "/statuses"


def profile(login: str) -> str:
    """The path of a member's profile."""
    return f"/@{login}"


def replies(login: str) -> str:
    """The path of a member's profile with their replies."""
    return f"/@{login}/replies"


def feed(login: str) -> str:
    """The path of a member's feed."""
    return f"/@{login}/feed.atom"


def permalink(login: str, status_id: int | str) -> str:
    """The path of a status."""
    return f"/@{login}/{status_id}"


def likes(login: str, status_id: int | str) -> str:
    """The path of those who like a status."""
    return f"{permalink(login, status_id)}/likes"


def boosts(login: str, status_id: int | str) -> str:
    """The path of those who boost a status."""
    return f"{permalink(login, status_id)}/boosts"


def quotes(login: str, status_id: int | str) -> str:
    """The path of what quotes a status."""
    return f"{permalink(login, status_id)}/quotes"


def history(login: str, status_id: int | str) -> str:
    """The path of what a status said before."""
    return f"{permalink(login, status_id)}/history"


def tag(name: str) -> str:
    """The path of a hashtag, by its folded name."""
    return f"/tags/{name}"


def tag_feed(name: str) -> str:
    """The path of its feed."""
    return f"{tag(name)}.atom"


def people(login: str) -> tuple[str, str]:
    """The paths of a member's followers, and of whom they follow."""
    return f"/@{login}/followers", f"/@{login}/following"


def lists(login: str) -> str:
    """The path of a member's lists."""
    return f"/@{login}/lists"


def of_statuses(context: Context, events: Sequence[Event]) -> None:
    """A status that was posted or deleted: on its author's page, the public ones, those of what it answers or quotes;
    when it is gone, on all of its own, on the pages of the replies below and among those that were asked for by number;
    and on its own page when it answers something, which may have gone before it was known to be answered.
    """
    named = [(int(event.data["author"]), event.data["id"]) for event in events]
    quoted = [(int(event.data["quote"]), int(event.data["quoted"])) for event in events if "quote" in event.data]
    above = [*quoted, *(step for event in events for step in unpack(event.data.get("above")))]
    above += [(int(event.data["id"]), int(event.data["author"])) for event in events if "above" in event.data]
    logins = _logins(context, (author for author, _ in [*named, *((uid, "") for _, uid in above)]))
    authors = [logins[author] for author, _ in named if author in logins]
    paths = {FRONT, PUBLIC, PUBLIC_FEED, *(path(login) for login in authors for path in (profile, replies, feed))}
    paths |= {permalink(logins[author], status_id) for status_id, author in above if author in logins}
    paths |= {quotes(logins[author], status_id) for status_id, author in quoted if author in logins}
    gone = events[0].type == "deleted"
    answered = {int(event.data["author"]) for event in events if "answered" in event.data}
    if answered:  # who wrote it is on the pages of all that is below it or quotes it, of which there may be many
        change(context.db, answered)
    if gone:
        here = [(logins[author], status_id) for author, status_id in named if author in logins]
        paths |= {SEVERAL, *(path(*status) for status in here for path in (permalink, likes, boosts, quotes, history))}
    drop(context.db, paths, hard=gone)


def of_authors(context: Context, events: Sequence[Event]) -> None:
    """A status that says something else now, or is shown in other quotes: on any page that shows its author."""
    change(context.db, {int(event.data["author"]) for event in events})


def of_profiles(context: Context, events: Sequence[Event]) -> None:
    """A profile that shows its statuses in another order, as its feed does."""
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    drop(context.db, (path(login) for login in logins for path in (profile, feed)), hard=False)


def of_likes(context: Context, events: Sequence[Event]) -> None:
    """A like that was given or taken back: on the status's own page, and among those who like it. On others the number
    is as old as they are.
    """
    ids = sorted({event.data["id"] for event in events})
    authors = context.db.trip(*(("HGET", keys.status(int(status_id)), "author") for status_id in ids))
    named = [(int(author), status_id) for author, status_id in zip(authors, ids, strict=True) if author]
    logins = _logins(context, (author for author, _ in named))
    here = [(logins[author], status_id) for author, status_id in named if author in logins]
    drop(context.db, (path(*status) for status in here for path in (permalink, likes)), hard=False)


def of_boosts(context: Context, events: Sequence[Event]) -> None:
    """A boost that was given or taken back: on the profile of who did it, among what was asked for by number, on the
    status's own page and among those who boost it.
    """
    told = [(int(event.data["author"]), event.data["target"], int(event.data["uid"])) for event in events]
    logins = _logins(context, (uid for author, _, by in told for uid in (author, by)))
    here = [(logins[author], status_id) for author, status_id, _ in told if author in logins]
    paths = {SEVERAL, *(path(*status) for status in here for path in (permalink, boosts))}
    paths |= {path(logins[by]) for *_, by in told if by in logins for path in (profile, replies)}
    drop(context.db, paths, hard=False)


def of_polls(context: Context, events: Sequence[Event]) -> None:
    """A poll in which somebody voted, or that ended: on its status's own page, and among those that are asked for by
    number, as open pages do that were told of it.
    """
    named = {(int(event.data["author"]), event.data["id"]) for event in events}
    logins = _logins(context, (author for author, _ in named))
    paths = {permalink(logins[author], status_id) for author, status_id in named if author in logins}
    drop(context.db, paths | {SEVERAL}, hard=False)


def of_follows(context: Context, events: Sequence[Event]) -> None:
    """A follow that began or ended: on the pages of both."""
    of_lists(context, (int(event.data[who]) for event in events for who in ("uid", "target")))


def of_lists(context: Context, uids: Iterable[int]) -> None:
    """Members who follow others than before, or are followed by others: on their profiles and lists."""
    logins = _logins(context, uids).values()
    drop(context.db, (path for one in logins for path in (profile(one), replies(one), *people(one))), hard=False)


def of_list_owners(context: Context, events: Sequence[Event]) -> None:
    """A list that was made, changed or deleted, on its owner's profile and among their lists; or that has more members
    or fewer, among these alone. What becomes private, or is gone, must not be shown any more.
    """
    logins = _logins(context, (int(event.data["uid"]) for event in events)).values()
    kind = events[0].type
    paths = (lists,) if kind in ("listed", "unlisted") else (lists, profile, replies)
    drop(context.db, (path(one) for one in logins for path in paths), hard=kind in ("list_changed", "list_gone"))


def of_members(context: Context, events: Sequence[Event]) -> None:
    """Members who look different now, who must not be shown any more, or whose statuses must not: on any page. Where
    they come back, it is seen first on the public ones.
    """
    change(context.db, {int(event.data["uid"]) for event in events})
    drop(context.db, (FRONT, PUBLIC, PUBLIC_FEED), hard=True)


def _logins(context: Context, uids: Iterable[int]) -> dict[int, str]:
    """The names of those members who have an account."""
    wanted = sorted(set(uids))
    found = context.db.trip(*(("HGET", keys.user(uid), "login") for uid in wanted))
    return {uid: login for uid, login in zip(wanted, found, strict=True) if login}
