"""The page cache: WSGI middleware that answers visitors who are not signed in with pages rendered once for all of them
(after Redis in Action, 2.3 to 2.5).

A view says that its page may be kept, and who is on it (visitors.py). Such a page is
rendered from what distinguishes its variant and from nothing else of any request (pagevariant.py), so it is the same
for whoever asks. Copies in the process are a second old at most (pagecopies.py); the store has the rest (pagestore.py).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from .config import Config
from .db import Command, Db
from .errors import Unavailable
from .logs import answered, log, take_request_id
from .pageanswer import Answer, answer_of, respond
from .pagecopies import Copies
from .pagestore import Kept, PageStore, Taken
from .pagevariant import Environ, Wanted, wanted
from .visitors import Shared

Start = Callable[..., Any]
Wsgi = Callable[[Environ, Start], Iterable[bytes]]
AtOnce = Callable[[Environ, Start], Iterable[bytes] | None]
WAIT_SECONDS = 2.0  # for somebody else's rendering; then one's own is better
LOOK_SECONDS = 0.01  # between two looks whether it is done
DOWN_SECONDS = 1.0  # without the cache, after the store did not answer


def init(app: Flask, config: Config, db: Db) -> None:
    """Puts the cache in front of the app, unless it may hold nothing."""
    if config.page_cache_bytes:
        app.extensions["linnet.pages"] = cache = PageCache(app, config, db)
        app.wsgi_app = cache  # type: ignore[assignment, method-assign]


def listen(app: Flask) -> AtOnce | None:
    """Lets this process keep copies of pages, for it hears from now on what drops them; gives what answers from them,
    where there is a cache.
    """
    cache: PageCache | None = app.extensions.get("linnet.pages")
    if cache is None:
        return None
    cache.listen()
    return cache.at_once


class PageCache:
    """The middleware."""

    def __init__(self, app: Flask, config: Config, db: Db) -> None:
        self._app, self._wsgi, self._config, self._db = app, app.wsgi_app, config, db
        self._store, self._copies = PageStore(db, config), Copies()
        self._rendering: set[Wanted] = set()
        self._adapter = app.url_map.bind("visitors")
        self._down_until = 0.0
        self._site = config.site_url.rstrip("/")

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        asked = wanted(environ, self._site)
        if asked is None:
            return self._wsgi(environ, start)
        take_request_id(environ, self._config)
        began, trips = time.perf_counter(), self._db.trips
        answer = self._answer(asked)
        if answer is None:
            return self._wsgi(environ, start)
        if isinstance(answer, Kept):
            answer = answer_of(answer, asked, environ)
        return _sent(asked, answer, environ, start, began, self._db.trips - trips)

    def at_once(self, environ: Environ, start: Start) -> Iterable[bytes] | None:
        """Answers from a copy in this process, or does nothing and gives None: it waits for nobody."""
        began, asked = time.perf_counter(), wanted(environ, self._site)
        page = self._copied(asked) if asked else None
        if asked is None or page is None:
            return None
        take_request_id(environ, self._config)
        return _sent(asked, answer_of(page, asked, environ), environ, start, began, 0)

    def listen(self) -> None:
        """Keeps copies in this process from now on."""
        self._copies.listen(self._db)

    def _answer(self, asked: Wanted) -> Kept | Answer | None:
        """The page, what else the app had to say, or None when this request is no business of the cache."""
        page = self._copied(asked)
        if page:
            return page
        beside = self._beside(asked)
        if time.monotonic() < self._down_until or beside is None:
            return None
        try:
            return self._look(asked, beside)
        except Unavailable:
            self._say_down()
            return None

    def _copied(self, asked: Wanted) -> Kept | None:
        """The page from this process, unless there may be a newer one."""
        copy = self._copies.get(asked)
        if copy is None or (copy.worn and asked not in self._rendering):
            return None
        self._store.count(asked.path, hit=True)
        return copy.page

    def _beside(self, asked: Wanted) -> list[Command] | None:
        """What to send beside the look for a page; None where the view of this path does not let its pages be kept,
        with these parameters.
        """
        try:
            endpoint, given = self._adapter.match(asked.path, "GET")
        except HTTPException:
            return None
        view = self._app.view_functions[endpoint]
        names: frozenset[str] | None = getattr(view, "cached", None)
        if names is None or not asked.names <= names:
            return None
        return [make(**given) for make in getattr(view, "beside_page", ())]

    def _look(self, asked: Wanted, beside: Sequence[Command]) -> Kept | Answer | None:
        """The page from the store, or rendered. While another renders it: one that is over, or theirs when it is there.
        Raises Unavailable.
        """
        token, ends = secrets.token_hex(8), time.monotonic() + WAIT_SECONDS
        while True:
            since = time.monotonic()
            taken = self._store.take(asked, token, beside)
            self._down_until = 0.0
            if taken.state == "yours":
                return self._render(asked, token, since, taken)
            if taken.page:
                if taken.state == "fresh":
                    self._copies.put(asked, taken.page, since)
                self._store.count(asked.path, hit=True)
                return taken.page
            worn = self._copies.get(asked)
            if worn:
                return worn.page
            if taken.state == "loose" or time.monotonic() > ends:
                return None
            time.sleep(LOOK_SECONDS)

    def _render(self, asked: Wanted, token: str, since: float, taken: Taken) -> Kept | Answer:
        """Renders a page, and keeps it if it is to be kept. The answer of the app, if it is not."""
        shared, seen = Shared(taken.beside), self._store.edits.known
        self._rendering.add(asked)
        try:
            answer = _ask(self._wsgi, asked.environ(shared))
        finally:
            self._rendering.discard(asked)
        page = answer.kept(asked, shared.uids, seen)
        try:
            if page and taken.popular:
                if self._store.keep(asked, token, page):
                    self._copies.put(asked, page, since)
            else:
                self._store.release(asked, token)
        except Unavailable:
            self._say_down()
        if page:
            self._store.count(asked.path, hit=False)
        return page or answer

    def _say_down(self) -> None:
        """Says so once, until it was seen to be back."""
        if not self._down_until:
            log.warning("pages are rendered without the cache: the store does not answer")
        self._down_until = time.monotonic() + DOWN_SECONDS


def _sent(asked: Wanted, answer: Answer, environ: Environ, start: Start, began: float, trips: int) -> Iterable[bytes]:
    method = environ["REQUEST_METHOD"]
    answered(method, asked.path, answer.status, time.perf_counter() - began, trips)
    return respond(answer, method, start)


def _ask(wsgi: Wsgi, environ: Environ) -> Answer:
    """The app's answer to a request, whole."""
    head: list[Any] = []

    def start(status: str, headers: list[tuple[str, str]], failure: object = None) -> None:
        head[:] = [status, headers]

    result = wsgi(environ, start)
    try:
        body = b"".join(result)
    finally:
        getattr(result, "close", lambda: None)()
    return Answer(head[0], head[1], body)
