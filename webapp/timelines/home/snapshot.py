"""The first trip of a home page: its entries, and the pull sources it is expected to need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.store import Read, Site, gather, read
from webapp.core.web import overfetch
from webapp.timelines.pull.sources import (
    NO_PAGES,
    PullPages,
    missing_pages,
    remembered_sources,
    with_cached_pages,
)

from .stored_home import StoredHome, parse_home, read_home_command


@dataclass(frozen=True, slots=True)
class HomeSnapshot:
    """A page of a member's home below `before`, as far as one trip reads it.

    `position`: the log id from which the page's live stream continues. `pages`: of the sources that
    the home had when this process read it last.
    """

    uid: int
    before: int | None
    position: str
    pages: PullPages
    home: StoredHome


def home_snapshot(
    site: Site, uid: int, before: int | None, session_key: str | None = None
) -> Read[HomeSnapshot]:
    """Read a member's home below the cursor `before`. The visit keeps the member active.

    `session_key`: where it is not proved yet that `uid` asks, the session that must say so.
    `db` only selects this process's caches. Raises NotFound if there is no account.
    """
    expected = remembered_sources(site.db, uid)
    cached = with_cached_pages(site, expected, before, NO_PAGES)
    return gather(
        current_position(),
        missing_pages(site, expected, before, cached),
        read(read_home_command(site.config, uid, before, session_key), partial(parse_home, uid)),
    ).map(lambda results: HomeSnapshot(uid, before, *results))


def wider_snapshot(config: Config, snapshot: HomeSnapshot) -> Read[HomeSnapshot]:
    """Read the home of a snapshot again, with entries for a page of which much is left out.

    Its sources stay those that were read. A home that was cut meanwhile stays as it was.
    """
    size, sources = overfetch(config.page_size), snapshot.home.sources

    def widen(home: StoredHome) -> HomeSnapshot:
        wider = snapshot.home if home.rebuild else replace(home, sources=sources)
        return replace(snapshot, home=wider)

    command = read_home_command(config, snapshot.uid, snapshot.before, size=size)
    return read(command, partial(parse_home, snapshot.uid)).map(widen)
