"""Quotes and their cards."""

import pytest

from tests.support.schema import live_keys
from tests.support.world import post
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Site
from webapp.statuses import keys as status_keys
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.threads import store as threads
from webapp.statuses.viewer.viewer_state import QuoteCard

GONE, DETACHED = "gone", "detached"


def quoting_ids(db: Db, status_id: int) -> list[int]:
    """Return the ids of the quotes of a status. Fail unless its stored count agrees."""
    found, number = db.trip(
        ("ZRANGE", quote_keys.quotes(status_id), 0, -1),
        ("HGET", status_keys.status(status_id), "quotes"),
    )
    assert int(number or 0) == len(found) and number != "0"
    return [int(entry.partition(":")[0]) for entry in found]


def card_state(card: QuoteCard) -> int | str:
    """Return the id of the status a card shows, negative if its author is muted."""
    if card.status is None:
        return DETACHED if card.detached else GONE
    return -card.status.id if card.muted else card.status.id


def seen_card(db: Db, quote: int, viewer: int | None = None) -> int | str:
    """Return what a viewer sees in the card of a quote on its own page."""
    return card_state(threads.thread(db, quote, viewer, (), 10).viewer_state.quote_cards[quote])


def refusal_code(site: Site, uid: int, quote: int) -> str:
    """Try to quote a status. Return the code of the refusal; fail if anything is written."""
    before = set(live_keys(site.db))
    with pytest.raises((Forbidden, NotFound)) as found:
        post(site, uid, "look", quote=quote)
    assert set(live_keys(site.db)) == before
    return found.value.code
