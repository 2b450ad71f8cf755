"""Outages: how often processes found a server of the store silent, and for how long."""

from __future__ import annotations

import time
from dataclasses import dataclass

from webapp.core.store import keys
from webapp.core.store.reads import Command, Read, read, to_dict


@dataclass(frozen=True, slots=True)
class Outages:
    """The number of outages, each process's counted, and the last: its end and its length."""

    count: int
    last_ended_at: int  # unix seconds
    last_seconds: float


def record(seconds: float) -> tuple[Command, Command]:
    """Return the commands that record an outage that has just ended."""
    key = keys.outages()
    return (
        ("HINCRBY", key, "count", 1),
        ("HSET", key, "last_ended_at", int(time.time()), "last_seconds", round(seconds, 1)),
    )


def outages() -> Read[Outages]:
    """Read the outages so far."""
    return read(("HGETALL", keys.outages()), _parse)


def _parse(reply: list[str]) -> Outages:
    fields = to_dict(reply)
    return Outages(
        int(fields.get("count", 0)),
        int(fields.get("last_ended_at", 0)),
        float(fields.get("last_seconds", 0)),
    )
