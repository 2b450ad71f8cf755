"""Load the parent of a reply, build the fields that it stores of its thread, and read cursors.

A status stores the path of statuses above it. So a thread can be shown even if parts of it are
deleted, and a deletion does not change the statuses below.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from webapp.accounts.member import Member
from webapp.core.errors import Forbidden, Invalid
from webapp.core.store import Db, parse_id
from webapp.statuses.values.reply_policy import unpack_reply_rule
from webapp.statuses.values.visibility import Visibility
from webapp.statuses.visibility.targets import load_target

ANCESTORS_MAX: Final = 20  # shown above a reply; one more is stored, to lead to the rest
DEPTH_MAX: Final = 10  # levels shown below a status

PathStep = tuple[int, int]  # a status and its author's uid
ThreadPath = tuple[PathStep, ...]  # from one status down to another


@dataclass(frozen=True, slots=True)
class Parent:
    """A status that a member is about to answer."""

    author: Member
    path: ThreadPath  # from its oldest stored ancestor down to itself
    conversation: int  # the id of the first post
    visibility: Visibility
    stored_reply_rule: str
    closed_group: str = ""  # the closed group that the conversation is in, as stored

    @property
    def id(self) -> int:
        """Return its id."""
        return self.path[-1][0]


def load_parent(db: Db, uid: int, status_id: int) -> Parent:
    """Return the status that a member wants to answer. Two trips.

    Raises NotFound; Forbidden if its author is suspended, one blocks the other, the thread is not
    open to the member's replies, or the member has left the closed group that it is in.
    """
    target = load_target(db, uid, status_id, "cannot_reply")
    is_in_closed_group = target.visibility is Visibility.GROUP
    if is_in_closed_group and not target.group:
        raise Forbidden("not_in_group")
    unpack_reply_rule(target.stored_reply_rule).require(target.may_reply)
    path = (*unpack_path(target.ancestor_path), (status_id, target.author.uid))
    return Parent(
        target.author,
        path[-ANCESTORS_MAX - 1 :],
        conversation_of(path, target.stored_root),
        target.visibility,
        target.stored_reply_rule or "",
        str(target.group) if is_in_closed_group else "",
    )


def reply_fields(parent: Parent | None) -> dict[str, str]:
    """Return the fields of a reply that name its parent and the path above it."""
    if parent is None:
        return {}
    return {
        "reply_to_id": str(parent.id),
        "reply_to_uid": str(parent.author.uid),
        "reply_to_login": parent.author.login,
        "ancestors": pack_path(parent.path),
        "root": str(parent.conversation) if parent.conversation != parent.path[0][0] else "",
    }


def conversation_of(path: ThreadPath, stored_root: str | None) -> int:
    """Return the id of the first post of a conversation.

    `path`: from the oldest stored ancestor of a status down to itself. `stored_root`: its field.
    """
    return int(stored_root or path[0][0])


def pack_path(path: Iterable[PathStep]) -> str:
    """Return a path as stored. Ids have one length, so as text paths sort depth first."""
    return "/".join(f"{status_id:016}.{author}" for status_id, author in path)


def unpack_path(stored: str | None) -> ThreadPath:
    """Parse a stored path."""
    steps = (step.split(".") for step in stored.split("/")) if stored else ()
    return tuple((int(status_id), int(author)) for status_id, author in steps)


def parse_cursor(raw: str | None) -> ThreadPath:
    """Parse the cursor of a thread in an address. Raises Invalid."""
    if raw is None:
        return ()
    steps = [step.partition(".") for step in raw.split("-")]
    path = tuple(
        (parse_id(status_id) or 0, parse_id(author) or 0) for status_id, _, author in steps
    )
    if len(path) > DEPTH_MAX or not all(map(all, path)):
        raise Invalid("bad_cursor")
    return path


def format_cursor(path: ThreadPath) -> str:
    """Return the cursor of the descendants after a path."""
    return "-".join(f"{status_id}.{author}" for status_id, author in path)
