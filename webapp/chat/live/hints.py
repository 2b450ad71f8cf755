"""Hints about chats from the store's channel, and positions in a chat."""

from typing import NamedTuple

# Of a chat: its newest message, and how often anything has happened to its messages.
Position = tuple[int, int]
PAST_END: Position = (2**53, 2**53)  # after everything: who comes from there must reload


class ChangeHint(NamedTuple):
    """A message on the channel. `kind` says what happened, and what `args` are.

    `m` messages changed, `c` the chat itself, `s` a member has read on (uid, message id), `t` a
    member is writing (uid), `p` is present (uid), `b` unread counts changed (uids).
    """

    kind: str
    cid: str
    args: tuple[int, ...]


def parse_hint(text: str) -> ChangeHint:
    """Return the hint in a message of the channel (CHAT_CHANNEL)."""
    kind, *fields = text.split()
    cid = "" if kind == "b" else fields.pop(0)
    return ChangeHint(kind, cid, tuple(map(int, fields)))


def parse_position(text: str, cid: str) -> Position | None:
    """Return the position in `last.revision` or `cid:last.revision`, None if it is malformed."""
    position_cid, colon, position = text.rpartition(":")
    last, _, revision = position.partition(".")
    if colon and position_cid != cid:
        return None
    if not (_is_number(last) and _is_number(revision)):
        return None
    return int(last), int(revision)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
