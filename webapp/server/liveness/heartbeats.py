"""Heartbeats of a server's processes, so that one that hangs is replaced.

They share a listening socket, so a request cannot choose the process that answers it. Instead the
event loop of each writes its process id to one pipe, once a second.
"""

import asyncio
import multiprocessing
import os
import struct
import time
from collections.abc import Collection
from contextlib import suppress
from multiprocessing.connection import Connection

BEAT_SECONDS = 1.0
HANG_SECONDS = 15.0  # of silence, until a process is replaced
START_SECONDS = 60.0  # until its first heartbeat
PIPE_BYTES = 65_536  # more than a pipe holds
PID = struct.Struct("i")


def beat(writer: Connection, loop: asyncio.AbstractEventLoop) -> None:
    """Write this process's id, now and once a second, from its event loop."""
    with suppress(OSError):  # the pipe is full, as its reader is stopped
        os.write(writer.fileno(), PID.pack(os.getpid()))
    loop.call_later(BEAT_SECONDS, beat, writer, loop)


class Heartbeats:
    """Receives the heartbeats of a server's processes in their parent, and finds the silent one."""

    def __init__(self) -> None:
        self._reader, self.writer = multiprocessing.Pipe(duplex=False)
        for end in (self._reader, self.writer):
            os.set_blocking(end.fileno(), False)
        self._heard_at: dict[int, float] = {}  # process id -> monotonic seconds
        self._checked_at = time.monotonic()

    def find_hung(self, pids: Collection[int]) -> int | None:
        """Return the process that has been silent for longest, if it hangs. Call it once a second.

        All processes count as heard then, so at most one is replaced in HANG_SECONDS. They do as
        well after a pause in which this process itself was stopped.
        """
        now, was_checked_at = time.monotonic(), self._checked_at
        self._checked_at = now
        unheard_at = now + START_SECONDS - HANG_SECONDS
        self._heard_at = {pid: self._heard_at.get(pid, unheard_at) for pid in pids}
        with suppress(BlockingIOError):
            heard = PID.iter_unpack(os.read(self._reader.fileno(), PIPE_BYTES))
            self._heard_at |= {pid: now for (pid,) in heard if pid in pids}
        if now - was_checked_at > HANG_SECONDS / 2:
            self._reset(now)
        silent = min(self._heard_at, key=self._heard_at.__getitem__, default=None)
        if silent is None or now - self._heard_at[silent] < HANG_SECONDS:
            return None
        self._reset(now)
        return silent

    def _reset(self, now: float) -> None:
        self._heard_at = {pid: max(at, now) for pid, at in self._heard_at.items()}
