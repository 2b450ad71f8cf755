"""Planned acts and posts, and the community in the store in which they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from webapp.core.store import Site
from webapp.demo.people import Person
from webapp.statuses import Place, Poll

from .clock import PastDb

# Reports a step: gets its name and items, and yields the items one by one.
Progress = Callable[[str, Sequence[Any]], AbstractContextManager[Iterator[Any]]]


@dataclass(frozen=True, slots=True)
class Post:
    """A post at a time in unix ms. The author is a place in the list of people.

    `mood`: "good", "bad", "ask", "plain", "poll", "view" or "warned". `reply_to` and `quote` are
    places in the list of posts. `alts`: the description of each picture.
    """

    author: int
    at_ms: int
    text: str
    language: str
    mood: str = "plain"
    reply_to: int | None = None
    quote: int | None = None
    poll: Poll | None = None
    warning: str = ""
    alts: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class World(Site):
    """A community that is being written to a site.

    Members and posts are named by their places in the plan's lists. The ids that the product gave
    to their results are noted here.
    """

    db: PastDb
    people: Sequence[Person]
    first_uid: int
    pictures: dict[tuple[int, str], str] = field(default_factory=dict)  # of profiles, their names
    posts: dict[int, int] = field(default_factory=dict)  # place → status id
    chats: dict[str, str] = field(default_factory=dict)  # name in the plan → chat id
    messages: dict[tuple[str, int], int] = field(default_factory=dict)  # chat, line → message id

    def uid(self, member: int) -> int:
        """Return the uid of the member at a place."""
        return self.first_uid + member

    def login(self, member: int) -> str:
        """Return the login of the member at a place."""
        return self.people[member].login


def home_network(uid: int) -> str:
    """Return the network that a member posts from: all live apart."""
    return f"demo {uid}"


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a member does, at a time in unix ms."""

    at_ms: int
    member: int

    def must_wait(self, pending: Sequence[Act]) -> bool:
        """Return True if the events of acts before this one must be applied first.

        Otherwise they are applied later, together with this act's.
        """
        return False

    def perform(self, world: World) -> None:
        """Do it, through the store functions that pages call. Raises their errors."""
        raise NotImplementedError


class WaitingAct(Act):
    """An act that needs the writes of the projections of all acts before it."""

    __slots__ = ()

    def must_wait(self, pending: Sequence[Act]) -> bool:
        return bool(pending)
