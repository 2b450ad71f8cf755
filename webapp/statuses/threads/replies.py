"""What a reply answers, and whether it may. A status says itself what is above it, so that a thread can be shown
whatever in it is gone by now, and no deletion has to tell those below.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from webapp.accounts.store import Member
from webapp.core.store.client import Db
from webapp.statuses.visibility.reply_policy import unpack_reply_rule
from webapp.statuses.visibility.targets import load_target
from webapp.statuses.visibility.visibility import Visibility

ANCESTORS_MAX = (
    20  # statuses above a reply that its page shows; one more is known, to lead to the rest
)
DEPTH_MAX = 10  # levels below a status that its page shows

# A status and its author's uid; several of them: the way from one status down to another.
PathStep = tuple[int, int]
ThreadPath = tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Parent:
    """A status to be answered: its author, the way from what is above down to it, how visible it is, and who may reply,
    as it is stored.
    """

    author: Member
    path: ThreadPath
    visibility: Visibility
    stored_reply_rule: str

    @property
    def id(self) -> int:
        """Its id."""
        return self.path[-1][0]


def load_parent(db: Db, uid: int, status_id: int) -> Parent:
    """The status that a member wants to answer. Two trips. Raises NotFound; Forbidden when its author is suspended,
    one blocks the other, or the thread is not for them to reply to.
    """
    target = load_target(db, uid, status_id, "cannot_reply")
    unpack_reply_rule(target.stored_reply_rule).require(target.may_reply)
    path = (*unpack_path(target.ancestor_path), (status_id, target.author.uid))[
        -ANCESTORS_MAX - 1 :
    ]
    return Parent(target.author, path, target.visibility, target.stored_reply_rule or "")


def reply_fields(parent: Parent | None) -> tuple[object, ...]:
    """The fields of a reply that say what it answers, each with its value, "" for none."""
    values = (
        (parent.id, parent.author.uid, pack_path(parent.path), parent.author.login)
        if parent
        else ("",) * 4
    )
    return tuple(chain(*zip(("reply", "to", "above", "to_login"), values, strict=True)))


def pack_path(path: Iterable[PathStep]) -> str:
    """A way as it is stored: its order as text is that of a thread, depth first, for ids have the same length."""
    return "/".join(f"{status_id:016}.{author}" for status_id, author in path)


def unpack_path(stored: str | None) -> ThreadPath:
    """The way in its stored form."""
    steps = (step.split(".") for step in stored.split("/")) if stored else ()
    return tuple((int(status_id), int(author)) for status_id, author in steps)
