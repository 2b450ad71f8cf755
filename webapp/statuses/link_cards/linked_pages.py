"""Cards fetched from linked pages, kept for a day: posts that share a link share the fetch."""

from dataclasses import dataclass

from webapp.core.store import Db, script
from webapp.statuses.values.card import LinkCard, pack_card, unpack_card

from .queue import LEASE_MS

BEGIN_FETCH = script("statuses/link_cards/lua/begin_fetch.lua")
END_FETCH = script("statuses/link_cards/lua/end_fetch.lua")
DELAY_FETCH = script("statuses/link_cards/lua/delay_fetch.lua")
LIFE_MS = 86_400_000
# ms before each further try; after the last the page counts as one without a card.
RETRY_PAUSES = (60_000, 600_000, 3_600_000)
BUSY_PAUSE_MS = 60_000  # before a host that was asked too often is asked again


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of a linked page.

    With `lease_expires` (unix ms, as text), the caller is to fetch it. With `wait_ms`, somebody
    else does, or it failed a moment ago. Otherwise `card` is the page's.
    """

    card: LinkCard | None = None
    wait_ms: int = 0
    lease_expires: str = ""


def begin_fetch(db: Db, url: str) -> PageState:
    """Return the card of a page or the wait for it, or lease it to the caller. One trip."""
    kind, value = db.run(
        BEGIN_FETCH(url=url, lease=LEASE_MS, life=LIFE_MS, tries_max=len(RETRY_PAUSES) + 1)
    )
    if kind == "cached":
        return PageState(card=unpack_card(value))
    return PageState(wait_ms=int(value)) if kind == "wait" else PageState(lease_expires=value)


def end_fetch(db: Db, url: str, lease_expires: str, card: LinkCard | None) -> None:
    """Keep the card of a page that was fetched, None if it has none. One trip."""
    db.run(END_FETCH(url=url, lease_expires=lease_expires, card=pack_card(card), life=LIFE_MS))


def delay_fetch(db: Db, url: str, lease_expires: str, is_busy: bool = False) -> int:
    """Note that a page could not be fetched, and return the pause in ms. One trip.

    Return 0 if it is given up: after the last of RETRY_PAUSES it counts as one without a card.
    Return -1 if somebody else has leased it. `is_busy`: its host was asked too often, so the try
    does not count.
    """
    return int(
        db.run(
            DELAY_FETCH(
                url=url,
                lease_expires=lease_expires,
                life=LIFE_MS,
                busy_pause=BUSY_PAUSE_MS if is_busy else "",
                pauses=RETRY_PAUSES,
            )
        )
    )
