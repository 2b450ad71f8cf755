"""Word filters: as apps have them, with a number for each phrase."""

from collections.abc import Sequence
from zlib import crc32

import msgspec

from webapp.client_api.http import format_time
from webapp.statuses import Filter, FilterSet, Status
from webapp.statuses.filters.filter_set import CONTEXTS, POST, is_of_post

PHRASES = 10**6  # numbers of the phrases of one filter: enough that no two have the same
NAMES = {"profile": "account"}  # of places that apps call otherwise
PLACES = {NAMES.get(place, place): place for place in CONTEXTS}


class Keyword(msgspec.Struct):
    """A word or phrase of a filter."""

    id: str
    keyword: str
    whole_word: bool


class FilteredStatus(msgspec.Struct):
    """A single status that a filter matches."""

    id: str
    status_id: str


class FilterV2(msgspec.Struct, kw_only=True):
    """A filter. `filter_action`: warn to fold statuses up, hide to leave them out."""

    id: str
    title: str
    context: list[str]
    expires_at: str | None
    filter_action: str
    keywords: list[Keyword]
    statuses: list[FilteredStatus]


class FilterV1(msgspec.Struct, kw_only=True):
    """A phrase of a filter, as older clients have it."""

    id: str
    phrase: str
    context: list[str]
    whole_word: bool
    expires_at: str | None
    irreversible: bool


class FilterResult(msgspec.Struct):
    """A filter that matches a status, and the phrase or the status of the filter that does."""

    filter: FilterV2
    keyword_matches: list[str]
    status_matches: list[str] | None


def filter_v2(found: Filter) -> FilterV2:
    """Return a filter."""
    return FilterV2(
        id=str(found.number),
        title=found.name,
        context=contexts_of(found),
        expires_at=format_time(found.expiry) if found.expiry else None,
        filter_action="hide" if found.hide else "warn",
        keywords=[keyword(found, phrase) for phrase in found.phrases if not is_of_post(phrase)],
        statuses=[filtered_status(found, one) for one in found.phrases if is_of_post(one)],
    )


def keyword(found: Filter, phrase: str) -> Keyword:
    """Return a phrase of a filter."""
    return Keyword(str(phrase_id(found, phrase)), phrase, found.is_whole(phrase))


def filtered_status(found: Filter, phrase: str) -> FilteredStatus:
    """Return the status that a phrase of a filter matches."""
    return FilteredStatus(str(phrase_id(found, phrase)), phrase.removeprefix(POST))


def filter_v1(found: Filter, phrase: str) -> FilterV1:
    """Return a phrase of a filter as a filter."""
    return FilterV1(
        id=str(phrase_id(found, phrase)),
        phrase=phrase,
        context=contexts_of(found),
        whole_word=found.is_whole(phrase),
        expires_at=format_time(found.expiry) if found.expiry else None,
        irreversible=found.hide,
    )


def filter_results(filters: FilterSet, status: Status) -> list[FilterResult]:
    """Return the filters for which a reader's app folds a status up."""
    return [
        FilterResult(filter_v2(one), [], [str(status.id)])
        if is_of_post(phrase)
        else FilterResult(filter_v2(one), [phrase], None)
        for one, phrase in filters.matching(status)
    ]


def contexts_of(found: Filter) -> list[str]:
    """Return where a filter applies, by the names of apps."""
    return [NAMES.get(place, place) for place in found.contexts]


def phrase_id(found: Filter, phrase: str) -> int:
    """Return the number of a phrase, which it keeps when it is changed or other phrases go."""
    return (
        dict(found.renamed).get(phrase) or found.number * PHRASES + crc32(phrase.encode()) % PHRASES
    )


def filter_of_phrase(number: int) -> int:
    """Return the number of the filter that the phrase with this number is in."""
    return number // PHRASES


def known_places(names: Sequence[str]) -> tuple[str, ...]:
    """Return the places that apps name, without unknown ones."""
    return tuple(PLACES[name] for name in names if name in PLACES)
