"""Ids of chats.

A group chat's id is a number. A direct chat's id joins both members' (`3-17`, the smaller first),
so both open the same chat. The ids of messages count from 1 in each chat, without gaps.
"""

import hashlib

from webapp.core.store import parse_id


def direct_id(uid: int, other_uid: int) -> str:
    """Return the id of the direct chat of two members."""
    return f"{min(uid, other_uid)}-{max(uid, other_uid)}"


def direct_members(cid: str) -> tuple[int, int] | None:
    """Return the two members of a direct chat, None for a group chat."""
    first, dash, second = cid.partition("-")
    return (int(first), int(second)) if dash else None


def other_member_uid(cid: str, uid: int) -> int | None:
    """Return the other member of a direct chat, None for a group chat."""
    members = direct_members(cid)
    if members is None:
        return None
    return members[1] if members[0] == uid else members[0]


def is_direct(cid: str) -> bool:
    """Return True for a direct chat, False for a group chat."""
    return "-" in cid


def parse_cid(text: str) -> str | None:
    """Return `text` if it is the id of a chat, otherwise None."""
    numbers = [parse_id(part) for part in text.split("-")]
    if len(numbers) > 2 or None in numbers:
        return None
    if len(numbers) == 2 and int(numbers[0] or 0) >= int(numbers[1] or 0):
        return None
    return text


def digest(secret: str) -> str:
    """Return the part of a SHA-256 that is stored instead of a secret or an idempotency key."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]
