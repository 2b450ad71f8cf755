"""The store with the clock turned back: the time that its scripts see is the one that is set.

A script that asks the server for the time is replaced by a copy that takes it as its first two
arguments. The site's own scripts stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from webapp.core.logs import request_id
from webapp.core.store import Command, Db
from webapp.core.store.scripts import Script

TIME_CALL = "redis.call('TIME')"
TAKE_TIME = "local demo_time = {table.remove(ARGV, 1), table.remove(ARGV, 1)}\n"
REQUEST_PREFIX = "demo-"  # of the request ids of acts; the time follows, in unix µs


class DatedToken(int):
    """A lease's token that knows when its event happened, in unix µs.

    Fenced commands carry their event's token. So each command of a trip gets its event's time,
    though the trip is for many events.
    """

    at_us: int

    def __new__(cls, token: int, at_us: int) -> DatedToken:
        """Return a token with a time."""
        dated = super().__new__(cls, token)
        dated.at_us = at_us
        return dated


class PastDb(Db):
    """The connection of `db`, whose scripts see the time that was set last."""

    def __init__(self, db: Db) -> None:
        super().__init__(db._servers)
        self._at_us = 0

    def set_time(self, at_us: int) -> None:
        """Set the time of the next commands, and note it in the events that they emit."""
        self._at_us = at_us
        request_id.set(f"{REQUEST_PREFIX}{at_us}")

    def advance(self, by_us: int) -> None:
        """Move the time forward."""
        self.set_time(self._at_us + by_us)

    def trip_with_errors(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands as `Db` does, with the time for scripts that ask for it."""
        return super().trip_with_errors([self._dated(command) for command in commands])

    def _dated(self, command: Command) -> Command:
        if command[0] != "EVALSHA":
            return command
        at_us = next((part.at_us for part in command if type(part) is DatedToken), self._at_us)
        command = tuple(int(part) if type(part) is DatedToken else part for part in command)
        if not (script := _dated_script(command[1])):
            return command
        first = 3 + command[2]  # argument, after the keys
        return ("EVALSHA", script, *command[2:first], *divmod(at_us, 1_000_000), *command[first:])


def event_time(request: str) -> int | None:
    """Return when the act of an event was, in unix µs; None if it is no act of the demo."""
    before, prefix, at_us = request.partition(REQUEST_PREFIX)
    return int(at_us) if prefix and not before and at_us.isdigit() else None


@cache
def _dated_script(script: Script) -> Script | None:
    """Return the copy of a script that takes the time; None if it never asks for it."""
    if TIME_CALL not in script.text:
        return None
    text = TAKE_TIME + script.text.replace(TIME_CALL, "demo_time")
    return Script(script.path, text, script.header)
