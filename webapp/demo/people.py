"""The people of a community: birds, each with interests, a place and a way of writing."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .names import draw_names
from .phrases import expand, phrase_book

BIO_MAX = 160
DAY_MS = 86_400_000
JOINED_BEFORE_DAYS = 240  # most members joined within these days before the first status
# Sections of the phrase books that are no topics. A member has three to six topics.
NON_TOPIC_SECTIONS = (
    "everyday",
    "日常",
    "places",
    "tails good",
    "tails bad",
    "tails ask",
    "tails plain",
)
TOPIC_TRANSLATIONS = dict(
    zip(
        "bread garden trains photo python running tea football nights exams cooking hiking music "
        "books cats weather cycling work".split(),
        "面包 种菜 火车 摄影 编程 跑步 茶 足球 夜班 考试 做饭 爬山 "
        "音乐 读书 猫 天气 骑车 工作".split(),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Voice:
    """A person's writing style. The numbers are probabilities."""

    emoji: float
    tags: float
    afterthought: float
    lowercase: bool  # without capitals
    no_full_stop: bool  # without a full stop at the end
    separate_lines: bool  # with tags and afterthoughts on lines of their own


def draw_voice(rng: Random) -> Voice:
    return Voice(
        emoji=rng.choice((0, 0, 0.03, 0.08, 0.15, 0.4)),
        tags=rng.choice((0, 0.03, 0.1, 0.2, 0.3, 0.55)),
        afterthought=rng.choice((0, 0.05, 0.1, 0.15, 0.25)),
        lowercase=rng.random() < 0.09,
        no_full_stop=rng.random() < 0.4,
        separate_lines=rng.random() < 0.3,
    )


@dataclass(frozen=True, slots=True)
class Person:
    """A future member. `topics` have the names of the English phrase book."""

    login: str
    name: str
    languages: tuple[str, ...]
    topics: tuple[str, ...]
    place: str
    utc_offset: float  # hours east of UTC
    day_shift: int  # hours by which the day is shifted
    bio: str
    website: str
    joined: int  # unix ms
    popularity: float  # weight when others choose whom to follow
    activity: float  # weight of how much is written
    avatar: bool
    header: bool
    voice: Voice


def generate_people(rng: Random, count: int, start: int, now: int) -> list[Person]:
    """Generate people in the order in which they join.

    60 in 100 write English, 33 Chinese, the others both.
    """
    popularity = [1 / (rank + 4) ** 0.95 for rank in range(count)]
    activity = [1 / (rank + 6) ** 0.7 for rank in range(count)]
    rng.shuffle(popularity)
    rng.shuffle(activity)
    languages = _languages(count)
    rng.shuffle(languages)
    names = draw_names(rng, languages)
    persons = [
        _person(
            rng,
            *names[i],
            languages[i],
            popularity[i],
            activity[i],
            _random_join_time(rng, start, now),
        )
        for i in range(count)
    ]
    return sorted(persons, key=lambda person: person.joined)


def _languages(count: int) -> list[tuple[str, ...]]:
    bilingual, zh = round(count * 20 / 300), round(count * 100 / 300)
    shares: list[tuple[tuple[str, ...], int]] = [
        (("en", "zh"), bilingual),
        (("zh",), zh),
        (("en",), count - bilingual - zh),
    ]
    return [member_languages for member_languages, share in shares for _ in range(share)]


def _random_join_time(rng: Random, start: int, now: int) -> int:
    if rng.random() < 0.75:
        return start - rng.randrange(JOINED_BEFORE_DAYS * DAY_MS)
    return rng.randrange(start, now - (now - start) // 30)


def _person(
    rng: Random,
    login: str,
    name: str,
    languages: tuple[str, ...],
    popularity: float,
    activity: float,
    joined: int,
) -> Person:
    topics = _topics(rng, languages)
    place, _, offset = rng.choice(phrase_book(languages[-1])["places"].sentences).text.rpartition(
        " "
    )
    return Person(
        login,
        name,
        languages,
        topics,
        place if rng.random() < 0.75 else "",
        float(offset),
        8 if "nights" in topics else rng.choice((-2, -1, 0, 0, 0, 1, 2)),
        _bio(rng, languages[-1], topics) if rng.random() < 0.88 else "",
        f"https://example.org/{login}" if rng.random() < 0.16 else "",
        joined,
        popularity,
        activity,
        rng.random() < 0.6 or popularity > 0.03,
        rng.random() < 0.25 or popularity > 0.06,
        draw_voice(rng),
    )


def _topics(rng: Random, languages: tuple[str, ...]) -> tuple[str, ...]:
    names = (
        list(TOPIC_TRANSLATIONS)
        if "zh" in languages
        else [name for name in phrase_book("en") if name not in NON_TOPIC_SECTIONS]
    )
    # By popularity, which falls along a list that is the same for all.
    ranked = sorted(names, key=lambda name: Random(name).random())
    drawn = sorted(ranked, key=lambda name: -(rng.random() ** (1 / (1 / (ranked.index(name) + 9)))))
    return tuple(drawn[: rng.choice((3, 4, 4, 5, 6))])


def _bio(rng: Random, language: str, topics: Sequence[str]) -> str:
    names = [TOPIC_TRANSLATIONS.get(name, name) if language == "zh" else name for name in topics]
    names.append("日常" if language == "zh" else "everyday")
    chosen = rng.sample(names, rng.choice((1, 2, 2, 3)))
    parts = [expand(rng.choice(phrase_book(language)[name].bio), rng, {}) for name in chosen]
    if language == "zh":
        return rng.choice((" / ", "\u3002", "\uff0c", " · ", "\n")).join(parts)[:BIO_MAX]
    bio = rng.choice((". ", " · ", ". ", " / ", "\n")).join(parts)
    return (bio + rng.choice((".", "", f" {rng.choice(phrase_book(language)[chosen[0]].emoji)}")))[
        :BIO_MAX
    ]
