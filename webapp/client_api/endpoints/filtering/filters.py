"""The caller's word filters, as newer and as older clients have them."""

from dataclasses import replace
from functools import partial

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.filter import (
    FilteredStatus,
    FilterV1,
    FilterV2,
    Keyword,
    filter_of_phrase,
    filter_v1,
    filter_v2,
    filtered_status,
    keyword as keyword_of,
    phrase_id,
)
from webapp.client_api.http import Id
from webapp.client_api.presentation import load
from webapp.core.errors import NotFound
from webapp.core.web import db, site
from webapp.statuses import Filter
from webapp.statuses.filters import store
from webapp.statuses.filters.filter_set import POST, is_of_post
from webapp.statuses.filters.store import Edit

from .filter_changes import (
    FilterParameters,
    PlaceParameters,
    phrase_text,
    phrases_of,
    with_phrase,
    with_phrases,
)

bp = ApiBlueprint("filters")


@bp.declare("GET /api/v2/filters", "read:filters")
def index() -> list[FilterV2]:
    """Return the caller's filters."""
    return [filter_v2(one) for one in db().read(store.filters_of(g.viewer.uid))]


@bp.declare("POST /api/v2/filters", "write:filters", limit="edit")
def create(params: FilterParameters) -> FilterV2:
    """Save a filter."""
    return filter_v2(_saved(params.changed(Filter(""))))


@bp.declare("GET /api/v2/filters/<id:number>", "read:filters")
def show(number: int) -> FilterV2:
    """Return a filter."""
    return filter_v2(_filter(number))


@bp.declare("PUT /api/v2/filters/<id:number>", "write:filters", limit="edit")
def change(params: FilterParameters, number: int) -> FilterV2:
    """Change a filter."""
    return filter_v2(_changed(number, params.changed))


@bp.declare("DELETE /api/v2/filters/<id:number>", "write:filters")
def delete(number: int) -> None:
    """Delete a filter."""
    store.delete(db(), g.viewer.uid, _filter(number).number)


@bp.declare("GET /api/v2/filters/<id:number>/keywords", "read:filters")
def phrases(number: int) -> list[Keyword]:
    """Return the phrases of a filter."""
    return filter_v2(_filter(number)).keywords


@bp.declare("POST /api/v2/filters/<id:number>/keywords", "write:filters", limit="edit")
def add_phrase(number: int, keyword: str = "", whole_word: bool | None = None) -> Keyword:
    """Add a phrase to a filter."""
    return keyword_of(*_with_new(number, keyword, whole_word))


@bp.declare("GET /api/v2/filters/keywords/<id:number>", "read:filters")
def phrase(number: int) -> Keyword:
    """Return a phrase of a filter."""
    found, at = _phrase(number)
    return keyword_of(found, found.phrases[at])


@bp.declare("PUT /api/v2/filters/keywords/<id:number>", "write:filters", limit="edit")
def change_phrase(number: int, keyword: str = "", whole_word: bool | None = None) -> Keyword:
    """Change a phrase of a filter."""
    return keyword_of(*_with_changed(number, keyword, whole_word))


@bp.declare("GET /api/v2/filters/<id:number>/statuses", "read:filters")
def filtered_statuses(number: int) -> list[FilteredStatus]:
    """Return the single statuses of a filter."""
    return filter_v2(_filter(number)).statuses


@bp.declare("POST /api/v2/filters/<id:number>/statuses", "write:filters", limit="edit")
def add_status(number: int, status_id: Id = 0) -> FilteredStatus:
    """Add a status to a filter."""
    return filtered_status(*_with_new(number, f"{POST}{load(status_id)[0].id}", True))


@bp.declare("GET /api/v2/filters/statuses/<id:number>", "read:filters")
def status(number: int) -> FilteredStatus:
    """Return a status of a filter."""
    found, at = _phrase(number, of_status=True)
    return filtered_status(found, found.phrases[at])


@bp.declare("DELETE /api/v2/filters/statuses/<id:number>", "write:filters")
def remove_status(number: int) -> None:
    """Take a status out of its filter."""
    _remove(number, of_status=True)


