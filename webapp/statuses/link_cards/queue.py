"""The queue of statuses whose link cards are still to be made.

Workers claim them under a lease, as deliveries to webhooks are. If a worker dies, its claims expire
and another worker makes the same cards.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from webapp.core.events.outbox import Event
from webapp.core.store import Command, Db, Read, Site, read, script
from webapp.core.text.entity_codec import unpack_entities
from webapp.statuses import keys as status_keys
from webapp.statuses.values.card import LinkCard, first_link, pack_card, unpack_card
from webapp.statuses.values.visibility import Visibility

QUEUE = script("statuses/link_cards/lua/queue_card.lua")
CLAIM = script("statuses/link_cards/lua/claim_cards.lua")
POSTPONE = script("statuses/link_cards/lua/postpone_card.lua")
ATTACH = script("statuses/link_cards/lua/attach_card.lua")
CARDS_WAITING_MAX = 1_000  # statuses of a partition; those above it get no card
LEASE_MS = 90_000  # longer than fetching a page and its picture can take
# Hosts that nobody can have, or only their own network knows (RFC 2606, 6761, 6762).
RESERVED = re.compile(r"(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|test|invalid|localhost|local)\.?")
FIELDS = ("entities", "visibility", "media", "poll", "quoted_id", "edited", "card")


class Claim(NamedTuple):
    """A claimed status; the lease's end is unix ms, as text.

    `owner`: uid of the author, or of the member whose bot that is; 0 if the status is gone.
    """

    status_id: int
    lease_expires: str
    owner: int


def queue_command(event: Event, status_id: int) -> Command:
    """Return the command that queues a status, or makes it due now if it is queued already."""
    return QUEUE(event, status_id=status_id, waiting_max=CARDS_WAITING_MAX)


def claim(db: Db, partition: int, limit: int, skipped_uids: Sequence[int] = ()) -> list[Claim]:
    """Claim up to `limit` due statuses of a partition, of none of these members. One trip."""
    command = CLAIM(partition=partition, limit=limit, lease=LEASE_MS, skipped=skipped_uids)
    return [
        Claim(int(status_id), lease_expires, int(owner))
        for status_id, lease_expires, owner in db.run(command)
    ]


def postpone(db: Db, claimed: Claim, delay_ms: int) -> None:
    """Put a claimed status back for a while. One trip."""
    db.run(
        POSTPONE(status_id=claimed.status_id, lease_expires=claimed.lease_expires, delay=delay_ms)
    )


def attach(site: Site, claimed: Claim, version: str, card: LinkCard | None) -> None:
    """Give a claimed status its card, None for no card. One trip.

    `version`: the edit that was read, as stored; a status edited since then is left alone.
    """
    site.run(
        ATTACH,
        status_id=claimed.status_id,
        lease_expires=claimed.lease_expires,
        version=version,
        card=pack_card(card),
    )


@dataclass(frozen=True, slots=True)
class CardTarget:
    """The link of a status that is to have a card ("" for none), and the link of its card."""

    url: str
    card_url: str
    version: str  # of the status, as stored

    @property
    def needs_work(self) -> bool:
        """Return True if the status has another card than it should."""
        return self.url != self.card_url


def read_target(status_id: int) -> Read[CardTarget | None]:
    """Read the card that a status should have; None if the status is gone."""
    return read(("HMGET", status_keys.status(status_id), *FIELDS), _parse)


def _parse(stored: Sequence[Any]) -> CardTarget | None:
    """Return the target of a status, by its FIELDS.

    Pictures, polls and quotes take the place of a card. A link that only mentioned people may read
    is never fetched, because the owner of the page would learn of the post.
    """
    entities, visibility, media, poll, quoted_id, version, packed = stored
    if entities is None:
        return None
    is_direct = Visibility(visibility or "") is Visibility.MENTIONED
    has_other = media or poll or quoted_id
    url = "" if is_direct or has_other else first_link(unpack_entities(entities))
    if RESERVED.fullmatch(urlsplit(url).hostname or ""):
        url = ""
    card = unpack_card(packed)
    return CardTarget(url, card.url if card else "", version or "")
