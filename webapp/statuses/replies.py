"""What a reply answers, and whether it may. A status says itself what is above it, so that a thread can be shown
whatever in it is gone by now, and no deletion has to tell those below.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from ..accounts.store import Member
from ..db import Db
from .aims import aimed
from .answerers import unpack_rule
from .visibility import Visibility

ABOVE_MAX = 20  # statuses above a reply that its page shows; one more is known, to lead to the rest
DEPTH_MAX = 10  # levels below a status that its page shows

# A status and its author's uid; several of them: the way from one status down to another.
Step = tuple[int, int]
Way = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The status that a reply answers: its id, and its author's uid and login."""

    id: int
    uid: int
    login: str


@dataclass(frozen=True, slots=True)
class Parent:
    """A status to be answered: its author, the way from what is above down to it, how visible it is, and who may reply,
    as it is stored.
    """

    author: Member
    way: Way
    visibility: Visibility
    may: str

    @property
    def id(self) -> int:
        """Its id."""
        return self.way[-1][0]


def answerable(db: Db, uid: int, status_id: int) -> Parent:
    """The status that a member wants to answer. Two trips. Raises NotFound; Forbidden when its author is suspended,
    one blocks the other, or the thread is not for them to reply to.
    """
    aim = aimed(db, uid, status_id, "cannot_reply")
    unpack_rule(aim.may).meet(aim.among)
    way = (*unpack(aim.above), (status_id, aim.author.uid))[-ABOVE_MAX - 1 :]
    return Parent(aim.author, way, aim.visibility, aim.may or "")


def answering(parent: Parent | None) -> tuple[object, ...]:
    """The fields of a reply that say what it answers, each with its value, "" for none."""
    told = (parent.id, parent.author.uid, pack(parent.way), parent.author.login) if parent else ("",) * 4
    return tuple(chain(*zip(("reply", "to", "above", "to_login"), told, strict=True)))


def pack(way: Iterable[Step]) -> str:
    """A way as it is stored: its order as text is that of a thread, depth first, for ids have the same length."""
    return "/".join(f"{status_id:016}.{author}" for status_id, author in way)


def unpack(stored: str | None) -> Way:
    """The way in its stored form."""
    steps = (step.split(".") for step in stored.split("/")) if stored else ()
    return tuple((int(status_id), int(author)) for status_id, author in steps)
