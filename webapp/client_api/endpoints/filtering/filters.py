"""The caller's word filters, as newer and as older clients have them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from flask import g
from msgspec import UNSET, UnsetType

from webapp.client_api.declaration import endpoint
from webapp.client_api.entities.filter import (
    FilterV1,
    FilterV2,
    Keyword,
    filter_v2,
    filters_v1,
    known_places,
    split_phrase_id,
)
from webapp.client_api.http.blueprint import api_blueprint
from webapp.client_api.http.parameters import Parameters, Seconds, invalid
from webapp.core.errors import NotFound
from webapp.core.web.context import db, site
from webapp.statuses.filters import store
from webapp.statuses.filters.filter_set import Filter

from .filter_changes import clean_title, phrases_after, phrases_of, with_phrase, with_phrases

bp = api_blueprint("filters")


class FilterParameters(Parameters):
    """A filter. `expires_in`: seconds; sent empty: for good."""

    title: str | None = None
    context: tuple[str, ...] = ()
    filter_action: str = ""
    expires_in: Seconds | UnsetType | None = UNSET
    keywords_attributes: Any = None


class PhraseParameters(Parameters):
    """A phrase, or an older client's filter."""

    keyword: str = ""
    phrase: str = ""
    whole_word: bool | None = None
    context: tuple[str, ...] = ()
    irreversible: bool | None = None
    expires_in: Seconds | UnsetType | None = UNSET


@endpoint(bp, "GET /api/v2/filters", "read:filters")
def index() -> list[FilterV2]:
    """Return the caller's filters."""
    return [filter_v2(one) for one in db().read(store.filters_of(g.viewer.uid))]


@endpoint(bp, "POST /api/v2/filters", "write:filters", limit="edit")
def create(params: FilterParameters) -> FilterV2:
    """Save a filter."""
    return filter_v2(_saved(_changed(Filter(""), params)))


@endpoint(bp, "GET /api/v2/filters/<id:number>", "read:filters")
def show(number: int) -> FilterV2:
    """Return a filter."""
    return filter_v2(_filter(number))


@endpoint(bp, "PUT /api/v2/filters/<id:number>", "write:filters", limit="edit")
def change(params: FilterParameters, number: int) -> FilterV2:
    """Change a filter."""
    return filter_v2(_saved(_changed(_filter(number), params)))


@endpoint(bp, "DELETE /api/v2/filters/<id:number>", "write:filters")
def delete(number: int) -> None:
    """Delete a filter."""
    store.delete(db(), g.viewer.uid, _filter(number).number)


@endpoint(bp, "GET /api/v2/filters/<id:number>/keywords", "read:filters")
def phrases(number: int) -> list[Keyword]:
    """Return the phrases of a filter."""
    return filter_v2(_filter(number)).keywords


@endpoint(bp, "POST /api/v2/filters/<id:number>/keywords", "write:filters", limit="edit")
def add_phrase(params: PhraseParameters, number: int) -> Keyword:
    """Add a phrase to a filter."""
    found = _filter(number)
    if not params.keyword.strip():
        raise invalid("Keyword can't be blank")
    end = len(found.phrases)
    saved = _saved(with_phrase(found, end, params.keyword, params.whole_word))
    return filter_v2(saved).keywords[-1]


@endpoint(bp, "GET /api/v2/filters/keywords/<id:number>", "read:filters")
def phrase(number: int) -> Keyword:
    """Return a phrase of a filter."""
    found, at = _phrase(number)
    return filter_v2(found).keywords[at]


@endpoint(bp, "PUT /api/v2/filters/keywords/<id:number>", "write:filters", limit="edit")
def change_phrase(params: PhraseParameters, number: int) -> Keyword:
    """Change a phrase of a filter."""
    found, at = _phrase(number)
    saved = _saved(with_phrase(found, at, params.keyword, params.whole_word))
    return filter_v2(saved).keywords[: at + 1][-1]


@endpoint(bp, "GET /api/v2/filters/<id:number>/statuses", "read:filters")
def filtered_statuses(number: int) -> list[Any]:
    """Return nothing: filters have phrases alone."""
    _filter(number)
    return []


@endpoint(bp, "DELETE /api/v2/filters/keywords/<id:number>", "write:filters")
def remove_phrase(number: int) -> None:
    """Remove a phrase from its filter, and a filter without a title with its last one."""
    found, at = _phrase(number)
    rest = phrases_of(found)
    del rest[at]
    if rest or found.title:
        _saved(with_phrases(found, rest))
    else:
        store.delete(db(), g.viewer.uid, found.number)


@endpoint(bp, "GET /api/v1/filters", "read:filters")
def index_v1() -> list[FilterV1]:
    """Return the phrases of the caller's filters."""
    filters = db().read(store.filters_of(g.viewer.uid))
    return [phrase for one in filters for phrase in filters_v1(one)]


@endpoint(bp, "POST /api/v1/filters", "write:filters", limit="edit")
def create_v1(params: PhraseParameters) -> FilterV1:
    """Save a filter of one phrase."""
    return filters_v1(_saved(_changed_v1(Filter(""), params)))[0]


@endpoint(bp, "GET /api/v1/filters/<id:number>", "read:filters")
def show_v1(number: int) -> FilterV1:
    """Return a phrase of a filter."""
    found, at = _phrase(number)
    return filters_v1(found)[at]


@endpoint(bp, "PUT /api/v1/filters/<id:number>", "write:filters", limit="edit")
def change_v1(params: PhraseParameters, number: int) -> FilterV1:
    """Change a phrase, and with it what its filter does."""
    found, at = _phrase(number)
    return filters_v1(_saved(_changed_v1(found, params, at)))[: at + 1][-1]


@endpoint(bp, "DELETE /api/v1/filters/<id:number>", "write:filters")
def delete_v1(number: int) -> None:
    """Remove a phrase from its filter, and the filter with its last one."""
    found, _ = _phrase(number)
    remove_phrase(number)
    if len(found.phrases) == 1:
        store.delete(db(), g.viewer.uid, found.number)


def _filter(number: int) -> Filter:
    return store.find(db().read(store.filters_of(g.viewer.uid)), number)


def _phrase(number: int) -> tuple[Filter, int]:
    filter_number, at = split_phrase_id(number)
    found = _filter(filter_number)
    if at >= len(found.phrases):
        raise NotFound("no_filter")
    return found, at


def _saved(changed: Filter) -> Filter:
    if not changed.contexts:
        raise invalid("Context can't be blank")
    return replace(changed, number=store.save(site(), g.viewer.uid, changed))


def _changed(found: Filter, params: FilterParameters) -> Filter:
    """Return a filter with what a client sent. One with a title needs no phrase."""
    changed = replace(
        found,
        contexts=known_places(params.context) or (found.contexts if found.number else ()),
        hide=params.filter_action == "hide" if params.filter_action else found.hide,
        expires_at=_expiry(params.expires_in, found),
    )
    rows = params.keywords_attributes
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    title = clean_title(params.title) if params.title else found.title
    return with_phrases(replace(changed, title=title), phrases_after(found, known))


def _changed_v1(found: Filter, params: PhraseParameters, at: int = 0) -> Filter:
    changed = replace(
        found,
        contexts=known_places(params.context) or (found.contexts if found.number else ()),
        hide=found.hide if params.irreversible is None else params.irreversible,
        expires_at=_expiry(params.expires_in, found),
    )
    return with_phrase(changed, at, params.phrase, params.whole_word)


def _expiry(seconds: int | UnsetType | None, found: Filter) -> int:
    if seconds is UNSET:
        return found.expires_at
    return int(time.time()) + seconds if seconds else 0
