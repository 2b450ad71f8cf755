"""Record what a request asks the store, and what else decides the page that it makes.

A recorded request can be replayed: its commands are sent again in one trip, and equal replies mean
an equal page (core/rendering/replays.py). Code that uses values remembered by the process names the
condition under which they hold (`holds_while`). Code that compares a moment with the clock names
that moment (`changes_at`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import Any

from webapp.core.store.reads import Command, Read

UNKNOWN = object()
COMMAND_SIZE, REPLY_SIZE = 400, 3  # bytes of a command, and for each character of a reply


class Recording:
    """The commands of a request's trips, and their replies.

    `changes_at`: the first moment from which the same replies mean something else, unix seconds.
    `conditions`: what else must be true, each read in the same trip.
    """

    def __init__(self, known: dict[Command, Any]) -> None:
        self.commands: list[Command] = []
        self.replies: list[Any] = []
        self.changes_at = inf
        self.conditions: list[Callable[[], Read[bool]]] = []
        self._first = 0  # commands of the first trip
        self._known = known

    @property
    def after_first_trip(self) -> list[Command]:
        """Return the commands that depended on replies."""
        return self.commands[self._first :]

    @property
    def size(self) -> int:
        """Return about how many bytes it takes."""
        return COMMAND_SIZE * len(self.commands) + REPLY_SIZE * len(repr(self.replies))

    def trip(
        self, commands: Sequence[Command], send: Callable[[Sequence[Command]], list[Any]]
    ) -> list[Any]:
        """Return the replies to commands. A known one stands for the first equal command."""
        found = [self._known.pop(command, UNKNOWN) for command in commands]
        missing = [
            command for command, reply in zip(commands, found, strict=True) if reply is UNKNOWN
        ]
        sent = iter(send(missing) if missing else ())
        replies = [next(sent) if reply is UNKNOWN else reply for reply in found]
        self.commands += commands
        self.replies += replies
        self._first = self._first or len(commands)
        return replies


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def recording(known: dict[Command, Any]) -> Iterator[Recording]:
    """Record the trips of this request. `known`: replies to commands that it has just sent."""
    made = Recording(known)
    _current.set(made)
    try:
        yield made
    finally:
        _current.set(None)
        known.clear()


def current_recording() -> Recording | None:
    """Return the record of this request, None if none is made."""
    return _current.get()


def holds_while(is_so: Callable[[], Read[bool]]) -> None:
    """Say that the page of this request stays the same while a condition holds."""
    if (found := current_recording()) is not None:
        found.conditions.append(is_so)


def changes_at(moment: float) -> None:
    """Say that the page of this request changes at a moment, in unix seconds. 0: it has changed."""
    if (found := current_recording()) is not None:
        found.changes_at = min(found.changes_at, moment)
