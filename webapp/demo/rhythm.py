"""When members write: by day in their own time zone, more at weekends, more lately than at first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from .people import Person

# How much is written in each hour of a member's day.
HOURS = (3, 1.5, 1, 0.7, 0.7, 1.5, 4, 7, 8, 7, 6, 6, 8, 7, 6, 6, 6, 7, 8, 9, 10, 10, 8, 5)
WEEKEND = 1.2  # times as much as on other days
GROWTH = 1.7  # times as much on the last day as on the first
JUST_NOW = (35, 140, 260, 420, 640, 900, 1300)  # seconds ago: the newest of all
TRIES = 40
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MORNING, NOON, EVENING, NIGHT = range(5, 10), range(11, 14), range(17, 22), (22, 23, 0, 1, 2, 3, 4)
SEASONS = ("winter", "winter", "spring", "spring", "spring", "summer", "summer", "summer", "autumn", "autumn", "autumn")


def times(rng: Random, who: Sequence[Person], count: int, start: int, now: int) -> list[tuple[int, int]]:
    """(time in unix ms, author's place in `who`) of each status, in order of time."""
    weights = [person.zeal * (0.1 + (now - max(person.joined, start)) / (now - start)) for person in who]
    authors = rng.choices(range(len(who)), weights, k=count)
    found = [(_moment(rng, who[author], max(start, who[author].joined), now), author) for author in authors]
    return sorted(_freshened(rng, who, found, now))


def local(person: Person, at: int) -> datetime:
    """A time (unix ms) on the member's own clock."""
    return datetime.fromtimestamp(at / 1000, UTC) + timedelta(hours=person.offset)


def today(when: datetime, language: str) -> str:
    """The day of the week."""
    return ("周" + "一二三四五六日"[when.weekday()]) if language == "zh" else DAYS[when.weekday()]


def marks(when: datetime) -> set[str]:
    """What the time of a status makes fitting to say: parts of the day, of the week, and seasons."""
    parts = {"morning": MORNING, "noon": NOON, "evening": EVENING, "night": NIGHT}
    found = {name for name, hours in parts.items() if when.hour in hours}
    return found | {"weekend" if when.weekday() > 4 else "weekday", (*SEASONS, "winter")[when.month - 1]}


def _moment(rng: Random, person: Person, start: int, now: int) -> int:
    at = start
    for _ in range(TRIES):
        at = rng.randrange(start, now)
        when = local(person, at)
        likely = HOURS[(when.hour - person.late) % 24] / max(HOURS)
        likely *= (WEEKEND if when.weekday() > 4 else 1) / WEEKEND
        likely *= (1 + (GROWTH - 1) * (at - start) / (now - start)) / GROWTH
        if rng.random() < likely:
            break
    return at


def _freshened(rng: Random, who: Sequence[Person], found: list[tuple[int, int]], now: int) -> list[tuple[int, int]]:
    """The same, with a few statuses of members who are awake moved to the last minutes."""
    hours = [(local(person, now).hour - person.late) % 24 for person in who]
    awake = [i for i, (_, author) in enumerate(found) if 6 < hours[author] < 23]
    fresh = rng.sample(awake, min(len(JUST_NOW), len(awake) // 10))
    for i, seconds in zip(fresh, JUST_NOW, strict=False):
        at, author = found[i]
        # Never before the author came.
        found[i] = max(at, now - int(seconds * 1000 * rng.uniform(0.8, 1.2))), author
    return found
