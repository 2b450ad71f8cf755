"""Count the members who share each item, and rank the trends of a moment."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from webapp.core.store import Db, Read, Site, collect, first_id_at, read
from webapp.statuses import keys as status_keys
from webapp.statuses.values.card import LinkCard, unpack_card

from . import keys
from .items import DAY_MS, HOUR_MS, HOURS_PER_DAY, is_tag
from .ranking import (
    HISTORY_HOURS,
    MEMBERS_MIN,
    NETWORKS_MIN,
    WEEK_DAYS,
    WINDOWS,
    Counts,
    Ranking,
    Trend,
    by_kind,
    score,
    shortlist,
    top,
)
from .store import save

HOUR_CANDIDATES = 200  # items of one hour that are read, those with most members
SHORTLIST_MAX = 300
RANKED_MAX = 30  # hashtags that are shown, and as many links
SAMPLE = 50  # newest uses whose languages are read
CARD_SAMPLE = 5  # newest posts of a link whose cards are read


def rank(db: Db, now_ms: int) -> Ranking:
    """Rank the trends of a time, in five trips, or fewer if little trends."""
    hour = now_ms // HOUR_MS
    hours = range(hour - HOURS_PER_DAY + 1, hour + 1)
    found = db.read(collect(map(_candidates, hours)))
    items = shortlist(dict(zip(hours, found, strict=True)), hour, SHORTLIST_MAX)
    shared = db.read(collect(_is_shared(item, now_ms) for item in items))
    items = [item for item, widely in zip(items, shared, strict=True) if widely]
    counts = db.read(collect(_counts(item, now_ms) for item in items))
    scores = {item: score(one) for item, one in zip(items, counts, strict=True)}
    members = {item: one.members for item, one in zip(items, counts, strict=True)}
    ranked = top(scores, RANKED_MAX)
    facts = db.read(collect(_facts(item, now_ms) for item in ranked))
    cards = _read_cards(db, {item: one.newest for item, one in zip(ranked, facts, strict=True)})
    trends = [
        Trend(item, members[item], one.language, one.history, cards.get(item))
        for item, one in zip(ranked, facts, strict=True)
    ]
    return by_kind(trends)


def rank_now(site: Site) -> None:
    """Rank and save the trends of this moment. At most eight trips.

    Safe to run twice at the same time: the newest ranking stays.
    """
    now_ms = time.time_ns() // 1_000_000
    save(site.db, now_ms, rank(site.db, now_ms))


def measured(item: str, now_ms: int) -> Read[Trend]:
    """Read how many share an item, whether or not it trends. Language and card are left out."""
    commands = (_hours_command(item, now_ms, 0, HOURS_PER_DAY), *_history(item, now_ms))
    return Read(commands, lambda replies: Trend(item, replies[0], "", tuple(replies[1:])))


def _candidates(hour: int) -> Read[dict[str, int]]:
    command = ("ZRANGE", keys.trend_candidates(hour), 0, HOUR_CANDIDATES - 1, "REV", "WITHSCORES")
    return read(command, lambda flat: dict(zip(flat[::2], map(int, flat[1::2]), strict=True)))


def _is_shared(item: str, now_ms: int) -> Read[bool]:
    """Read whether enough members shared an item, from more than one network on one day."""
    day = now_ms // DAY_MS
    networks = [("PFCOUNT", keys.trend_networks(item, one)) for one in (day - 1, day)]

    def parse(replies: Sequence[int]) -> bool:
        members, *by_day = replies
        return members >= MEMBERS_MIN and max(by_day) >= NETWORKS_MIN

    return Read((_hours_command(item, now_ms, 0, HOURS_PER_DAY), *networks), parse)


def _counts(item: str, now_ms: int) -> Read[Counts]:
    """Read the members of an item: of the past day, and of the week before it."""
    day = now_ms // DAY_MS
    within = [_hours_command(item, now_ms, 0, hours) for hours, _ in WINDOWS]
    # The past day may begin yesterday, so the week ends before.
    days = [("PFCOUNT", keys.trend_day(item, one)) for one in range(day - 1 - WEEK_DAYS, day - 1)]
    return Read(
        (*within, *days),
        lambda replies: Counts(tuple(replies[: len(within)]), tuple(replies[len(within) :])),
    )


def _hours_command(item: str, now_ms: int, first: int, end: int) -> tuple[Any, ...]:
    """Return the command that counts members from `first` to `end` hours ago, whole hours."""
    hour = now_ms // HOUR_MS
    return ("PFCOUNT", *(keys.trend_hour(item, hour - ago) for ago in range(first, end)))


def _history(item: str, now_ms: int) -> list[tuple[Any, ...]]:
    """Return the commands that count members of each HISTORY_HOURS of the past day."""
    starts = range(HOURS_PER_DAY - HISTORY_HOURS, -1, -HISTORY_HOURS)
    return [_hours_command(item, now_ms, start, start + HISTORY_HOURS) for start in starts]


class Facts(NamedTuple):
    """The history, language and newest statuses of an item that trends.

    `history`: members in each HISTORY_HOURS of the past day, the oldest first.
    """

    history: tuple[int, ...]
    language: str
    newest: list[int]


def _facts(item: str, now_ms: int) -> Read[Facts]:
    """Read the history of an item, its language, and the newest statuses with it."""
    history = _history(item, now_ms)
    since = first_id_at(now_ms - DAY_MS)
    uses = ("ZRANGE", keys.trend_uses(item), "+inf", since, "BYSCORE", "REV", "LIMIT", 0, SAMPLE)

    def parse(replies: Sequence[Any]) -> Facts:
        *counts, newest = replies
        entries = [entry.split(":") for entry in newest]
        lang_of = {uid: lang for _, uid, lang in entries if lang}  # one vote a member
        votes = Counter(lang_of.values())
        lang = min(votes, key=lambda one: (-votes[one], one), default="")
        newest_ids = [int(status) for status, _, _ in entries[:CARD_SAMPLE]]
        return Facts(tuple(counts), lang, newest_ids)

    return Read((*history, uses), parse)


def _read_cards(db: Db, statuses: dict[str, list[int]]) -> dict[str, LinkCard]:
    """Return the cards of links, as the first of their newest statuses has it. One trip."""
    candidates = [(url, one) for url, ids in statuses.items() if not is_tag(url) for one in ids]
    stored = db.trip_all(("HGET", status_keys.status(one), "card") for _, one in candidates)
    cards: dict[str, LinkCard] = {}
    for (url, _), packed in zip(candidates, stored, strict=True):
        card = unpack_card(packed)
        if card and card.url == url:
            cards.setdefault(url, card)
    return cards
