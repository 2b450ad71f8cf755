"""Word filters: statuses with these words are hidden or folded up.

Filters are private. They lie in the member's partition and are applied when a page is made.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

import orjson

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script
from webapp.errors import NotFound
from webapp.statuses.status import Status

from . import keys

SAVE = script("statuses/filters/lua/save_filter.lua")
CONTEXTS = ("home", "public", "profile", "thread", "notifications")
WORDS_MAX = 100  # characters
CACHE_MAX = 1_000  # parsed filters that a process keeps
WORD_CHARACTER = re.compile(r"[^\W_]")
# Scripts without spaces between words: whole words cannot be told from parts there.
UNSPACED_SCRIPT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter.

    `words`: as the member wrote them. `contexts`: some of CONTEXTS. `expires_at`: unix seconds, 0
    for good. `hide`: leave statuses out instead of folding them up. `number`: 0 for a new one.
    """

    words: str
    whole_word: bool = True
    contexts: tuple[str, ...] = CONTEXTS
    expires_at: int = 0
    hide: bool = False
    number: int = 0

    @property
    def is_active(self) -> bool:
        """Return True unless it has expired."""
        return not self.expires_at or self.expires_at > time.time()

    @property
    def expiry(self) -> datetime | None:
        """Return when it expires, in UTC; None if it never does."""
        return datetime.fromtimestamp(self.expires_at, UTC) if self.expires_at else None

    def matches(self, normalized: str) -> bool:
        """Return True if a text, normalized already, contains the words."""
        words = _normalize(self.words)
        return words in normalized and (
            not self.whole_word or _whole_word_pattern(words).search(normalized) is not None
        )


class FilterSet:
    """A viewer's active filters of one context."""

    __slots__ = ("_filters", "_viewer")

    def __init__(self, filters: Iterable[Filter], context: str, viewer: int) -> None:
        self._filters = [one for one in filters if context in one.contexts and one.is_active]
        self._viewer = viewer

    def __bool__(self) -> bool:
        return bool(self._filters)

    def hides(self, status: Status) -> bool:
        """Return True if a status is left out."""
        return any(one.hide for one in self._matching(status))

    def warning_for(self, status: Status) -> str:
        """Return the words for which a status is folded up, "" for none."""
        return next((one.words for one in self._matching(status)), "")

    def _matching(self, status: Status) -> Sequence[Filter]:
        """Return the filters that match a status. One's own statuses are never filtered."""
        if not self._filters or status.author.uid == self._viewer:
            return ()
        options = status.poll.options if status.poll else ()
        normalized = _normalize(
            "\n".join(
                (status.cw, status.text, *options, *(picture.alt for picture in status.pictures))
            )
        )
        return [one for one in self._filters if one.matches(normalized)]


NO_FILTERS = FilterSet((), "", 0)


def save(db: Db, config: Config, uid: int, filter_: Filter) -> int:
    """Save a filter and return its number. One trip.

    Raises NotFound; Forbidden if the member is suspended; Conflict (filters_max reached).
    """
    fields = [filter_.words, filter_.whole_word, filter_.contexts, filter_.expires_at, filter_.hide]
    command = SAVE(
        filters=keys.filters(uid),
        user=account_keys.user(uid),
        uid=uid,
        number=filter_.number,
        filter=orjson.dumps(fields).decode(),
        limit=config.filters_max,
    )
    return int(db.run(command))


def delete(db: Db, uid: int, number: int) -> None:
    """Delete a filter, if there is one. One trip."""
    db.run(("HDEL", keys.filters(uid), number))


def filters_of(uid: int) -> Read[tuple[Filter, ...]]:
    """Read a member's filters, newest first."""
    return read(
        ("HGETALL", keys.filters(uid)), lambda reply: _parse_filters(tuple(reply)) if reply else ()
    )


def find(filters: Iterable[Filter], number: int) -> Filter:
    """Return the filter of this number. Raises NotFound."""
    for one in filters:
        if one.number == number:
            return one
    raise NotFound("no_filter")


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Delete the filters of deleted accounts."""
    context.db.trip(*(("UNLINK", keys.filters(int(event.data["uid"]))) for event in events))


@lru_cache(CACHE_MAX)
def _parse_filters(reply: tuple[str, ...]) -> tuple[Filter, ...]:
    parsed = []
    for number, stored in zip(reply[::2], reply[1::2], strict=True):
        words, whole_word, contexts, expires_at, hide = orjson.loads(stored)
        parsed.append(Filter(words, whole_word, tuple(contexts), expires_at, hide, int(number)))
    return tuple(sorted(parsed, key=lambda one: -one.number))


@lru_cache(CACHE_MAX)
def _normalize(text: str) -> str:
    """Return a text as it is compared: without case, width, or kinds of space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(CACHE_MAX)
def _whole_word_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern that finds words where no letter or digit adjoins them."""
    before, after = (
        "(?<!" if _needs_boundary(words[0]) else "",
        "(?!" if _needs_boundary(words[-1]) else "",
    )
    letter = r"[^\W_])"
    return re.compile(f"{before and before + letter}{re.escape(words)}{after and after + letter}")


def _needs_boundary(letter: str) -> bool:
    return WORD_CHARACTER.match(letter) is not None and UNSPACED_SCRIPT.match(letter) is None
