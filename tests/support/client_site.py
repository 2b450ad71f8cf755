"""A whole running site for clients that others wrote, and members who allow them."""

from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from tests.conftest import PASSWORD
from tests.support.client_api import CODE
from tests.support.live_site import LiveSite
from tests.support.processes import TOKEN
from webapp.accounts import registration

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / ".venv-clients/bin"
MISSING = "no clients here: run `make clients`"


class ClientSite(LiveSite):
    """A store, pages and streams, with members who sign clients in by a code."""

    @property
    def url(self) -> str:
        """Return the address that clients are given."""
        return f"http://127.0.0.1:{self.config.port}"

    def sign_up(self, login: str) -> None:
        """Sign a member up."""
        registration.sign_up(self, login, login.title(), PASSWORD)

    def join(self, login: str) -> OpenerDirector:
        """Sign a member up, and in with a browser."""
        self.sign_up(login)
        browser = build_opener(HTTPCookieProcessor())
        self._submit(browser, "/login", login=login, password=PASSWORD)
        return browser

    def allow(self, browser: OpenerDirector, address: str) -> str:
        """Let a member allow what an address of the consent page asks. Return the code shown."""
        parts = urlsplit(address)
        path = f"{parts.path}?{parts.query}"
        page = self._submit(browser, path, answer="allow", current_password=PASSWORD)
        [code] = CODE.findall(page)
        return str(code)

    def _submit(self, browser: OpenerDirector, path: str, **form: str) -> str:
        """Fill in the form of a page."""
        with browser.open(self.url + path) as page:
            token = TOKEN.search(page.read().decode())
        assert token, path
        sent = urlencode({"csrf_token": token[1], **form}).encode()
        with browser.open(self.url + path, sent) as page:
            return str(page.read().decode())
