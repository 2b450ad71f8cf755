"""Waiting for the worker, so that who has written something finds it in what they read next."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress

from webapp.core.errors import Unavailable
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

from . import keys
from .outbox import FANOUT, LOG

UNAPPLIED = script("core/events/lua/unapplied.lua")
LOOKS, PAUSE_SECONDS = 20, 0.01


def wait_until_applied(db: Db, partitions: Iterable[int]) -> None:
    """Wait until the present events of partitions are applied, each in turn; 0.2 s at most.

    The events of a partition may cause others in the next one. LOOKS trips at most.
    """
    looks = iter(range(LOOKS))
    with suppress(Unavailable):
        for partition in partitions:
            newest = ""
            for _ in looks:
                outbox = keys.outbox(partition)
                newest = db.run(UNAPPLIED(outbox=outbox, newest=newest, groups=(LOG, FANOUT)))
                if not newest:
                    break
                time.sleep(PAUSE_SECONDS)
