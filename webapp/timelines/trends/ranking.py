"""Rank items by how far the members of the past day exceed the average of the item's own week.

An item's members of the past day are compared with the mean of its seven whole days before. A
member who shared it lately counts in full, others half, a quarter or an eighth, by how long ago. So
an item that is always there does not trend, and one whose time is over sinks by the hour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.statuses.values.card import LinkCard

from .items import HOURS_PER_DAY, is_tag

# Hours back, and how much a member counts who shared the item last within them.
WINDOWS = ((3, 1.0), (6, 0.5), (12, 0.25), (HOURS_PER_DAY, 0.125))
HALF_LIFE_HOURS = 6  # of a candidate's members, before they are counted exactly
MEMBERS_MIN = 5  # an item that fewer members share does not trend
NETWORKS_MIN = 2  # nor does one that comes from fewer networks
WEEK_DAYS = 7
HISTORY_HOURS = 3  # of one point of an item's history


@dataclass(frozen=True, slots=True)
class Counts:
    """The distinct members of an item: within each of WINDOWS, and on each day of its week."""

    within: tuple[int, ...]
    days: tuple[int, ...]

    @property
    def members(self) -> int:
        """Return the members of the past day."""
        return self.within[-1]


@dataclass(frozen=True, slots=True)
class Trend:
    """An item that trends, as pages show it.

    `members`: those of the past day. `history`: the members of each HISTORY_HOURS of it, oldest
    first. `lang`: the primary subtag of the language most members write it in, or "".
    """

    item: str
    members: int
    lang: str
    history: tuple[int, ...]
    card: LinkCard | None = None

    @property
    def name(self) -> str:
        """Return the name of a hashtag."""
        return self.item[1:]

    @property
    def points(self) -> str:
        """Return the points of the history's line, in a box of 84 × 28 with a margin of 2."""
        top, step = max(*self.history, 1), 80 / (len(self.history) - 1)
        return " ".join(
            f"{2 + index * step:.1f},{26 - 24 * count / top:.1f}"
            for index, count in enumerate(self.history)
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The trends, the highest first."""

    tags: tuple[Trend, ...] = ()
    links: tuple[Trend, ...] = ()


def by_kind(trends: Sequence[Trend]) -> Ranking:
    """Return a ranking of trends, the highest first."""
    return Ranking(
        tuple(trend for trend in trends if is_tag(trend.item)),
        tuple(trend for trend in trends if not is_tag(trend.item)),
    )


def score(counts: Counts) -> float:
    """Return how much an item rises; 0 if it does not."""
    expected = sum(counts.days) / WEEK_DAYS
    if counts.members <= expected:
        return 0.0
    earlier, fresh = 0, 0.0
    for (_, weight), reached in zip(WINDOWS, counts.within, strict=True):
        fresh += weight * max(reached - earlier, 0)
        earlier = max(earlier, reached)
    excess = (counts.members - expected) ** 2 / (expected + 1)
    return excess * fresh / counts.members


def shortlist(candidates: Mapping[int, Mapping[str, int]], hour: int, size: int) -> list[str]:
    """Return the candidates whose members, halved every HALF_LIFE_HOURS, are most.

    `candidates`: the members of each item within each hour. `hour`: the hour that it is.
    """
    sums: dict[str, float] = {}
    for at, members in candidates.items():
        for item, count in members.items():
            decayed = count * 0.5 ** ((hour - at) / HALF_LIFE_HOURS)
            sums[item] = sums.get(item, 0.0) + decayed
    return sorted(sums, key=lambda item: (-sums[item], item))[:size]


def top(scores: Mapping[str, float], size: int) -> list[str]:
    """Return the items that rise most: `size` hashtags at most, and as many links."""
    ranked = sorted(
        (item for item in scores if scores[item] > 0), key=lambda item: (-scores[item], item)
    )
    tags = [item for item in ranked if is_tag(item)]
    return tags[:size] + [item for item in ranked if not is_tag(item)][:size]


def language_first(trends: Sequence[Trend], lang: str) -> tuple[Trend, ...]:
    """Return trends in their order, those of a language, or of none, before the others."""
    return tuple(sorted(trends, key=lambda trend: trend.lang not in (lang, "")))
