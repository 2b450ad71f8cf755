"""The current trends for each viewer: read with the session, and remembered in the process."""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary

from flask import g

from webapp.core.i18n import preferences
from webapp.core.store import Db, Read, constant, gather
from webapp.core.web import Requester, db, viewer_context

from .hidden import hidden_by
from .ranking import Ranking, Trend, language_first
from .store import current, without

REMEMBERED_SECONDS = 15.0  # in a process, for the rails of members
RAIL_MAX = 5  # hashtags in a rail
_rankings: WeakKeyDictionary[Db, tuple[float, Ranking]] = WeakKeyDictionary()


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
    read_at, ranking = _rankings.get(db, (0.0, Ranking()))
    if time.monotonic() - read_at < REMEMBERED_SECONDS:
        return constant(ranking)

    def remember(found: Ranking) -> Ranking:
        _rankings[db] = (time.monotonic(), found)
        return found

    return current().map(remember)
