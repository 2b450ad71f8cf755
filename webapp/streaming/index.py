"""Who is sent what, looked up from the message: the cost grows with what it matches, not with all who are there."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .room import Seat


class Topic(NamedTuple):
    """What a stream is about: `public`; `profile` or `home` of a member."""

    kind: str
    uid: int = 0


class Audience:
    """All seats of one topic. Of a home: with the authors that its viewer follows."""

    __slots__ = ("authors", "seats", "topic")

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.seats: set[Seat] = set()
        self.authors = array("Q")  # small, for there may be thousands; looked through only when it changes


class Index:
    """Audiences by what they want."""

    def __init__(self) -> None:
        self._everything: set[Audience] = set()
        self._by_author: dict[int, set[Audience]] = {}

    def add_to_all(self, audience: Audience) -> None:
        """This audience wants everything."""
        self._everything.add(audience)

    def add(self, audience: Audience, authors: Iterable[int]) -> None:
        """This audience wants these authors too."""
        for uid in authors:
            among = self._by_author.setdefault(uid, set())
            if audience not in among:
                among.add(audience)
                audience.authors.append(uid)

    def drop(self, audience: Audience, uid: int) -> None:
        """This audience wants this author no more."""
        if audience in self._by_author.get(uid, ()):
            audience.authors.remove(uid)
            self._forget(audience, uid)

    def remove(self, audience: Audience) -> None:
        """This audience wants nothing any more."""
        self._everything.discard(audience)
        for uid in audience.authors:
            self._forget(audience, uid)
        del audience.authors[:]

    def wants(self, audience: Audience, author: int) -> bool:
        """Whether an audience is sent what this author writes."""
        return audience in self._everything or audience in self._by_author.get(author, ())

    def matching(self, author: int) -> Iterable[Audience]:
        """The audiences that are sent what this author writes."""
        yield from self._everything
        yield from self._by_author.get(author, ())

    def _forget(self, audience: Audience, uid: int) -> None:
        among = self._by_author[uid]
        among.discard(audience)
        if not among:
            del self._by_author[uid]
