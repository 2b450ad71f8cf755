"""The part of a worker that makes link cards, and removes their pictures after some days."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from webapp.core.errors import RateLimited
from webapp.core.events.leased_work import LeasedWork
from webapp.core.logs import log
from webapp.core.media.removal import remove_link_pictures
from webapp.core.media.storage import LINK_PICTURE_DAYS
from webapp.core.store import Site, created_at
from webapp.statuses.values.card import LinkCard, first_picture_day

from . import keys
from .fetching import FetchFailed, fetch_card
from .linked_pages import begin_fetch, delay_fetch, end_fetch
from .queue import Claim, attach, claim, postpone, read_target

FETCHES_MAX = 4  # of one worker
FETCHES_PER_MEMBER = 1  # so that few members with slow pages cannot hold up all others
LOST_LEASE_MS = 1_000  # how long a status waits for another worker that fetches its page
# A host that is always asked too often gets no more cards for a post this old. No older post can
# be edited, unless EDIT_MINUTES is longer.
AGE_MAX = timedelta(days=2)
GRACE_DAYS = 2  # a page that is open or cached may show a picture a little longer


class LinkCardMaker(LeasedWork[Claim]):
    """Makes link cards."""

    name = "link card"
    queue = keys.due_cards

    def __init__(self, site: Site) -> None:
        enabled = site.config.link_cards != "off"
        super().__init__(site, FETCHES_MAX, FETCHES_PER_MEMBER, enabled=enabled)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[Claim]:
        """Claim a due status, of none of these members. One trip."""
        return claim(self._site.db, partition, 1, busy_owners)

    def owner_of(self, piece: Claim) -> int:
        """Return the uid of the status's author, or of the owner of that bot."""
        return piece.owner

    def do(self, piece: Claim) -> None:
        """Give a status its card."""
        make_card(self._site, piece)


def make_card(site: Site, claimed: Claim) -> None:
    """Give a claimed status the card of its link, or put it back."""
    target = site.db.read(read_target(claimed.status_id))
    if target is None or not target.url:
        return attach(site, claimed, target.version if target else "", None)
    if created_at(claimed.status_id) < datetime.now(UTC) - AGE_MAX:
        return attach(site, claimed, target.version, None)
    page = begin_fetch(site.db, target.url)
    if page.wait_ms:
        return postpone(site.db, claimed, page.wait_ms)
    card = page.card
    if page.lease_expires:
        try:
            card = _fetch(site, target.url, page.lease_expires)
        except FetchDelayed as delayed:
            return postpone(site.db, claimed, delayed.pause_ms)
    attach(site, claimed, target.version, card)


class FetchDelayed(Exception):
    """Raised if a page will be fetched again after a pause."""

    def __init__(self, pause_ms: int) -> None:
        super().__init__(pause_ms)
        self.pause_ms = pause_ms


def _fetch(site: Site, url: str, lease_expires: str) -> LinkCard | None:
    """Fetch a leased page and keep its card for others. Raises FetchDelayed."""
    try:
        card = fetch_card(site, url)
    except (FetchFailed, RateLimited) as error:
        pause_ms = delay_fetch(site.db, url, lease_expires, isinstance(error, RateLimited))
        log.info("link card: %s, next try in %d s", error, pause_ms // 1000)
        if not pause_ms:
            return None
        raise FetchDelayed(max(pause_ms, LOST_LEASE_MS)) from None
    end_fetch(site.db, url, lease_expires, card)
    return card


def remove_expired_pictures(site: Site, partition: int) -> None:
    """Remove some pictures that no page shows any longer, for the whole site. Safe to repeat."""
    if partition == 0:
        today = datetime.now(UTC).date()
        remove_link_pictures(site.config, first_picture_day(today, LINK_PICTURE_DAYS + GRACE_DAYS))
