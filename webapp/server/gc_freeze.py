"""Python's garbage collector and thousands of open responses: nearly all that they are made of stays, and to look
through it again and again would stop everybody for half a second each time.

What is there is set apart every few seconds, once what is garbage among the new has been freed. What is set apart is
freed as ever when nothing refers to it; only what then refers to itself in a circle is left for the hour, when
everything is looked through.
"""

from __future__ import annotations

import asyncio
import gc
from itertools import count

FREEZE_SECONDS = 2.0
FULL_COLLECT_EVERY = 1_800  # times: once an hour


async def run() -> None:
    """Runs for ever beside the streams."""
    for turn in count(1):
        await asyncio.sleep(FREEZE_SECONDS)
        if turn % FULL_COLLECT_EVERY == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
