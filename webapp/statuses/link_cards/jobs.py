"""Periodic jobs: pictures of link cards are removed with their day."""

from __future__ import annotations

from datetime import UTC, datetime

from webapp.core.media.removal import remove_link_pictures
from webapp.core.media.storage import LINK_PICTURE_DAYS
from webapp.core.site import Site
from webapp.statuses.values.card import first_picture_day

GRACE_DAYS = 2  # a page that is open or cached may show a picture a little longer


def remove_expired_pictures(site: Site, partition: int) -> None:
    """Remove some pictures that no page shows any longer, for the whole site. Safe to repeat."""
    if partition == 0:
        today = datetime.now(UTC).date()
        remove_link_pictures(site.config, first_picture_day(today, LINK_PICTURE_DAYS + GRACE_DAYS))
