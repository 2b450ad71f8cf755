"""The copies of kept pages in this process: at most a second old, and dropped by what drops the pages themselves."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from .bell import Subscription
from .db import Db
from .logs import log
from .pagestore import CHANNEL, Kept
from .pagevariant import Wanted

LIFE_SECONDS = 1.0
COPIES_MAX = 512
WAIT_SECONDS = 1.0  # for what is said, before looking whether to go on


@dataclass(slots=True)
class Copy:
    """A page, as it was at `since` (monotonic seconds). `worn`: there is something newer, which may be shown later."""

    page: Kept
    since: float
    worn: bool = False


class Copies:
    """None are kept until somebody listens to what drops them."""

    def __init__(self) -> None:
        self._copies: dict[Wanted, Copy] = {}
        self._turn = threading.Lock()
        self._listening = False

    def get(self, wanted: Wanted) -> Copy | None:
        """The copy, if it is young enough."""
        copy = self._copies.get(wanted)
        return copy if copy and time.monotonic() - copy.since < LIFE_SECONDS else None

    def put(self, wanted: Wanted, page: Kept, since: float) -> None:
        """Keeps a copy of what the store had, or was given, after `since`."""
        if self._listening:
            with self._turn:
                self._copies.pop(wanted, None)
                if len(self._copies) >= COPIES_MAX:
                    del self._copies[next(iter(self._copies))]
                self._copies[wanted] = Copy(page, since)

    def listen(self, db: Db) -> None:
        """Begins to listen, in a thread of its own, for as long as the process lives."""
        self._listening = True
        threading.Thread(target=self._listen, args=(Subscription(db, CHANNEL),), name="drops", daemon=True).start()

    def heed(self, said: str) -> None:
        """Does what was said on the channel: `soft` or `hard`, and paths; `*` for all."""
        how, *paths = said.split(" ")
        with self._turn:
            for wanted in [one for one in self._copies if one.path in paths or paths == ["*"]]:
                if how == "soft":
                    self._copies[wanted].worn = True
                else:
                    del self._copies[wanted]

    def _listen(self, channel: Subscription) -> None:
        while True:
            try:
                heard = channel.wait(WAIT_SECONDS)
                for said in ["hard *"] if heard.missed else heard.said:
                    self.heed(said)
            except Exception:  # a connection that was closed under it; a thread that ends would hear no more
                log.warning("what drops copies of pages was not heard", exc_info=True)
                channel.close()
                time.sleep(WAIT_SECONDS)
