"""Batches of commands, with a report of how far they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from webapp.core.store.client import Db
from webapp.core.store.reads import Command

BATCH = 400  # commands of one trip

# Reports a step: gets its name and items, and yields the items one by one.
Progress = Callable[[str, Sequence[Any]], AbstractContextManager[Iterator[Any]]]


def send_batches(db: Db, progress: Progress, name: str, commands: Sequence[Command]) -> None:
    """Send commands, a trip for each BATCH of them."""
    batches = [commands[start : start + BATCH] for start in range(0, len(commands), BATCH)]
    with progress(name, batches) as steps:
        for batch in steps:
            db.trip(*batch)
