"""Members' views in the event loop, as greenlets: what each sees, what it waits for, what it leaves
to threads.
"""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient

from tests.conftest import SignUp, make_app
from tests.support.loops import in_loop
from tests.support.multipart import multipart
from tests.support.pagecache import Reply, send_through_bridge
from tests.support.pages import post_status
from tests.support.statuses.filters import FORM as FILTER
from tests.support.world import Web
from webapp.config import Config
from webapp.core.rendering.templating import SharedCode, compile_hot
from webapp.core.store import client as store_client
from webapp.core.store.servers import greenlets
from webapp.core.store.servers.loop_client import LoopClient
from webapp.core.web.view_options import loop_views, view_options
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.server.bridge.loop_views import RUNNING_MAX, LoopViews

T = TypeVar("T")
PATIENCE = 30  # seconds
BUTTONS = "like unlike boost unboost bookmark unbookmark mute unmute".split()
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def web(settings: Config) -> Web:
    """A site whose requests apply no events, so that none waits for another's."""
    return Web(make_app(replace(settings, inline_projections=False)))


class Server:
    """A site behind an event loop that runs views. `threads`: those that ran a request's view."""

    def __init__(self, web: Web) -> None:
        self.threads: list[int] = []
        self.client = LoopClient(web.db)
        views = LoopViews(self.client, loop_views(web.app))

        def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            self.threads.append(threading.get_ident())
            return web.app.wsgi_app(environ, start_response)

        self.bridge = AsgiBridge(app, web.config, lambda _: 2 * web.config.body_max, views=views)

    async def ask(self, browser: FlaskClient, path: str, **sent: Any) -> Reply:
        """Return the response to a member's request, to a form with `body` and `headers`."""
        cookies = (browser._cookies or {}).values()
        cookie = "; ".join(f"{one.key}={one.value}" for one in cookies)
        headers = {**sent.pop("headers", {}), "cookie": cookie}
        return await send_through_bridge(self.bridge, path, headers=headers, **sent)

    async def post(self, browser: FlaskClient, path: str, **fields: str) -> Reply:
        """Send a form without files."""
        body = urlencode(fields).encode()
        headers = {**FORM, "content-length": str(len(body))}
        return await self.ask(browser, path, method="POST", body=body, headers=headers)

    async def until_ready(self) -> None:
        """Wait until views run in the loop."""
        async with asyncio.timeout(PATIENCE):
            while not self.client.is_ready:
                await asyncio.sleep(0.01)
        self.threads.clear()

    @property
    def ran_in_loop(self) -> bool:
        """Whether no thread has run a view. Call it in the loop."""
        return set(self.threads) == {threading.get_ident()}


def with_server(web: Web, act: Callable[[Server], Awaitable[T]]) -> T:
    """Run an act with a server whose loop is connected to the store."""

    async def main() -> T:
        server = Server(web)
        await server.until_ready()
        try:
            async with asyncio.timeout(PATIENCE):
                return await act(server)
        finally:
            await server.client.close()

    if not web.db.is_single_server:
        pytest.skip("threads make all trips to a Cluster")
    result = in_loop(main())
    web.apply_events()
    return result


