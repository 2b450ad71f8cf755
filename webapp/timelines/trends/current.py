"""The current trends for each viewer: read with the session, and remembered in the process."""

from __future__ import annotations

from flask import g

from webapp.core.i18n import preferences
from webapp.core.store import Db, Read, constant, gather
from webapp.core.store.caches.process_cache import ProcessCache
from webapp.core.web import Requester, db, viewer_context

from .hidden import hidden_by
from .ranking import Ranking, Trend, language_first
from .store import current, without

REMEMBERED_SECONDS = 15.0  # in a process, for the rails of members
RAIL_MAX = 5  # hashtags in a rail
_rankings = ProcessCache[str, Ranking](1)


def trends_for(uid: int) -> Read[Ranking]:
    """Read the trends without those that a member has hidden. It travels with the session."""
    return gather(_remembered(db()), hidden_by(uid)).map(lambda found: without(*found))


def visitor_trends(requester: Requester) -> Read[Ranking | None]:
    """Read the trends for a visitor's page; None for members, who get them with their session."""
    return constant(None) if requester.uid else current()


def rail_trends() -> tuple[Trend, ...]:
    """Return the hashtags in the rail of this page, those in the reader's language first.

    Visitors' pages are cached, so they get the trends that their views put into `g.trends`.
    """
    ranking = viewer_context().get("trends") if g.get("viewer") else g.get("trends")
    return language_first(ranking.tags, preferences.language().code)[:RAIL_MAX] if ranking else ()


def _remembered(db: Db) -> Read[Ranking]:
    """Read the trends, with a command only if the process read them some time ago."""
    if found := _rankings.get(db, ("",), REMEMBERED_SECONDS):
        return constant(found[""])
    return current().map(lambda ranking: _rankings.put(db, {"": ranking}, REMEMBERED_SECONDS)[""])
