"""The newest posts with a link that trends."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.errors import NotFound
from webapp.core.store import Read, Site, read
from webapp.core.web import newest_below, overfetch
from webapp.statuses import Skeleton, Status, Timeline
from webapp.timelines.entries import format_status_entry
from webapp.timelines.shared import shared_page

from . import keys
from .store import current


def link_page(site: Site, url: str, before: int | None, viewer: int | None) -> Timeline[Status]:
    """Return a page of the posts with a link. At most five trips: see `shared_page`.

    `url`: its normalised address. The counts of trends know its posts for a day.
    Raises NotFound for a link that does not trend.
    """
    limit = overfetch(site.config.page_size)
    ranking, found = site.db.fetch(current(), _entries(url, before, limit))
    if url not in {trend.item for trend in ranking.links}:
        raise NotFound("no_status")
    return shared_page(site, viewer, found)


def _entries(url: str, before: int | None, limit: int) -> Read[Skeleton[str]]:
    """Read the entries of posts with a link below the cursor `before`, without boosts of them."""
    command = newest_below(keys.trend_uses(url), before, limit, scores=True)

    def parse(reply: Sequence[str]) -> Skeleton[str]:
        uses = [use.split(":") for use in reply[::2]]
        entries = [
            format_status_entry(status_id, uid)
            for (status_id, uid, _), id in zip(uses, reply[1::2], strict=True)
            if status_id == id
        ]
        return Skeleton(entries, int(reply[-1]) if len(uses) == limit else None)

    return read(command, parse)