@bp.declare("DELETE /api/v2/filters/keywords/<id:number>", "write:filters")
def remove_phrase(number: int) -> None:
    """Remove a phrase from its filter, and a filter without a title with its last one."""
    _remove(number)


def _remove(number: int, of_status: bool = False) -> None:
    def without(found: Filter) -> Filter:
        rest = phrases_of(found)
        del rest[_place(found, number, of_status)]
        return with_phrases(found, rest)

    found, _ = _phrase(number, of_status)
    if len(found.phrases) > 1 or found.title:
        _changed(found.number, without)
    else:
        store.delete(db(), g.viewer.uid, found.number)


@bp.declare("GET /api/v1/filters", "read:filters")
def index_v1() -> list[FilterV1]:
    """Return the phrases of the caller's filters."""
    filters = db().read(store.filters_of(g.viewer.uid))
    pairs = ((one, phrase) for one in filters for phrase in one.phrases)
    return [filter_v1(one, phrase) for one, phrase in pairs if not is_of_post(phrase)]


@bp.declare("POST /api/v1/filters", "write:filters", limit="edit")
def create_v1(
    params: PlaceParameters,
    phrase: str = "",
    whole_word: bool | None = None,
    irreversible: bool | None = None,
) -> FilterV1:
    """Save a filter of one phrase."""
    placed = params.placed(Filter(""), irreversible)
    saved = _saved(with_phrase(placed, 0, phrase, whole_word))
    return filter_v1(saved, saved.phrases[0])


@bp.declare("GET /api/v1/filters/<id:number>", "read:filters")
def show_v1(number: int) -> FilterV1:
    """Return a phrase of a filter."""
    found, at = _phrase(number)
    return filter_v1(found, found.phrases[at])


@bp.declare("PUT /api/v1/filters/<id:number>", "write:filters", limit="edit")
def change_v1(
    params: PlaceParameters,
    number: int,
    phrase: str = "",
    whole_word: bool | None = None,
    irreversible: bool | None = None,
) -> FilterV1:
    """Change a phrase, and with it what its filter does."""
    placed = partial(params.placed, hide=irreversible)
    return filter_v1(*_with_changed(number, phrase, whole_word, placed))


@bp.declare("DELETE /api/v1/filters/<id:number>", "write:filters")
def delete_v1(number: int) -> None:
    """Remove a phrase from its filter, and the filter with its last one."""
    found, _ = _phrase(number)
    remove_phrase(number)
    if len(found.phrases) == 1:
        store.delete(db(), g.viewer.uid, found.number)


def _filter(number: int) -> Filter:
    return store.find(db().read(store.filters_of(g.viewer.uid)), number)


def _phrase(number: int, of_status: bool = False) -> tuple[Filter, int]:
    """Return a filter and the place of the phrase with this number. Raises NotFound."""
    found = _filter(filter_of_phrase(number))
    return found, _place(found, number, of_status)


def _place(found: Filter, number: int, of_status: bool = False) -> int:
    """Return the place of the phrase with this number. Raises NotFound."""
    for at, phrase in enumerate(found.phrases):
        if phrase_id(found, phrase) == number and is_of_post(phrase) == of_status:
            return at
    raise NotFound("no_filter")


def _with_new(number: int, text: str, whole: bool | None) -> tuple[Filter, str]:
    """Add a phrase to a filter. Return both."""
    changed = _changed(number, lambda found: with_phrase(found, len(found.phrases), text, whole))
    return changed, phrase_text(text)


def _with_changed(
    number: int, text: str, whole: bool | None, placed: Edit | None = None
) -> tuple[Filter, str]:
    """Change a phrase by its number. Return its filter and it. `text`: "" keeps it."""
    phrase = text

    def with_text(found: Filter) -> Filter:
        nonlocal phrase
        at = _place(found, number)
        phrase = phrase_text(text or found.phrases[at])
        return with_phrase(placed(found) if placed else found, at, phrase, whole)

    return _changed(filter_of_phrase(number), with_text), phrase


def _changed(number: int, edit: Edit) -> Filter:
    return store.change(site(), g.viewer.uid, number, edit)


def _saved(new: Filter) -> Filter:
    return replace(new, number=store.save(site(), g.viewer.uid, new))
