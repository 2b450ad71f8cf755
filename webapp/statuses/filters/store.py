"""Word filters: statuses with these words are hidden or folded up.

Filters are private. They lie in the member's partition and are applied when a page is made.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache

import orjson

from webapp.core.errors import Conflict, NotFound
from webapp.core.store import Db, Read, Site, read, script

from . import keys
from .filter_set import CACHE_MAX, Filter

SAVE = script("statuses/filters/lua/save_filter.lua")
DELETE = script("statuses/filters/lua/delete_filters.lua")
WORDS_MAX = 100  # characters of a word or phrase
PHRASES_MAX = 20  # words and phrases of one filter
CHANGE_TRIES = 20  # of one change, while others change the same filter
MUTED_IN = ("home", "public", "profile")  # contexts of the filter
Edit = Callable[[Filter], Filter]


def change(site: Site, uid: int, number: int, edit: Edit) -> Filter:
    """Save what `edit` makes of a filter, and return that. Two trips.

    Both come again if the filter changed in between, so that no change undoes another. Raises as
    `save` and `edit`; Conflict after CHANGE_TRIES.
    """
    for _ in range(CHANGE_TRIES):
        stored = NotFound.unless(site.db.run(("HGET", keys.filters(uid), number)), "no_filter")
        changed = edit(_parse_filters((str(number), stored))[0])
        try:
            save(site, uid, changed, stored)
        except Conflict as refusal:
            if refusal.code != "changed":
                raise
        else:
            return changed
    raise Conflict("changed")


def save(site: Site, uid: int, filter_: Filter, before: str = "") -> int:
    """Save a filter and return its number. One trip.

    `before`: what is stored of it, "" for whatever that is. Raises NotFound; Forbidden if the
    member is suspended; Conflict (filters_max reached, or another `before`).
    """
    return int(site.run(SAVE, uid=uid, number=filter_.number, filter=_pack(filter_), before=before))


def version_of(filter_: Filter) -> str:
    """Return a hash of a filter, which changes with any of its fields."""
    return hashlib.sha256(_pack(filter_).encode()).hexdigest()[:16]


def _pack(filter_: Filter) -> str:
    fields = [
        *(filter_.words, filter_.whole_word, filter_.contexts),
        *(filter_.expires_at, filter_.hide),
    ]
    if filter_.title or filter_.differing or filter_.renamed:  # else as before there were any
        fields += [filter_.title, sorted(filter_.differing)]
    if filter_.renamed:
        fields.append(filter_.renamed)
    return orjson.dumps(fields).decode()


def delete(db: Db, uid: int, *numbers: int) -> None:
    """Delete the filters with these numbers, if there are any. One trip."""
    if numbers:
        db.run(DELETE(uid=uid, numbers=numbers))


def filters_of(uid: int) -> Read[tuple[Filter, ...]]:
    """Read a member's filters, newest first."""
    return read(
        ("HGETALL", keys.filters(uid)), lambda reply: _parse_filters(tuple(reply)) if reply else ()
    )


def find(filters: Iterable[Filter], number: int) -> Filter:
    """Return the filter of this number. Raises NotFound."""
    found = (one for one in filters if one.number == number)
    return NotFound.unless(next(found, None), "no_filter")


@lru_cache(CACHE_MAX)
def _parse_filters(reply: tuple[str, ...]) -> tuple[Filter, ...]:
    parsed = []
    for number, stored in zip(reply[::2], reply[1::2], strict=True):
        words, whole_word, contexts, expires_at, hide, *further = orjson.loads(stored)
        fields = (words, whole_word, tuple(contexts), expires_at, hide, int(number))
        title, differing, renamed = further[:1], further[1:2], further[2:]
        pairs = (tuple(map(tuple, one)) for one in renamed)
        parsed.append(Filter(*fields, *title, *map(frozenset, differing), *pairs))
    return tuple(sorted(parsed, key=lambda one: -one.number))


def is_tag_muted(filters: Iterable[Filter], name: str) -> bool:
    """Return True if a member's filters mute a hashtag, by its folded name."""
    return any(one.mutes_tag(name) for one in filters)


def mute_tag(site: Site, uid: int, name: str, filters: Iterable[Filter]) -> None:
    """Mute a hashtag. Doing it again changes nothing. One trip. Raises as `save`."""
    if not is_tag_muted(filters, name):
        save(site, uid, Filter(f"#{name}", contexts=MUTED_IN, hide=True))


def unmute_tag(db: Db, uid: int, name: str, filters: Iterable[Filter]) -> None:
    """Delete the filters that mute a hashtag. One trip."""
    delete(db, uid, *(one.number for one in filters if one.mutes_tag(name)))
