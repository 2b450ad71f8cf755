"""Web and worker of one site use the same key: web shows a secret, the worker signs with it."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

from tests.support.processes import TOKEN, until
from tests.support.running_site import SupervisedSite, sign_up, start as start
from tests.support.webhook_receiver import ReceivedRequest, receiving
from webapp.chat.bots.webhook_delivery import sign

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]
KEY = re.compile(r'name="key"[^>]*value="([^"]+)"')
SECRET = re.compile(r'<div class="secret".*?<code>([^<]+)</code>', re.DOTALL)


class Owner:
    """A member with a bot, @jay, who uses the site's forms."""

    def __init__(self, site: SupervisedSite) -> None:
        self._site = site
        self._browser: OpenerDirector = build_opener(HTTPCookieProcessor())
        sign_up(self._browser, site, "wren")
        self._submit("/settings/bots", login="jay", name="Jay")

    def set_webhook(self, url: str) -> str:
        """Set the bot's webhook. Return the secret that the page shows."""
        secret = SECRET.search(self._submit("/settings/bots/jay", "/webhook", url=url))
        assert secret
        return secret[1]

    def send(self, text: str) -> None:
        """Send a message to the bot, in a new group."""
        self._submit("/chats/new", people="jay", name="Nest", kind="private", text=text)

    def _submit(self, path: str, action: str = "", **form: str) -> str:
        """Open the page at `path` and post its form to `path` + `action`. Return the response."""
        with self._browser.open(self._site.url + path) as response:
            page = response.read().decode()
        token, key = TOKEN.search(page), KEY.search(page)
        assert token
        fields = {"csrf_token": token[1], "key": key[1] if key else "", **form}
        with self._browser.open(self._site.url + path + action, urlencode(fields).encode()) as page:
            return page.read().decode()


def test_a_message_arrives_at_the_webhook_signed_with_the_secret_that_its_page_showed(
    kept_site: SupervisedSite,
) -> None:
    with receiving() as receiver:
        owner = Owner(kept_site)
        secret = owner.set_webhook(receiver.url)
        owner.send("hello @jay")
        until(lambda: receiver.requests, lambda: kept_site.messages)
    assert_signed(receiver.requests[0], secret, "hello @jay")


@pytest.mark.long
def test_processes_that_are_restarted_without_the_key_file_use_the_same_key(start: Start) -> None:
    with receiving() as receiver:
        site = start(WEBHOOK_PRIVATE="yes")  # the receiver listens on loopback
        site.until_ready()
        owner = Owner(site)
        secret = owner.set_webhook(receiver.url)
        (site.folder / "secret_key").unlink()
        worker = site.child("webapp.cli worker")
        os.kill(worker, SIGKILL)
        until(lambda: site.child("webapp.cli worker") not in (0, worker), lambda: site.messages)
        owner.send("hello again @jay")
        until(lambda: receiver.requests, lambda: site.messages)
    assert_signed(receiver.requests[0], secret, "hello again @jay")


def test_an_empty_key_file_is_a_one_line_error(start: Start, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/secret_key").touch()
    site = start()
    assert site.wait() == 1
    [line] = site.messages.splitlines()
    assert str(site.folder / "secret_key") in line and "backup" in line


def assert_signed(request: ReceivedRequest, secret: str, text: str) -> None:
    """Assert that a delivery has the message and the signature of its body."""
    assert request.data["message"]["text"] == text
    timestamp = request.headers["x-linnet-timestamp"]
    assert request.headers["x-linnet-signature"] == sign(secret, timestamp, request.body)
