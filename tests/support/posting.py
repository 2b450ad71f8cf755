"""A member who posts while things fail."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.support.processes import TOKEN, until
from tests.support.running_site import SupervisedSite, sign_up


class Poster:
    """A member who posts through the form, and records acknowledged posts."""

    def __init__(self, site: SupervisedSite) -> None:
        self._url = site.url
        self._browser = build_opener(HTTPCookieProcessor())
        sign_up(self._browser, site, "ann")
        with self._browser.open(f"{self._url}/statuses/new") as page:
            token = TOKEN.search(page.read().decode())
        assert token
        self._token = token[1]
        self.acknowledged: list[str] = []
        self.failures = 0

    def post(self) -> None:
        """Post once."""
        text = f"post {len(self.acknowledged)}"
        form = {"csrf_token": self._token, "text": text, "key": text.replace(" ", "-" * 8)}
        try:
            with self._browser.open(f"{self._url}/statuses", urlencode(form).encode()) as page:
                assert page.url == f"{self._url}/home"
            self.acknowledged.append(text)
        except (URLError, ConnectionError):
            self.failures += 1


@contextmanager
def posting(poster: Poster) -> Iterator[None]:
    """Let a member post while the block runs."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(0.01):
            poster.post()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        until(lambda: len(poster.acknowledged) >= 3)
        yield
        until(lambda: poster.failures >= 3)
    finally:
        stop.set()
        thread.join()
