"""Word filters, and the matching of statuses against them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar

from webapp.core.store.servers.greenlets import pause
from webapp.core.text.folding import fold
from webapp.statuses.items import Item, status_of
from webapp.statuses.status import Status

T = TypeVar("T", bound=Item)

CONTEXTS = ("home", "public", "profile", "thread", "notifications")
ANY = "any"  # of them
POST = "post:"
POST_PATTERN = re.compile(POST + r"[1-9][0-9]*\Z")  # a phrase that matches the status of an id
CACHE_MAX = 1_000  # parsed filters that a process keeps
WORD_CHARACTER = re.compile(r"[^\W_]")


# Scripts without spaces between words: whole words cannot be told from parts there.
UNSPACED_SCRIPT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter.

    `words`: one word or phrase a line, as the member wrote them. `contexts`: some of CONTEXTS.
    `expires_at`: unix seconds, 0 for good. `hide`: leave statuses out instead of folding them up.
    `number`: 0 for a new one. `title`: as an app has named it, "" if none has; such a filter may
    have no words. `differing`: phrases for which an app has chosen the opposite of `whole_word`.
    `renamed`: phrases that an app has changed, each with the number by which apps know it.
    """

    words: str
    whole_word: bool = True
    contexts: tuple[str, ...] = CONTEXTS
    expires_at: int = 0
    hide: bool = False
    number: int = 0
    title: str = ""
    differing: frozenset[str] = frozenset()
    renamed: tuple[tuple[str, int], ...] = ()

    @property
    def is_active(self) -> bool:
        """Return True unless it has expired."""
        return not self.expires_at or self.expires_at > time.time()

    @property
    def expiry(self) -> datetime | None:
        """Return when it expires, in UTC; None if it never does."""
        return datetime.fromtimestamp(self.expires_at, UTC) if self.expires_at else None

    @property
    def phrases(self) -> list[str]:
        """Return the words and phrases, any of which matches."""
        return self.words.split("\n") if self.words else []

    def is_whole(self, phrase: str) -> bool:
        """Return True if one of its phrases must not be a part of a longer word."""
        return self.whole_word != (phrase in self.differing)

    def with_phrases(self, phrases: Mapping[str, bool]) -> Filter:
        """Return a copy with these phrases, each with whether it must be whole words."""
        whole = next(iter(phrases.values()), self.whole_word)
        differing = frozenset(one for one, is_whole in phrases.items() if is_whole != whole)
        renamed = tuple(one for one in self.renamed if one[0] in phrases)
        words = "\n".join(phrases)
        return replace(self, words=words, whole_word=whole, differing=differing, renamed=renamed)

    def changed_from(self, earlier: Filter) -> Filter:
        """Return a copy with what only apps choose: the title, each phrase's match and number.

        Where the choice for all phrases is another one, they all follow it.
        """
        is_kept = self.whole_word == earlier.whole_word
        kept = earlier.phrases if is_kept else []
        phrases = {
            one: earlier.is_whole(one) if one in kept else self.whole_word for one in self.phrases
        }
        named = replace(self, title=earlier.title, renamed=earlier.renamed)
        return named.with_phrases(phrases)

    @property
    def name(self) -> str:
        """Return its title, or its first phrase."""
        return self.title or next(iter(self.phrases), "")

    def matching_phrase(self, status_id: int, normalized: str) -> str:
        """Return the first phrase that a status's text, normalized already, has; "" if none is.

        A phrase may also match the id.
        """
        own = f"{POST}{status_id}"
        for phrase, words in _normalized_phrases(self.words).items():
            if phrase == own if is_of_post(phrase) else self._matches(phrase, words, normalized):
                return phrase
        return ""

    def mutes_tag(self, name: str) -> bool:
        """Return True if it hides a hashtag, by its folded name, and nothing else."""
        return self.hide and self.is_active and _normalize(self.words) == f"#{name}"

    def _matches(self, phrase: str, words: str, normalized: str) -> bool:
        if not words or words not in normalized:
            return False
        return not self.is_whole(phrase) or bool(_whole_word_pattern(words).search(normalized))


