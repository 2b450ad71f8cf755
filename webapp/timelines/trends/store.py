"""Save the ranking of trends, and read it."""

from collections.abc import Sequence
from dataclasses import asdict

import orjson

from webapp.core.store import Db, Read, gather, read, script
from webapp.pagecache.invalidation import invalidate
from webapp.statuses.values.card import pack_card, unpack_card
from webapp.timelines.page_invalidation.paths import TREND_PAGES

from . import keys
from .hidden import suppressed
from .ranking import Ranking, Trend, by_kind

SAVE_RANKING = script("timelines/trends/lua/save_ranking.lua")


def save(db: Db, now_ms: int, ranking: Ranking) -> None:
    """Save a ranking of a time, unless there is a newer one. At most two trips.

    Cached pages are invalidated if it changes.
    """
    if db.run(SAVE_RANKING(at=now_ms, json=_pack(ranking))):
        invalidate(db, TREND_PAGES, hard=False)


def current() -> Read[Ranking]:
    """Read the trends, without those that the operator has hidden."""
    saved = read(("HGET", keys.trend_ranking(), "ranking"), _unpack)
    return gather(saved, suppressed()).map(lambda found: without(*found))


def without(ranking: Ranking, items: Sequence[str]) -> Ranking:
    """Return a ranking without some items."""
    if not items:
        return ranking
    hidden, every = frozenset(items), (*ranking.tags, *ranking.links)
    return by_kind([trend for trend in every if trend.item not in hidden])


def _pack(ranking: Ranking) -> str:
    every = (*ranking.tags, *ranking.links)
    trends = [asdict(trend) | {"card": pack_card(trend.card)} for trend in every]
    return orjson.dumps(trends).decode()


def _unpack(stored: str | None) -> Ranking:
    trends = [
        Trend(
            one["item"],
            one["members"],
            one["lang"],
            tuple(one["history"]),
            unpack_card(one["card"]),
        )
        for one in orjson.loads(stored or "[]")
    ]
    return by_kind(trends)
