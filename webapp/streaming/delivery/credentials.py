"""Credentials of open streams, which are checked again when in doubt and now and then."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from random import uniform

from webapp.core.errors import Unavailable
from webapp.core.store import Db
from webapp.streaming.log.messages import Message

from .hidden_authors import HiddenAuthors, HiddenUntil

CHECK_SECONDS = 300.0  # how long credentials count as good while nothing casts doubt on them


class CheckedCredentials(ABC):
    """Credentials with the moment of their last check."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self.hidden = HiddenAuthors()  # loaded with each check
        self._checked_at = float("-inf")

    async def still_valid(self, recheck: bool) -> bool:
        """Return True if they are still good.

        The store is asked if `recheck` is True or the last check is old. If it does not answer,
        they count as good, unless `recheck` is True.
        """
        if not recheck and time.monotonic() - self._checked_at < CHECK_SECONDS:
            return True
        try:
            return await asyncio.to_thread(self._check)
        except Unavailable:
            return not recheck

    @property
    def hidden_until(self) -> HiddenUntil:
        """Return the hidden authors, with those that `look_up_authors` has found."""
        return self.hidden.until

    def shows(self, message: Message) -> bool:
        """Return True if the reader is sent a message, as far as is known of its authors."""
        return self.hidden.shows(message)

    async def look_up_authors(self, messages: Iterable[Message]) -> None:
        """Learn which authors of messages block the reader, if that is not known.

        Most readers have few blockers, and need no trip.
        """
        if unknown := self.hidden.unknown_authors(messages):
            await asyncio.to_thread(self._db.read, self.hidden.look_up(unknown))

    def mark_checked(self) -> None:
        """Note that they were checked now.

        The moment is set back at random by up to half of CHECK_SECONDS. So thousands of clients
        that came together, as after a restart, are not all checked again at one moment.
        """
        self._checked_at = time.monotonic() - uniform(0, CHECK_SECONDS / 2)

    @abstractmethod
    def _check(self) -> bool:
        """Ask the store whether they are good, and mark them as checked."""
