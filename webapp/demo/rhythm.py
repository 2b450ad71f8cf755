"""Draw posting times: mostly by day in members' time zones, more at weekends and over time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from .people import Person

# How much is written in each hour of a member's day.
HOUR_WEIGHTS = (3, 1.5, 1, 0.7, 0.7, 1.5, 4, 7, 8, 7, 6, 6, 8, 7, 6, 6, 6, 7, 8, 9, 10, 10, 8, 5)
WEEKEND_FACTOR = 1.2  # times as much as on other days
GROWTH_FACTOR = 1.7  # times as much on the last day as on the first
JUST_NOW = (35, 140, 260, 420, 640, 900, 1300)  # seconds ago: the newest of all
TRIES_MAX = 40
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MORNING, NOON, EVENING, NIGHT = range(5, 10), range(11, 14), range(17, 22), (22, 23, 0, 1, 2, 3, 4)
SEASONS = [*["winter"] * 2, *["spring"] * 3, *["summer"] * 3, *["autumn"] * 3, "winter"]


def posting_times(
    rng: Random, persons: Sequence[Person], count: int, start: int, now: int
) -> list[tuple[int, int]]:
    """Return (unix ms, author's place in `persons`) of each status, in order of time."""
    weights = [
        person.activity * (0.1 + (now - max(person.joined, start)) / (now - start))
        for person in persons
    ]
    authors = rng.choices(range(len(persons)), weights, k=count)
    placed = [
        (_random_time(rng, persons[author], max(start, persons[author].joined), now), author)
        for author in authors
    ]
    return sorted(_move_some_to_now(rng, persons, placed, now))


def local_time(person: Person, at_ms: int) -> datetime:
    """Return a time in unix ms on the member's own clock."""
    return datetime.fromtimestamp(at_ms / 1000, UTC) + timedelta(hours=person.utc_offset)


def weekday_name(moment: datetime, language: str) -> str:
    """Return the day of the week in a language."""
    return (
        ("周" + "一二三四五六日"[moment.weekday()]) if language == "zh" else DAYS[moment.weekday()]
    )


def time_marks(moment: datetime) -> set[str]:
    """Return the part of the day, of the week and the season: marks of the phrase books."""
    parts = {"morning": MORNING, "noon": NOON, "evening": EVENING, "night": NIGHT}
    names = {name for name, hours in parts.items() if moment.hour in hours}
    return names | {
        "weekend" if moment.weekday() > 4 else "weekday",
        SEASONS[moment.month - 1],
    }


def _random_time(rng: Random, person: Person, start: int, now: int) -> int:
    at_ms = start
    for _ in range(TRIES_MAX):
        at_ms = rng.randrange(start, now)
        moment = local_time(person, at_ms)
        probability = HOUR_WEIGHTS[(moment.hour - person.day_shift) % 24] / max(HOUR_WEIGHTS)
        probability *= (WEEKEND_FACTOR if moment.weekday() > 4 else 1) / WEEKEND_FACTOR
        probability *= (1 + (GROWTH_FACTOR - 1) * (at_ms - start) / (now - start)) / GROWTH_FACTOR
        if rng.random() < probability:
            break
    return at_ms


def _move_some_to_now(
    rng: Random, persons: Sequence[Person], placed: list[tuple[int, int]], now: int
) -> list[tuple[int, int]]:
    """Move a few statuses of members who are awake to the last minutes."""
    hours = [(local_time(person, now).hour - person.day_shift) % 24 for person in persons]
    awake = [i for i, (_, author) in enumerate(placed) if 6 < hours[author] < 23]
    chosen = rng.sample(awake, min(len(JUST_NOW), len(awake) // 10))
    for i, seconds in zip(chosen, JUST_NOW, strict=False):
        at_ms, author = placed[i]
        # Never before the author joined.
        placed[i] = max(at_ms, now - int(seconds * 1000 * rng.uniform(0.8, 1.2))), author
    return placed
