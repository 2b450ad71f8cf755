"""Replies that the author of a thread has hidden: pages fold them at the end of the thread.

So do pages with what is below such a reply. Its own page shows it, and nobody is notified.
"""

from __future__ import annotations

from collections.abc import Collection as Group, Sequence

from webapp.accounts.collections.collection import Collection
from webapp.core.errors import Forbidden
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Read, Site, constant, listed_in, read
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.status import Status
from webapp.statuses.store import get
from webapp.statuses.threads import keys

from .replies import ANCESTORS_MAX, unpack_path

HIDDEN_REPLIES_MAX = 5_000  # replies that one member hides
HIDDEN_REPLIES = Collection(
    keys.hidden_replies,
    bound=lambda _config: HIDDEN_REPLIES_MAX,
    full="HIDDENREPLIESFULL",
    added="reply_hidden",
    removed="reply_shown",
)


def hide(site: Site, uid: int, status_id: int) -> Status:
    """Hide another member's reply in a thread that the member began. Return the reply. Four trips.

    Raises NotFound, also if the member does not see it; Forbidden; Conflict at HIDDEN_REPLIES_MAX.
    """
    status = get(site.db, status_id, uid)
    if not site.db.read(may_hide(uid, status)):
        raise Forbidden("not_your_thread")
    site.db.run(HIDDEN_REPLIES.add(site.config, uid, status_id))
    return status


def show(site: Site, uid: int, status_id: int) -> None:
    """Show a reply in its place again. Safe to repeat. One trip."""
    site.db.run(HIDDEN_REPLIES.remove(site.config, uid, status_id))


def may_hide(uid: int, status: Status) -> Read[bool]:
    """Read whether a status is another member's reply in a thread that the member began.

    A thread that goes deeper than ANCESTORS_MAX levels no longer names its first status.
    """
    if not status.in_reply_to or status.author.uid == uid:
        return constant(False)

    def is_first_author(packed: str | None) -> bool:
        path = unpack_path(packed)
        return 0 < len(path) <= ANCESTORS_MAX and path[0][1] == uid

    return read(("HGET", status_keys.status(status.id), "ancestors"), is_first_author)


def is_hidden(uid: int, status_id: int) -> Read[bool]:
    """Read whether a member has hidden a reply."""
    return read(("ZSCORE", keys.hidden_replies(uid), status_id), bool)


def hidden_among(uid: int, ids: Group[int]) -> Read[frozenset[int]]:
    """Read which statuses a member has hidden. No command without statuses."""
    return listed_in(keys.hidden_replies(uid), ids).map(frozenset)


def on_change(context: Context, events: Sequence[Event]) -> None:
    """Invalidate the pages of threads of members who hid or showed a reply. One trip."""
    uids = {event.number("uid") for event in events}
    bump_versions(context.db, uids.union(-uid for uid in uids))


def thread_ids(event: Event) -> list[int]:
    """Return the ids of an event's reply and of the statuses above it; none if it is no reply."""
    path = unpack_path(event.data.get("ancestors"))
    return [*(status_id for status_id, _ in path), event.number("id")] if path else []
