"""Post statuses over HTTP at an even pace, for clients that track words."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from urllib.parse import quote

from bench.http import CSRF, Connection, get, send
from bench.site import Site
from tests.support.streaming.reference_matcher import ParsedStatus, Query
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.core.text.parser import extract
from webapp.streaming.api_v1.parameters import parse
from webapp.streaming.matching.matcher import Matcher
from webapp.streaming.matching.terms import Subject

from .clients import Watch
from .matching import UNTRACKED, Words

POSTERS = 8  # connections over which statuses are posted
TERMS = 5
PROVEN = 3  # statuses for which the brute-force matcher is asked as well
WORDS = 12  # of a status


class Script:
    """Generate statuses and the tracked words of clients, as `bench.stream.matching` does."""

    def __init__(self, clients: int) -> None:
        self._words = Words()
        self.queries = _queries(self._words, clients)
        self._matcher: Matcher[int] = Matcher()
        for number, query in enumerate(self.queries):
            self._matcher.add(number, parse({"track": [query.track]}, filtering=True).predicate())

    def path(self, number: int) -> str:
        """Return the stream path of a client."""
        return f"/1.1/statuses/filter.json?track={quote(self.queries[number].track)}"

    def statuses(self, first: int, number: int) -> list[tuple[str, set[int]]]:
        """Return texts, each with an identifying word, and the clients that track its words."""
        drawn = iter(self._words.some(number * WORDS))
        texts = [
            f"{' '.join(islice(drawn, WORDS))} bench{at:07}" for at in range(first, first + number)
        ]
        found = [(text, self._matcher.match(_subject(text))) for text in texts]
        for text, clients in found[:PROVEN]:
            status = ParsedStatus(_subject(text))
            assert clients == {at for at, query in enumerate(self.queries) if status.matches(query)}
        return found


class Poster:
    """Hold a signed-in member with one keep-alive connection to the pages.

    `page` has the form, and `target` receives it.
    """

    def __init__(
        self,
        here: Site,
        port: int,
        uid: int,
        page: str = "/statuses/new",
        target: str = "/statuses",
    ) -> None:
        self._connection = Connection(port)
        cookie = f"{COOKIE_NAME}={sessions.start(here, uid)}"
        head, _, body = self._connection.ask(get(page, cookie)).partition(b"\r\n\r\n")
        form = next(
            line.split(b": ")[1].split(b";")[0]
            for line in head.split(b"\r\n")
            if b"linnet_form=" in line
        )
        token = CSRF.search(body.decode())
        assert token, "that is no page with a form"
        self._cookie, self._token, self._target = f"{cookie}; {form.decode()}", token[1], target

    def prepare(self, text: str) -> bytes:
        """Return the request that posts a text."""
        form = {"text": text, "csrf_token": self._token, "key": secrets.token_urlsafe(12)}
        return send(self._target, self._cookie, form)

    def post(self, request: bytes) -> None:
        """Send a prepared request."""
        response = self._connection.ask(request)
        assert response.startswith(b"HTTP/1.1 303"), response[:500]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Posting:
    """Post at an even pace from one thread for each poster, independent of slow answers."""

    def __init__(self, posters: list[Poster], watch: Watch, rate: float) -> None:
        self._posters, self._watch, self._rate = posters, watch, rate
        self.answers: list[float] = []  # seconds from a POST to its answer
        self.late = 0.0  # seconds the last status was posted behind its time, at most

    def run(self, first: int, statuses: list[tuple[str, set[int]]]) -> float:
        """Post statuses from number `first` on. Return their rate. Raises the first failure."""
        self._began, self._failures = time.perf_counter(), list[BaseException]()
        each = [
            threading.Thread(target=self._run, args=(poster, first, at, statuses))
            for at, poster in enumerate(self._posters)
        ]
        for thread in each:
            thread.start()
        for thread in each:
            thread.join()
        if self._failures:
            raise self._failures[0]
        return len(statuses) / (time.perf_counter() - self._began)

    def _run(
        self, poster: Poster, first: int, start: int, statuses: list[tuple[str, set[int]]]
    ) -> None:
        try:
            for at in range(start, len(statuses), len(self._posters)):
                text, clients = statuses[at]
                request = poster.prepare(text)
                time.sleep(max(0.0, self._began + at / self._rate - time.perf_counter()))
                self._watch.expect(first + at, set(clients))
                poster.post(request)
                self.answers.append(time.perf_counter() - self._watch.posted[first + at])
        except BaseException as error:
            self._failures.append(error)


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds or the time is over. Return whether it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _queries(words: Words, clients: int) -> list[Query]:
    drawn = iter(words.some(3 * clients * TERMS, UNTRACKED))
    return [Query(",".join(_terms(words, drawn))) for _ in range(clients)]


def _terms(words: Words, drawn: Iterator[str]) -> list[str]:
    """Return different words; one in ten consists of two."""
    found: list[str] = []
    while len(found) < TERMS:
        term = f"{next(drawn)} {next(drawn)}" if words.draw.random() < 0.1 else next(drawn)
        if term not in found:
            found.append(term)
    return found


def _subject(text: str) -> Subject:
    return Subject(1, 1, text, extract(text))
