"""Read the positions at which programs begin to listen to the chats of their member."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.chat import keys as chat_keys
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.store.reads import Read, collect, gather, read

from .hints import Position


def listed_chats(uid: int) -> Read[list[str]]:
    """Read the ids of the chats on a member's list."""
    return read(("ZRANGE", inbox_keys.member_chats(uid), 0, -1), list)


def current_positions(cids: Iterable[str]) -> Read[dict[str, Position]]:
    """Read the position of everything that chats have, without chats that are gone."""
    listed = list(cids)
    return collect(map(_position, listed)).map(
        lambda found: {
            cid: position for cid, position in zip(listed, found, strict=True) if position
        }
    )


def first_positions(uid: int, cids: Iterable[str]) -> Read[dict[str, Position]]:
    """Read the positions after which all messages are new to a member who came to chats.

    Leaves out chats that are gone, and those that the member has left.
    """
    listed = list(cids)
    return gather(current_positions(listed), collect(_last_known(cid, uid) for cid in listed)).map(
        lambda found: {
            cid: (last_known, found[0][cid][1])
            for cid, last_known in zip(listed, found[1], strict=True)
            if cid in found[0] and last_known is not None
        }
    )


def _position(cid: str) -> Read[Position | None]:
    command = ("HMGET", chat_keys.chat(cid), "last", "rev")
    return read(command, lambda found: (int(found[0]), int(found[1])) if found[0] else None)


def _last_known(cid: str, uid: int) -> Read[int | None]:
    """Read the newest message when a member came, or how far they have fetched since.

    None if they do not belong to the chat.
    """
    joined = read(
        ("HGET", chat_keys.chat_visible_from(cid), uid),
        lambda found: int(found.split()[1]) if found else None,
    )
    fetched = read(
        ("ZSCORE", chat_keys.chat_fetch_positions(cid), uid), lambda score: int(float(score or 0))
    )
    return gather(joined, fetched).map(lambda ids: None if ids[0] is None else max(ids[0], ids[1]))
