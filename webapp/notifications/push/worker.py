"""The part of a worker that sends pushes."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.leased_work import LeasedWork
from webapp.core.metrics.names import PUSHES
from webapp.core.metrics.recorder import count
from webapp.core.site import Site

from . import keys
from .queue import Push, claim
from .sending import send

REQUESTS_MAX = 8  # devices that one worker sends to
REQUESTS_PER_MEMBER = 2  # of them, of one member: slow push services must not hold up others


class PushSender(LeasedWork[Push]):
    """Sends pushes."""

    name = "push"
    queue = keys.due_pushes

    def __init__(self, site: Site) -> None:
        enabled = site.config.web_push != "off"
        super().__init__(site, REQUESTS_MAX, REQUESTS_PER_MEMBER, enabled=enabled)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[Push]:
        """Claim a due device, of none of these members. One trip."""
        return claim(self._site.db, partition, 1, busy_owners)

    def owner_of(self, piece: Push) -> int:
        """Return the uid of the device's member."""
        return piece.uid

    def do(self, piece: Push) -> None:
        """Send a device its due notifications."""
        count(PUSHES)
        send(self._site, piece)