def is_of_post(phrase: str) -> bool:
    """Return True if a phrase matches a single status, by its id."""
    return bool(POST_PATTERN.match(phrase))


class FilterSet:
    """A viewer's active filters of one context.

    `context`: one of CONTEXTS, or `tag/<name>`: the page of a hashtag, which shows a muted one too.
    ANY for all contexts, when nothing is left out.
    """

    __slots__ = ("_filters", "_leaves_out", "_shows", "_viewer")

    def __init__(self, filters: Iterable[Filter], context: str, viewer: int) -> None:
        kind, _, tag = context.partition("/")
        place = "public" if kind == "tag" else kind
        self._filters = [
            one
            for one in filters
            if (place == ANY or place in one.contexts)
            and one.is_active
            and not (tag and one.mutes_tag(tag))
        ]
        self._viewer, self._leaves_out = viewer, place != ANY
        self._shows: Callable[[Item], bool] | None = None

    def showing(self, shows: Callable[[Item], bool]) -> FilterSet:
        """Return these filters for a page that only has the items that `shows` accepts."""
        narrower = copy(self)
        narrower._shows = shows
        return narrower

    def __bool__(self) -> bool:
        return bool(self._filters)

    @property
    def can_hide(self) -> bool:
        """Return True if any items may be left out."""
        return self._shows is not None or any(one.hide for one in self._filters)

    def hides(self, status: Status) -> bool:
        """Return True if a status is left out."""
        return self._leaves_out and any(one.hide for one, _ in self.matching(status))

    def of_page(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items that the page has, those that filters leave out among them."""
        return list(filter(self._shows, items)) if self._shows else items

    def remaining(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items of the page whose statuses are not left out."""
        items = self.of_page(items)
        if not self._filters:
            return items
        return [item for item in items if not self.hides(status_of(item))]

    def warning_for(self, status: Status) -> str:
        """Return the phrase for which a status is folded up, "" for none.

        The name of the filter, where that has the status itself.
        """
        found = self.matching(status)
        return next((one.name if is_of_post(text) else text for one, text in found), "")

    def matching(self, status: Status) -> Sequence[tuple[Filter, str]]:
        """Return the filters that match a status, each with the phrase that does.

        One's own statuses are never filtered.
        """
        if not self._filters or status.author.uid == self._viewer:
            return ()
        pause()
        options = status.poll.options if status.poll else ()
        normalized = _normalize(
            "\n".join(
                (status.cw, status.text, *options, *(picture.alt for picture in status.pictures))
            )
        )
        matches = ((one, one.matching_phrase(status.id, normalized)) for one in self._filters)
        return [(one, phrase) for one, phrase in matches if phrase]


NO_FILTERS = FilterSet((), "", 0)


@lru_cache(CACHE_MAX)
def _normalize(text: str) -> str:
    """Return a text as it is compared: folded, without kinds of space."""
    return " ".join(fold(text).split())


@lru_cache(CACHE_MAX)
def _normalized_phrases(words: str) -> dict[str, str]:
    """Return a filter's phrases, each with how it is compared.

    Kept by filter: the most phrases of one member are as many as a cache of phrases would keep.
    """
    return {phrase: _normalize(phrase) for phrase in words.split("\n")}


@lru_cache(CACHE_MAX)
def _whole_word_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern that finds words where no letter or digit adjoins them.

    A hashtag is found as a whole: it ends where its letters, digits and low lines do.
    """
    if words.startswith("#") and " " not in words:
        return re.compile(rf"{re.escape(words)}(?!\w)")
    before, after = (
        "(?<!" if _needs_boundary(words[0]) else "",
        "(?!" if _needs_boundary(words[-1]) else "",
    )
    letter = r"[^\W_])"
    return re.compile(f"{before and before + letter}{re.escape(words)}{after and after + letter}")


def _needs_boundary(letter: str) -> bool:
    return WORD_CHARACTER.match(letter) is not None and UNSPACED_SCRIPT.match(letter) is None
