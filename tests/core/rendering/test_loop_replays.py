"""Members' pages in the event loop: sent again without a thread, and made by one when not."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from flask.testing import FlaskClient

from tests.support.loops import in_loop
from tests.support.pagecache import Reply, send_through_bridge, without_position
from tests.support.pages import post_status
from tests.support.replays import OWN, session_key
from tests.support.world import Web
from webapp.config import Config
from webapp.core.net import proxies
from webapp.core.rendering.replays import Replays
from webapp.core.store.client import Db
from webapp.core.store.servers.loop_client import LoopClient
from webapp.core.web.request_log import LISTENER
from webapp.rewards.promotions.index import index_of
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.server.bridge.loop_replays import LoopReplays

T = TypeVar("T")
PATIENCE = 30  # seconds


class Server:
    """A site behind an event loop, and the browser of a member."""

    def __init__(self, web: Web, browser: FlaskClient, config: Config) -> None:
        self.views = 0  # requests that a thread has answered

        behind_proxies = proxies.behind_proxies(web.app.wsgi_app, config)

        def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            self.views += 1
            return behind_proxies(environ, start_response)

        replays = web.app.extensions["linnet.replays"]
        self.replays = LoopReplays(replays, LoopClient(web.db), config)
        self.bridge = AsgiBridge(app, config, replays=self.replays)
        cookies = (browser._cookies or {}).values()
        self._cookies = "; ".join(f"{one.key}={one.value}" for one in cookies)

    async def get(self, path: str = "/home", **headers: str) -> Reply:
        """Return the answer to the member's request."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["cookie"] = self._cookies
        return await send_through_bridge(self.bridge, path, headers=sent)

    async def until_replayed(self, **headers: str) -> Reply:
        """Open the home until no thread answers. Return the last answer."""
        async with asyncio.timeout(PATIENCE):
            while True:
                views, reply = self.views, await self.get(**headers)
                if self.views == views:
                    return reply
                await asyncio.sleep(0.01)


def with_server(
    web: Web, browser: FlaskClient, act: Callable[[Server], Awaitable[T]], **settings: Any
) -> T:
    """Run an act with a server whose replays are in the event loop."""

    async def main() -> T:
        server = Server(web, browser, replace(web.config, **settings))
        try:
            return await act(server)
        finally:
            await server.replays.stop()

    if not web.db.is_single_server:
        pytest.skip("threads make all trips to a Cluster")
    return in_loop(main())


def shown(reply: Reply) -> bytes:
    """Return a page without what is new at each load."""
    return OWN.sub(rb"\1", without_position(reply.page))


def test_a_page_is_sent_again_without_a_thread(web: Web, reader: FlaskClient) -> None:
    async def act(server: Server) -> None:
        first = await server.get()
        again = await server.until_replayed()
        assert again.status == first.status == 200 and shown(again) == shown(first)
        assert again.headers["X-Request-ID"] != first.headers["X-Request-ID"]
        assert int(again.headers["Content-Length"]) == len(again.body)
        views, many = server.views, await asyncio.gather(*(server.get() for _ in range(100)))
        assert server.views == views and {shown(one) for one in many} == {shown(first)}
        assert len({one.headers["X-Request-ID"] for one in many}) == 100

    with_server(web, reader, act)


def test_a_changed_page_is_made_by_a_thread_from_the_same_replies(
    web: Web, author: FlaskClient, reader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    real = Db._trip

    def noted(self: Db, commands: Any) -> Any:
        sent.extend(commands)
        return real(self, commands)

    async def act(server: Server) -> None:
        await server.until_replayed()
        await asyncio.to_thread(post_status, author, "a song of reeds")
        web.db.run(("HSET", session_key(reader), "seen", "1"))
        with monkeypatch.context() as noting:
            noting.setattr(Db, "_trip", noted)
            changed = await server.get()
        assert b"a song of reeds" in changed.page
        assert "linnet=" in changed.headers["Set-Cookie"]  # the loop's trip extended the session
        assert not [command for command in sent if session_key(reader) in command]

    with_server(web, reader, act)


def test_what_the_loop_cannot_ask_is_left_to_threads(web: Web, reader: FlaskClient) -> None:
    async def act(server: Server) -> None:
        await server.until_replayed()
        await server.replays.stop()
        views = server.views
        assert (await server.get()).status == 200 and server.views == views + 1

    with_server(web, reader, act)


def test_one_view_after_the_other_asks_for_what_is_too_old(
    web: Web, reader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests that came at once need no view each."""
    views: list[bytes] = []
    real = Replays._record

    def noted(self: Replays, key: bytes, *values: Any) -> Iterable[bytes]:
        views.append(key)
        return real(self, key, *values)

    async def act(server: Server) -> None:
        await server.until_replayed()
        index = index_of(web.db)
        assert index._next_read
        monkeypatch.setattr(index, "_next_read", time.monotonic())
        monkeypatch.setattr(Replays, "_record", noted)
        await asyncio.gather(*(server.get() for _ in range(10)))
        assert len(views) == 1

    with_server(web, reader, act, web_threads=1)


def test_a_replay_is_counted_for_the_address_that_a_proxy_names(
    web: Web, reader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses: list[str] = []
    monkeypatch.setitem(web.app.extensions, LISTENER, lambda told: addresses.append(told.address))

    async def act(server: Server) -> None:
        await server.until_replayed(x_forwarded_for="192.0.2.7")
        await server.until_replayed(x_forwarded_for="192.0.2.8")

    with_server(web, reader, act, trusted_proxies=1)
    assert addresses[-1] == "192.0.2.8"
