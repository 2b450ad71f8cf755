"""A plain model of trends: who shares what and when, as sets, and how far that exceeds the week."""

from collections.abc import Iterable
from dataclasses import dataclass

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
WEIGHTS = ((3, 1.0), (6, 0.5), (12, 0.25), (24, 0.125))  # hours back, weight of a member
MEMBERS_MIN = 2


@dataclass(frozen=True)
class Use:
    """A member shares an item at a time, in unix ms."""

    item: str
    uid: int
    at_ms: int


def ranking(uses: Iterable[Use], now_ms: int) -> list[str]:
    """Return the items that trend at a time, the highest first: hashtags, then links."""
    every = list(uses)
    scores = {
        item: _score([use for use in every if use.item == item], now_ms) for item in _items(every)
    }
    ranked = sorted((item for item in scores if scores[item]), key=lambda one: (-scores[one], one))
    return sorted(ranked, key=lambda item: not item.startswith("#"))


def _items(uses: Iterable[Use]) -> set[str]:
    return {use.item for use in uses}


def _score(uses: list[Use], now_ms: int) -> float:
    within = [{use.uid for use in uses if _hours_ago(use, now_ms) < hours} for hours, _ in WEIGHTS]
    members = len(within[-1])
    today = now_ms // DAY_MS
    week = [
        len({use.uid for use in uses if use.at_ms // DAY_MS == day})
        for day in range(today - 8, today - 1)
    ]
    expected = sum(week) / 7
    if members < MEMBERS_MIN or members <= expected:
        return 0.0
    weights = 0.0
    for uid in within[-1]:
        weights += next(
            weight for (_, weight), uids in zip(WEIGHTS, within, strict=True) if uid in uids
        )
    return (members - expected) ** 2 / (expected + 1) * weights / members


def _hours_ago(use: Use, now_ms: int) -> int:
    return now_ms // HOUR_MS - use.at_ms // HOUR_MS
