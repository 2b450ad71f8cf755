"""Search hashtags by their names: those that begin with the words, or contain them."""

import time
from dataclasses import dataclass

from webapp.autocomplete.tag_names import find_tags
from webapp.core.store import Db, Read, collect, read
from webapp.core.text.parser import fold_tag
from webapp.core.web import Page
from webapp.timelines import keys as timeline_keys
from webapp.timelines.trends.counting import measured
from webapp.timelines.trends.ranking import Trend

WORDS_MAX = 5
COUNTED_MAX = 100  # hashtags that are ranked by their posts
PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class TagResult:
    """A hashtag that matches: how many share it in the past day, and its newest posts' number."""

    trend: Trend
    posts: int


def tag_words(text: str) -> list[str]:
    """Return the words of a query, folded as the names of hashtags. Operators are left out."""
    parts = (part for part in text.replace('"', " ").split() if part != "OR" and ":" not in part)
    words = (fold_tag(part) for part in parts if not part.startswith("-"))
    return list(dict.fromkeys(filter(None, words)))[:WORDS_MAX]


def search_hashtags(db: Db, words: list[str], offset: int = 0) -> Page[TagResult]:
    """Return the hashtags whose names have these words, the whole name first. Three trips.

    Others follow by their posts, those of a page by the people who share them in the past day. The
    cursor of the next page counts the hashtags before it.
    """
    names = db.read(find_tags(words))[:COUNTED_MAX]
    counts = db.read(collect(_posts(name) for name in names))
    used = {name: count for name, count in zip(names, counts, strict=True) if count}
    whole = "".join(words)
    most_used = sorted(used, key=lambda name: (name != whole, -used[name], name))
    shown = most_used[offset : offset + PAGE_SIZE]
    now_ms = time.time_ns() // 1_000_000
    trends = db.read(collect(measured(f"#{name}", now_ms) for name in shown))
    trends.sort(key=lambda trend: (trend.name != whole, -trend.members))
    items = tuple(TagResult(trend, used[trend.name]) for trend in trends)
    end = offset + PAGE_SIZE
    return Page(items, end if len(most_used) > end else None)


def _posts(name: str) -> Read[int]:
    return read(("ZCARD", timeline_keys.hashtag_statuses(name)), int)
