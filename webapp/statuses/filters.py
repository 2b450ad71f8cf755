"""Words that a member does not want to read: in what, until when, and whether a post that has them is hidden or only
folded up. It is nobody else's business: filters lie in the member's own partition and are asked when a page is made.
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

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..errors import NotFound
from ..events import Context, Event
from ..scripts import script
from .status import Status

SAVE = script("statuses/save_filter.lua")
PLACES = ("home", "public", "profile", "thread", "notifications")
WORDS_MAX = 100  # characters
READ_MAX = 1_000  # members' filters that a process keeps as they were read
WORDY = re.compile(r"[^\W_]")
# Scripts that put no blanks between words: there a whole word cannot be told from a part of one.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Filter:
    """`words`: as the member wrote them; `whole`: not as a part of other words; `where`: some of PLACES; `until`: unix
    seconds, 0 for good; `hide`: a post is left out, instead of folded up. `number`: among the member's own, 0 for none
    yet.
    """

    words: str
    whole: bool = True
    where: tuple[str, ...] = PLACES
    until: int = 0
    hide: bool = False
    number: int = 0

    @property
    def lasts(self) -> bool:
        """Whether it is not over."""
        return not self.until or self.until > time.time()

    @property
    def ends(self) -> datetime | None:
        """When it is over, in UTC; None where it holds for good."""
        return datetime.fromtimestamp(self.until, UTC) if self.until else None

    def finds(self, folded: str) -> bool:
        """Whether a text, folded already, has the words."""
        words = _fold(self.words)
        return words in folded and (not self.whole or _alone(words).search(folded) is not None)


class Sieve:
    """The filters that hold in one place by now."""

    __slots__ = ("_filters", "_viewer")

    def __init__(self, filters: Iterable[Filter], where: str, viewer: int) -> None:
        self._filters = [one for one in filters if where in one.where and one.lasts]
        self._viewer = viewer

    def __bool__(self) -> bool:
        return bool(self._filters)

    def hides(self, status: Status) -> bool:
        """Whether the status is left out."""
        return any(one.hide for one in self._found(status))

    def warns(self, status: Status) -> str:
        """The words for which it is folded up; none where it is shown as ever."""
        return next((one.words for one in self._found(status)), "")

    def _found(self, status: Status) -> Sequence[Filter]:
        """What one writes oneself is never filtered."""
        if not self._filters or status.author.uid == self._viewer:
            return ()
        options = status.poll.options if status.poll else ()
        folded = _fold("\n".join((status.cw, status.text, *options, *(picture.alt for picture in status.pictures))))
        return [one for one in self._filters if one.finds(folded)]


OPEN = Sieve((), "", 0)


def save(db: Db, config: Config, uid: int, filter_: Filter) -> int:
    """Keeps a filter, and returns its number. One trip. Raises NotFound, Forbidden for a suspended member, Conflict at
    FILTERS_MAX.
    """
    parts = [filter_.words, filter_.whole, filter_.where, filter_.until, filter_.hide]
    names = [keys.filters(uid), keys.user(uid)]
    return int(db.run(SAVE(names, uid, filter_.number, orjson.dumps(parts).decode(), config.filters_max)))


def drop(db: Db, uid: int, number: int) -> None:
    """Drops a filter; again is no change."""
    db.run(("HDEL", keys.filters(uid), number))


def filters_command(uid: int) -> Command:
    """The command whose reply `filters_from` reads."""
    return ("HGETALL", keys.filters(uid))


def filters_from(reply: Sequence[str]) -> tuple[Filter, ...]:
    """A member's filters, the newest first."""
    return _read(tuple(reply)) if reply else ()


def one_of(filters: Iterable[Filter], number: int) -> Filter:
    """The one of this number. Raises NotFound."""
    for one in filters:
        if one.number == number:
            return one
    raise NotFound("no_filter")


def forget(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts filter nothing any more."""
    context.db.trip(*(("UNLINK", keys.filters(int(event.data["uid"]))) for event in events))


@lru_cache(READ_MAX)
def _read(reply: tuple[str, ...]) -> tuple[Filter, ...]:
    found = []
    for number, stored in zip(reply[::2], reply[1::2], strict=True):
        words, whole, where, until, hide = orjson.loads(stored)
        found.append(Filter(words, whole, tuple(where), until, hide, int(number)))
    return tuple(sorted(found, key=lambda one: -one.number))


@lru_cache(READ_MAX)
def _fold(text: str) -> str:
    """A text as it is compared: the same for all cases and widths of its letters, whatever stands between words."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(READ_MAX)
def _alone(words: str) -> re.Pattern[str]:
    """What finds folded words that are no part of others, which only letters and digits are."""
    before, after = ("(?<!" if _joins(words[0]) else "", "(?!" if _joins(words[-1]) else "")
    letter = r"[^\W_])"
    return re.compile(f"{before and before + letter}{re.escape(words)}{after and after + letter}")


def _joins(letter: str) -> bool:
    return WORDY.match(letter) is not None and UNSPACED.match(letter) is None