@pytest.mark.tables
def test_no_trip_of_a_view_in_the_loop_waits_there(
    web: Web, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All views that are declared so, and what each does. None compiles a template."""
    web.app.jinja_env.bytecode_cache = SharedCode()
    compile_hot(web.app.jinja_env)
    monkeypatch.setattr(type(web.app.jinja_env), "compile", None)
    ann, bob, blocking = member("ann"), member("bob"), list[int]()
    real, adapter = store_client.exchange, web.app.url_map.bind("localhost")
    bob.post("/lists", data={"name": "marsh", "public": "y"})
    theirs, own = post_status(bob, "a song of #reeds"), post_status(ann, "a nest")
    quote = post_status(bob, "see this nest", quote=str(own))
    pages = (
        "/home /home/popular /public /@bob /@bob/replies /notifications /tags/reeds "
        f"/@bob/{theirs} /@bob/lists/1 /statuses?ids={theirs}"
    ).split()
    forms: list[tuple[str, dict[str, str]]] = [
        ("/statuses", {"text": "a feather"}),
        ("/home/position", {"id": str(theirs)}),
        ("/@bob/follow", {}),
        ("/@bob/unfollow", {}),
        *((f"/statuses/{theirs}/{name}", {}) for name in BUTTONS),
        *((f"/statuses/{own}/{name}", {}) for name in ("pin", "unpin")),
        *((f"/statuses/{quote}/{name}", {}) for name in ("detach", "reattach")),
    ]
    declared = {
        rule.endpoint
        for rule in web.app.url_map.iter_rules()
        if view_options(web.app.view_functions[rule.endpoint]).in_loop
        and "DELETE" not in rule.methods
    }
    seen = {adapter.match(path.partition("?")[0], "GET")[0] for path in pages}
    assert seen | {adapter.match(path, "POST")[0] for path, _ in forms} == declared

    def noted(*values: Any) -> Any:
        blocking.append(threading.get_ident())
        return real(*values)

    async def act(server: Server) -> None:
        monkeypatch.setattr(store_client, "exchange", noted)
        for path in pages:
            assert (await server.ask(ann, path)).status == 200, path
        for path, fields in forms:
            assert (await server.post(ann, path, **fields)).status in (200, 204, 303), path
        assert server.ran_in_loop and threading.get_ident() not in blocking

    with_server(web, act)
    assert "a feather" in ann.get("/@ann").text


def test_many_members_at_once_get_each_their_own_pages(web: Web, member: SignUp) -> None:
    members = [member(f"member{number}") for number in range(5)]

    async def act(server: Server) -> None:
        names = [f"word{number}" for number in range(4 * RUNNING_MAX)]
        posts = (
            server.post(members[number % 5], "/statuses", text=name, key=name)
            for number, name in enumerate(names)
        )
        assert {one.status for one in await asyncio.gather(*posts)} == {303}
        pages = await asyncio.gather(*(server.ask(one, "/home") for one in members * 8))
        for number, page in enumerate(pages):
            assert f'href="/@member{number % 5}"'.encode() in page.page
        assert len({page.headers["X-Request-ID"] for page in pages}) == len(pages)
        assert server.ran_in_loop

    with_server(web, act)
    shown = "".join(one.get(f"/@member{number}").text for number, one in enumerate(members))
    assert [shown.count(f"word{number}<") for number in range(4 * RUNNING_MAX)] == [1] * 64


def test_a_refused_form_comes_back(web: Web, member: SignUp) -> None:
    async def act(server: Server) -> None:
        long = await server.post(ann, "/statuses", text="reeds " * 500)
        assert long.status == 422 and b"reeds reeds" in long.page
        unknown = await server.post(ann, "/statuses/17/like")
        assert unknown.status == 404 and server.ran_in_loop

    ann = member("ann")
    with_server(web, act)


def test_pictures_and_other_views_are_for_threads(web: Web, member: SignUp) -> None:
    async def act(server: Server) -> None:
        async def send(*fields: tuple[str, str | bytes | None]) -> bool:
            server.threads.clear()
            body, headers = multipart(fields)
            sent = {name.lower(): value for name, value in headers.items()}
            reply = await server.ask(ann, "/statuses", method="POST", body=body, headers=sent)
            assert reply.status in (303, 422)
            return server.ran_in_loop

        assert await send(("text", "no picture"), ("pictures", None))
        assert not await send(("text", "no picture at all"), ("pictures", b"of nothing"))
        assert not await send(("text", "a draft"), ("more1_stored", "a picture"))
        assert not await send(("text", "a long text " * 6_000), ("pictures", None))
        await server.ask(ann, "/settings/password")
        assert not server.ran_in_loop

    ann = member("ann")
    with_server(web, act)


def test_a_view_goes_on_after_the_store_has_lost_its_scripts(web: Web, member: SignUp) -> None:
    async def act(server: Server) -> None:
        await asyncio.to_thread(web.db.on_every_primary, "SCRIPT", "FLUSH")
        assert (await server.post(ann, "/statuses", text="a nest")).status == 303
        assert server.ran_in_loop

    ann = member("ann")
    with_server(web, act)
    assert ann.get("/@ann").text.count("a nest</p>") == 1


def test_views_go_on_when_the_connection_is_lost(web: Web, member: SignUp) -> None:
    """Threads ask again what may be asked again."""

    async def act(server: Server) -> None:
        assert server.client._connection
        server.client._connection._transport.pause_reading()
        waiting = [asyncio.ensure_future(server.ask(ann, "/home")) for _ in range(20)]
        await asyncio.sleep(0.05)
        server.client._connection.abort()
        assert {page.status for page in await asyncio.gather(*waiting)} == {200}
        await server.until_ready()
        assert (await server.ask(ann, "/home")).status == 200 and server.ran_in_loop

    ann = member("ann")
    with_server(web, act)


@pytest.mark.parametrize("act, status, shown", [("", 303, 1), ("/pin", 503, 0)])
def test_what_the_store_has_done_when_the_connection_is_lost_is_not_done_twice(
    web: Web, member: SignUp, act: str, status: int, shown: int
) -> None:
    """A post is known by its form. Other scripts might do it twice: their members are told."""
    ann = member("ann")
    path = f"/statuses/{post_status(ann, 'an egg')}/pin" if act else "/statuses"

    async def send(server: Server) -> None:
        connection = server.client._connection
        assert connection
        real, trips = connection.ask, count(1)

        def ask(*values: Any) -> Any:
            if next(trips) == 2:
                connection._transport.pause_reading()
                asyncio.get_running_loop().call_later(0.1, connection.abort)
            return real(*values)

        connection.ask = ask  # type: ignore[method-assign]
        reply = await server.post(ann, path, text="a nest", key="reeds")
        assert reply.status == status and ("Retry-After" in reply.headers) == bool(act)

    with_server(web, send)
    assert ann.get("/@ann").text.count("a nest</p>") == shown


def test_a_view_whose_connection_ends_between_two_trips_goes_on(web: Web, member: SignUp) -> None:
    """What was not sent, a thread sends."""

    async def act(server: Server) -> None:
        connection = server.client._connection
        assert connection
        real, trips = connection.ask, list[int]()

        def ask(*values: Any) -> Any:
            result = real(*values)
            trips.append(1)
            if len(trips) == 1:
                result.add_done_callback(lambda _: connection.abort())
            return result

        connection.ask = ask  # type: ignore[method-assign]
        assert (await server.post(ann, "/statuses", text="a nest")).status == 303
        assert len(trips) == 1 and server.ran_in_loop

    ann = member("ann")
    with_server(web, act)
    assert ann.get("/@ann").text.count("a nest</p>") == 1


def test_a_request_that_is_cancelled_leaves_the_others(web: Web, member: SignUp) -> None:
    async def act(server: Server) -> None:
        asked = [asyncio.ensure_future(server.ask(ann, "/home")) for _ in range(40)]
        await asyncio.sleep(0)
        for one in asked[::2]:
            one.cancel()
        replies = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in replies[::2]} == {asyncio.CancelledError}
        assert {one.status for one in replies[1::2] if isinstance(one, Reply)} == {200}
        assert (await server.ask(ann, "/home")).status == 200

    ann = member("ann")
    with_server(web, act)


def test_a_visitor_whose_cookies_only_look_like_a_members_is_for_threads(web: Web) -> None:
    """One would wait in the loop for the page that another one renders there."""

    async def act(server: Server) -> None:
        await send_through_bridge(server.bridge, "/public", headers={"cookie": "xlinnet=1"})
        assert not server.ran_in_loop

    with_server(web, act)


def test_long_pages_let_the_loop_go_on(
    web: Web, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between their posts, also while filters look at these."""
    ann, bob = member("ann"), member("bob")
    for number in range(3):
        post_status(bob, f"song {number}")
    ann.post("/settings/filters", data=FILTER)
    pauses, wait_for = list[str](), greenlets.wait_for

    def noted(awaitable: Awaitable[Any]) -> Any:
        pauses.append(sys._getframe(2).f_code.co_name)
        return wait_for(awaitable)

    async def act(server: Server) -> None:
        monkeypatch.setattr(greenlets, "TURN_SECONDS", -1)
        monkeypatch.setattr(greenlets, "wait_for", noted)
        page = await server.ask(ann, "/@bob")
        assert page.page.count(b"song 2</p>") == 1
        await server.post(ann, "/statuses", text="a nest", more1="an egg")
        assert set(pauses) == {"get_or_render", "matching", "parse_text"}

    with_server(web, act)
