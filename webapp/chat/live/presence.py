"""Announce members who are looking at a chat right now."""

from collections.abc import Iterable, Sequence

from webapp.accounts import store as accounts
from webapp.chat.inbox import chat_state
from webapp.core.store import Db, Read, collect


def announce_presence(db: Db, presences: Iterable[tuple[str, int]]) -> None:
    """Tell all open pages of these chats that these members are present: (cid, uid) pairs.

    Members whose presence is hidden are left out. Two trips. Raises Unavailable.
    """
    pairs = list(presences)
    hidden = db.read(collect(chat_state.is_hidden(uid, cid) for cid, uid in pairs))
    commands = [
        chat_state.PUBLISH_PRESENCE(cid=cid, uid=uid, hint="p")
        for (cid, uid), is_hidden in zip(pairs, hidden, strict=True)
        if not is_hidden
    ]
    if commands:
        db.trip_with_errors(commands)  # a member who has just left is no reason to stop


def display_names(uids: Sequence[int]) -> Read[dict[int, str]]:
    """Read the names of members by uid, "" for a deleted account."""
    return accounts.get_many(uids).map(
        lambda members: {uid: members[uid].name if uid in members else "" for uid in uids}
    )
