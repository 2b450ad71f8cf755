"""Announce members who are looking at a chat right now."""

from collections.abc import Iterable, Sequence

from webapp.accounts import store as accounts
from webapp.chat.inbox import chat_state
from webapp.chat.members import policy
from webapp.core.store import Db, Read, collect, gather


def announce_presence(db: Db, presences: Iterable[tuple[str, int]]) -> None:
    """Tell all open pages of these chats that these members are present: (cid, uid) pairs.

    Somebody who has not accepted a request stays unseen, and so do both members of a direct chat
    if one blocks the other. Two trips. Raises Unavailable.
    """
    pairs = list(presences)
    hidden = db.read(collect(_is_hidden(cid, uid) for cid, uid in pairs))
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


def _is_hidden(cid: str, uid: int) -> Read[bool]:
    return gather(chat_state.is_pending(uid, cid), policy.direct_block(cid)).map(any)
