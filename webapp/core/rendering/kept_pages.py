"""Pages of members, kept until something that they show changes.

A page is made of values: those that its view read, the member, the counts in its header, and a few
of the request. When all of them equal those of the last time, the page does too. Then it is sent
again, with what is new at each load, such as the key of a form.

The values decide, and they are read each time, so nothing needs to be invalidated. A page that
shows something else at another time names the moment (`changes_at`), or changes on the hour.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from flask import Flask, Response, current_app, g, render_template, request, session as form_session

from webapp.core.forms.csrf import CSRF_FIELD
from webapp.core.i18n import preferences
from webapp.core.store.caches import recording
from webapp.core.web import config, unwrap, viewer_context
from webapp.core.web.request_log import NO_ROUTE, route_name

from .bounded_cache import BoundedCache
from .compression import CompressedStart, accepted_encoding, compress_start
from .shells import Shell, cut, fill

Fresh = Mapping[str, str | Callable[[], str]]
NOTHING: Fresh = {}
KEPT_MAX_BYTES = 32 * 1024 * 1024  # bytes of pages in one process
ENTRY_OVERHEAD = 30_000  # bytes of the values of a page of statuses, if it shares none
REPLAYABLE = "linnet.replayable"  # in a WSGI environ: a Replayable that was sent


class PageKey(NamedTuple):
    """The session, address, encoding and preferences that a page was made for."""

    encoding: str
    session_name: str
    site: tuple[str, str, str]
    path: str
    preferences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page and the values it is made of.

    `end`: from the first placeholder on. `changes_at`: when it becomes another one, unix seconds.
    """

    values: tuple[Any, ...]
    start: CompressedStart
    end: Shell
    changes_at: float

    def with_fresh(self, fresh: Fresh) -> bytes:
        """Return the body of the page with what is new at this load."""
        texts = {name: text() if callable(text) else text for name, text in fresh.items()}
        return self.start.with_end(fill(self.end, texts))


class Replayable(NamedTuple):
    """A kept page that may be sent without its view, and what is new at each load."""

    page: KeptPage
    fresh: Fresh
    route: str


def init(app: Flask) -> None:
    """Give an app its kept pages, and templates `changes_at`."""
    app.jinja_env.globals["changes_at"] = changes_at
    app.extensions["linnet.kept_pages"] = BoundedCache[KeptPage](KEPT_MAX_BYTES, size_of)


def changes_at(moment: float) -> None:
    """Say that this page shows something that changes at a moment, in unix seconds.

    0: at any time, so that the page is not kept.
    """
    request_g = unwrap(g)
    request_g.changes_at = min(request_g.get("changes_at", inf), moment)


def render_kept(
    template: str, fresh: Fresh = NOTHING, replayable: bool = False, **context: Any
) -> Response:
    """Return the page of a template, as it was if its whole context is as it was.

    `context`: comparable values. `fresh`, `replayable`: as in `kept_page`.
    """
    return kept_page((context,), lambda: render_template(template, **context), fresh, replayable)


def kept_page(
    values: tuple[Any, ...],
    render: Callable[[], str | bytes],
    fresh: Fresh = NOTHING,
    replayable: bool = False,
) -> Response:
    """Return the page that `render` makes of `values`, as it was if all of them are as they were.

    `values`: comparable, and all that the page shows besides what every page knows of its request
    and its member. `fresh`: what is new at each load, by the name of its placeholder; these come
    last in the page. `replayable`: the view only reads, so the page may be sent again without
    it (replays.py). Then `fresh` has functions, and the position of the live stream.
    """
    page = _page(values, render)
    recording.changes_at(page.changes_at)
    if replayable and _can_be_kept() and page.changes_at > time.time():
        flask_request = unwrap(request)
        route = route_name(flask_request.url_rule.rule) if flask_request.url_rule else NO_ROUTE
        flask_request.environ[REPLAYABLE] = Replayable(page, fresh, route)
    response = Response(page.with_fresh(fresh))
    if page.start.encoding:
        response.headers["Content-Encoding"] = page.start.encoding
    return response


def _page(values: tuple[Any, ...], render: Callable[[], str | bytes]) -> KeptPage:
    """Return the kept page if its values are the same; otherwise a new one, kept if it can be."""
    if not _can_be_kept():
        return _new_page((), "", render)
    pages: BoundedCache[KeptPage] = unwrap(current_app).extensions["linnet.kept_pages"]
    key, all_values = _key(), (*values, *_values_of_every_page())
    page = pages.get(key)
    if page and page.values == all_values and page.changes_at > time.time():
        return page
    page = _new_page(all_values, key.encoding, render)
    if page.changes_at > time.time():
        pages.put(key, page)
    return page


def _new_page(
    values: tuple[Any, ...], encoding: str, render: Callable[[], str | bytes]
) -> KeptPage:
    shell = cut(render())
    start = compress_start(fill(shell[:1], {}), encoding)
    return KeptPage(values, start, shell[1:], unwrap(g).get("changes_at", inf))


def _can_be_kept() -> bool:
    """Return True for a page that a member opens, without a notice that is shown only once."""
    request_g = unwrap(g)
    return bool(
        request_g.get("viewer")
        and CSRF_FIELD in form_session
        and "_flashes" not in form_session
        and unwrap(request).method == "GET"
    )


def _key() -> PageKey:
    flask_request = unwrap(request)
    return PageKey(
        accepted_encoding(),
        unwrap(g).session_name,
        (flask_request.scheme, flask_request.host, flask_request.root_path),
        flask_request.full_path if flask_request.endpoint else "",  # alike at unknown addresses
        preferences.appearance(),
    )


def _values_of_every_page() -> tuple[object, ...]:
    """Return the values that any page may show. The hour decides on times and signatures."""
    hour = int(time.time() // 3600)
    return config(), unwrap(g).viewer, viewer_context(), form_session[CSRF_FIELD], hour


def size_of(page: KeptPage) -> int:
    """Return about how many bytes a page takes, with the values that it is made of."""
    return ENTRY_OVERHEAD + len(page.start.stream)
