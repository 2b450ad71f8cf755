"""Which link of a status gets a card, if any."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from webapp.core.store.reads import Read, read
from webapp.core.text.entity_codec import unpack_entities
from webapp.statuses import keys as status_keys
from webapp.statuses.values.card import first_link, unpack_card
from webapp.statuses.values.visibility import Visibility

# Hosts that nobody can have, or only their own network knows (RFC 2606, 6761, 6762).
RESERVED = re.compile(r"(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|test|invalid|localhost|local)\.?")
FIELDS = ("entities", "visibility", "media", "poll", "quoted_id", "edited", "card")


@dataclass(frozen=True, slots=True)
class Target:
    """The link of a status that is to have a card ("" for none), and the link of its card."""

    url: str
    card_url: str
    version: str  # of the status, as stored

    @property
    def needs_work(self) -> bool:
        """Return True if the status has another card than it should."""
        return self.url != self.card_url


def read_target(status_id: int) -> Read[Target | None]:
    """Read the card that a status should have; None if the status is gone."""
    return read(("HMGET", status_keys.status(status_id), *FIELDS), _parse)


def _parse(stored: Sequence[Any]) -> Target | None:
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
    return Target(url, card.url if card else "", version or "")
