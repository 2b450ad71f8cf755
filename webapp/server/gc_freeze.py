"""Python's garbage collector beside thousands of open responses.

Why, measured: nearly all objects of open responses stay. Traversing them again and again would
stop all streams for half a second each time. So every few seconds the collector runs on the new
objects, and the rest is frozen. Frozen objects are freed as always when nothing refers to them;
only frozen cycles wait for the hourly full collection.
"""

from __future__ import annotations

import asyncio
import gc
from itertools import count

FREEZE_SECONDS = 2.0
FULL_COLLECT_EVERY = 1_800  # turns: once an hour


async def run() -> None:
    """Collect and freeze for ever."""
    for turn in count(1):
        await asyncio.sleep(FREEZE_SECONDS)
        if turn % FULL_COLLECT_EVERY == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
