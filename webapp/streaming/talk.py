"""The open seats of one chat: each is brought from where it is to what the chat has, and told what passes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..chat.live import Look, Nudge, Position, Reader, event
from .messages import START, Message
from .seat import REVOKED, Seat

PRESENT_SECONDS = 60.0  # how long somebody is taken to be there after it was last said
SEEN_MAX = 20  # marks of who has read how far that are passed on at once


@dataclass(slots=True, eq=False)
class Place:
    """Where a seat is in the chat. `at`: what its client has; None when it wants what comes from now on."""

    reader: Reader
    at: Position | None
    inside: bool = False  # it was found that they belong to the chat


class Talk:
    """One chat in this process. Lives in the event loop's thread."""

    def __init__(self, cid: str) -> None:
        self.cid = cid
        self.places: dict[Seat, Place] = {}
        self.stale = True  # something may have come that its seats were not told
        self.looking = False
        self.renewed = False  # the chat itself, or who belongs to it, has changed
        self.greeting = False  # somebody came whom those elsewhere have to be told of, or who has to be told of them
        self._typing: set[int] = set()
        self._seen: dict[int, int] = {}
        self._present: dict[int, float] = {}  # uid → until when (monotonic seconds)
        self._shown: frozenset[int] = frozenset()  # who was said to be there

    @property
    def members(self) -> set[int]:
        """Whose seats these are."""
        return {place.reader.uid for place in self.places.values()}

    @property
    def stirring(self) -> set[int]:
        """Of whom there is something to pass on."""
        return self._typing | self._seen.keys()

    def enter(self, seat: Seat, reader: Reader, at: Position | None) -> None:
        """A seat, to be told what came after `at`."""
        self.places[seat] = Place(reader, at)
        self._shown = frozenset()
        self.stale = self.greeting = True

    def groups(self) -> dict[Position | None, dict[Seat, Reader]]:
        """The seats by where they are: all at the same position, but for those that have just come."""
        found: dict[Position | None, dict[Seat, Reader]] = {}
        for seat, place in self.places.items():
            found.setdefault(place.at, {})[seat] = place.reader
        return found

    def tell(self, seats: Iterable[Seat], look: Look) -> None:
        """Hands over what was found for seats at one position. Who does not belong to the chat is told that alone."""
        messages: dict[bytes, Message] = {}
        for seat in seats:
            place = self.places.get(seat)
            if place is None:
                continue
            place.at, sse = look.at, look.told[place.reader]
            if not place.inside and sse is not None:
                place.inside, self._shown = True, frozenset()  # so that they learn who is there
            if sse is None:
                del self.places[seat]
                seat.put([passing(event("gone", {"chat": self.cid}))])
                seat.finish(REVOKED)
            elif sse:
                seat.put([messages.setdefault(sse, passing(sse))])

    def heed(self, nudge: Nudge, now: float) -> None:
        """Takes note of what members do right now; `pass_on` tells."""
        uid = nudge.numbers[0]
        if nudge.kind == "t":
            self._typing.add(uid)
        elif nudge.kind == "s" and (uid in self._seen or len(self._seen) < SEEN_MAX):
            self._seen[uid] = nudge.numbers[1]
        elif nudge.kind == "p":
            self.greeting = self.greeting or uid not in self._present
            self._present[uid] = now + PRESENT_SECONDS

    def pass_on(self, names: Mapping[int, str], now: float) -> None:
        """Tells all seats what was noted since the last time: of many who read at once, only some."""
        events = []
        for uid in sorted(self.stirring & names.keys()):
            if not names[uid]:  # their account is gone
                continue
            who = {"chat": self.cid, "uid": uid, "name": names[uid]}
            if uid in self._typing:
                events.append(event("typing", who))
            if uid in self._seen:
                events.append(event("seen", {**who, "id": self._seen[uid]}))
        self._typing -= names.keys()
        self._seen = {uid: upto for uid, upto in self._seen.items() if uid not in names}
        self._present = {uid: until for uid, until in self._present.items() if until > now}
        if self._present.keys() != self._shown:
            self._shown = frozenset(self._present)
            events.append(event("here", {"chat": self.cid, "uids": sorted(self._shown)}))
        if events:
            self.put(b"".join(events))

    def put(self, sse: bytes) -> None:
        """Hands the same to all seats, but for those of whom it is not known yet that they belong to the chat."""
        message = passing(sse)
        for seat, place in self.places.items():
            if place.inside:
                seat.put([message])


def passing(sse: bytes) -> Message:
    """What is told to those who are there, and has no place in the log."""
    return Message(START, "passing", 0, 0, sse)
