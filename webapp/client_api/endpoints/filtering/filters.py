"""The caller's word filters, as newer and as older clients have them."""

from dataclasses import replace

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
    phrase_id,
)
from webapp.client_api.entities.filter import keyword as keyword_of
from webapp.client_api.http import Id, invalid
from webapp.client_api.presentation import load
from webapp.core.errors import NotFound
from webapp.core.web import db, site
from webapp.statuses import Filter
from webapp.statuses.filters import store
from webapp.statuses.filters.filter_set import POST, is_of_post

from .filter_changes import FilterParameters, PlaceParameters, phrases_of, with_phrase, with_phrases

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
    return filter_v2(_saved(params.changed(_filter(number))))


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
    found = _filter(number)
    if not keyword.strip():
        raise invalid("Keyword can't be blank")
    saved = _saved(with_phrase(found, len(found.phrases), keyword, whole_word))
    return keyword_of(saved, saved.phrases[-1])


@bp.declare("GET /api/v2/filters/keywords/<id:number>", "read:filters")
def phrase(number: int) -> Keyword:
    """Return a phrase of a filter."""
    found, at = _phrase(number)
    return keyword_of(found, found.phrases[at])


@bp.declare("PUT /api/v2/filters/keywords/<id:number>", "write:filters", limit="edit")
def change_phrase(number: int, keyword: str = "", whole_word: bool | None = None) -> Keyword:
    """Change a phrase of a filter."""
    found, at = _phrase(number)
    saved = _saved(with_phrase(found, at, keyword, whole_word))
    return keyword_of(saved, saved.phrases[: at + 1][-1])


@bp.declare("GET /api/v2/filters/<id:number>/statuses", "read:filters")
def filtered_statuses(number: int) -> list[FilteredStatus]:
    """Return the single statuses of a filter."""
    return filter_v2(_filter(number)).statuses


@bp.declare("POST /api/v2/filters/<id:number>/statuses", "write:filters", limit="edit")
def add_status(number: int, status_id: Id = 0) -> FilteredStatus:
    """Add a status to a filter."""
    found, phrase = _filter(number), f"{POST}{load(status_id)[0].id}"
    saved = _saved(with_phrase(found, len(found.phrases), phrase, True))
    return filtered_status(saved, phrase)


@bp.declare("GET /api/v2/filters/statuses/<id:number>", "read:filters")
def status(number: int) -> FilteredStatus:
    """Return a status of a filter."""
    found, at = _phrase(number, of_status=True)
    return filtered_status(found, found.phrases[at])


@bp.declare("DELETE /api/v2/filters/statuses/<id:number>", "write:filters")
def remove_status(number: int) -> None:
    """Take a status out of its filter."""
    _remove(*_phrase(number, of_status=True))


@bp.declare("DELETE /api/v2/filters/keywords/<id:number>", "write:filters")
def remove_phrase(number: int) -> None:
    """Remove a phrase from its filter, and a filter without a title with its last one."""
    _remove(*_phrase(number))


def _remove(found: Filter, at: int) -> None:
    rest = phrases_of(found)
    del rest[at]
    if rest or found.title:
        _saved(with_phrases(found, rest))
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
    found, at = _phrase(number)
    placed = params.placed(found, irreversible)
    saved = _saved(with_phrase(placed, at, phrase, whole_word))
    return filter_v1(saved, saved.phrases[: at + 1][-1])


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
    for at, phrase in enumerate(found.phrases):
        if phrase_id(found, phrase) == number and is_of_post(phrase) == of_status:
            return found, at
    raise NotFound("no_filter")


def _saved(changed: Filter) -> Filter:
    return replace(changed, number=store.save(site(), g.viewer.uid, changed))
