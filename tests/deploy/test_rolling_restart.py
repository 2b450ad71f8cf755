"""Each process is restarted behind a real Caddy, and nobody notices."""

import re
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from itertools import count
from pathlib import Path

import httpx
import pytest

from tests.conftest import PASSWORD
from tests.support.caddy import caddy, keeps_posts, needs_caddy
from tests.support.fanout import assert_acknowledged_once, sign_up
from tests.support.processes import PATIENCE, Program, RunningSite, free_port, until
from tests.support.streaming.client import Reader

pytestmark = [pytest.mark.kill, pytest.mark.long, pytest.mark.xdist_group("killing"), needs_caddy]
DRAIN_SECONDS = 3
LOGINS = ("ann", "ben", "cat", "dan")
POSTS_A_SESSION = 10
RETRY_SECONDS = 0.5
HIDDEN = r'name="%s"[^>]*value="([^"]+)"'


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    """A site that trusts one proxy."""
    site = RunningSite(tmp_path, trusted_proxies=1, drain_seconds=DRAIN_SECONDS, web_workers=1)
    yield site
    site.close()


class Poster:
    """A member who signs in, reads and posts, in a thread, until `finish` is called."""

    def __init__(self, address: str, login: str) -> None:
        self.login = login
        self.acknowledged: list[str] = []
        self.failures: list[object] = []
        self._address = address
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=login)
        self._thread.start()

    def finish(self) -> None:
        """Stop after the request under way."""
        self._stop.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        numbers = count()
        while not self._stop.is_set():
            with httpx.Client(base_url=self._address, timeout=PATIENCE) as browser:
                try:
                    self._sign_in(browser)
                    for _ in range(POSTS_A_SESSION):
                        self._post(browser, f"{self.login} says {next(numbers)}")
                except (httpx.HTTPError, AssertionError) as error:
                    self.failures.append(repr(error))

    def _sign_in(self, browser: httpx.Client) -> None:
        form = {"login": self.login, "password": PASSWORD}
        form |= _hidden(_page(browser, "/login"), "csrf_token")
        response = browser.post("/login", data=form)
        assert response.status_code == 303, response.text

    def _post(self, browser: httpx.Client, text: str) -> None:
        _page(browser, "/public")
        form = {"text": text, **_hidden(_page(browser, "/statuses/new"), "csrf_token", "key")}
        response = browser.post("/statuses", data=form)
        assert response.status_code == 303, response.text
        self.acknowledged.append(text)


class Listener:
    """A client of the public stream that comes back with its last id whenever it is cut."""

    def __init__(self, port: int) -> None:
        self.texts: list[str] = []
        self.connects = 0
        self._port = port
        self._stopped = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def finish(self) -> None:
        """Stop once the stream is cut, as Caddy's end does."""
        self._stopped = True
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        last = None
        while not self._stopped:
            with suppress(OSError, HTTPException), closing(Reader(self._port, last)) as reader:
                assert reader.response.status == 200
                self.connects += 1
                while event := reader.next():
                    self.texts.append(event.data.get("text", event.event))
                    last = reader.last
                last = reader.last
            time.sleep(RETRY_SECONDS)


def _page(browser: httpx.Client, path: str) -> str:
    response = browser.get(path)
    assert response.status_code == 200, (path, response.status_code)
    return response.text


def _hidden(page: str, *names: str) -> dict[str, str]:
    return {name: re.findall(HIDDEN % name, page)[0] for name in names}


def until_more(posters: Collection[Poster], each: int = 5) -> None:
    """Wait until each member has posted so many more times."""
    goals = [len(poster.acknowledged) + each for poster in posters]
    until(
        lambda: all(
            len(poster.acknowledged) >= goal or poster.failures
            for poster, goal in zip(posters, goals, strict=True)
        )
    )


def restart(site: RunningSite, old: Program, port: int) -> Program:
    """End a process as an operator does, and start another one in its place.

    One with pages is there when the proxy sends it requests, which it does after its next question.
    """
    assert old.stop() == 0, old.output_tail
    if old.command == "worker":
        return site.worker()
    if old.command == "stream":
        return site.stream(port)
    program = site.serve(port)
    until(lambda: " /statuses" in program.output_tail, lambda: program.output_tail)
    return program


@pytest.mark.parametrize("web_count", [2, 1])
def test_restarts_behind_a_proxy_fail_no_request_and_lose_no_message(
    site: RunningSite, tmp_path: Path, web_count: int
) -> None:
    """With one web process, Caddy keeps the requests while it is restarted."""
    if web_count == 1 and not keeps_posts():
        pytest.skip("this Caddy is too old to keep POSTs")
    authors = {sign_up(site, login): login for login in LOGINS}
    ports = [free_port() for _ in range(web_count)]
    stream_port = free_port()
    programs = [
        (site.worker(), 0),
        (site.stream(stream_port), stream_port),
        *((site.serve(port), port) for port in ports),
    ]
    with ExitStack() as stack:
        port = free_port()
        listener = Listener(port)
        stack.callback(listener.finish)
        stack.enter_context(caddy(tmp_path, port, ports, stream_port))
        until(lambda: listener.connects)
        posters = {uid: Poster(f"http://127.0.0.1:{port}", login) for uid, login in authors.items()}
        for poster in posters.values():
            stack.callback(poster.finish)
        for program, its_port in programs:
            until_more(posters.values())
            restart(site, program, its_port)
        until_more(posters.values())
        for poster in posters.values():
            poster.finish()
        assert [poster.failures for poster in posters.values() if poster.failures] == []
        said = {uid: poster.acknowledged for uid, poster in posters.items()}
        assert_acknowledged_once(site, authors, {uid: [] for uid in authors}, said)
        heard = Counter(text for texts in said.values() for text in texts)
        until(lambda: len(listener.texts) >= heard.total(), lambda: (listener.texts, heard))
    assert Counter(listener.texts) == heard and listener.connects >= 2
