"""The statuses that wait for a link card, claimed under a lease as deliveries to webhooks are.

If a worker dies, its claims run out and another makes the same cards.
"""

from __future__ import annotations

from typing import NamedTuple

from webapp.core.events.outbox import Event
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.statuses.values.card import LinkCard, pack_card

QUEUE = script("statuses/link_cards/lua/queue_card.lua")
CLAIM = script("statuses/link_cards/lua/claim_cards.lua")
POSTPONE = script("statuses/link_cards/lua/postpone_card.lua")
ATTACH = script("statuses/link_cards/lua/attach_card.lua")
CARDS_WAITING_MAX = 1_000  # statuses of a partition; those above it get no card
LEASE_MS = 90_000  # longer than fetching a page and its picture can take


class Claim(NamedTuple):
    """A claimed status; the lease's end is unix ms, as text."""

    status_id: int
    lease_expires: str


def queue_command(event: Event, status_id: int) -> Command:
    """Return the command that queues a status, or makes it due now if it is queued already."""
    return QUEUE(event, status_id=status_id, waiting_max=CARDS_WAITING_MAX)


def claim(db: Db, partition: int, limit: int) -> list[Claim]:
    """Claim up to `limit` due statuses of a partition. One trip."""
    rows = db.run(CLAIM(partition=partition, limit=limit, lease=LEASE_MS))
    return [Claim(int(status_id), lease_expires) for status_id, lease_expires in rows]


def postpone(db: Db, claimed: Claim, delay_ms: int) -> None:
    """Put a claimed status back for a while. One trip."""
    db.run(
        POSTPONE(status_id=claimed.status_id, lease_expires=claimed.lease_expires, delay=delay_ms)
    )


def attach(site: Site, claimed: Claim, version: str, card: LinkCard | None) -> None:
    """Give a claimed status its card, None for no card. One trip.

    `version`: the edit that was read, as stored; a status edited since then is left alone. Raises
    Unavailable.
    """
    site.db.run(
        ATTACH(
            site.config,
            status_id=claimed.status_id,
            lease_expires=claimed.lease_expires,
            version=version,
            card=pack_card(card),
        )
    )
