"""The stream app in this process: heartbeats, marks, rechecked credentials, reloads, places."""

import asyncio
import time
from typing import Any

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.page_streams import Client, Play, play as play
from tests.support.timelines import post as post_texts
from webapp.accounts.sessions import store as sessions
from webapp.core.errors import Unavailable
from webapp.core.store import Db
from webapp.statuses import Visibility
from webapp.streaming import keys as stream_keys
from webapp.streaming.delivery import backlog, credentials
from webapp.streaming.delivery.encoders import SseEncoder
from webapp.streaming.pages import page_streams

pytestmark = pytest.mark.slow


async def test_visitors_of_one_address_leave_places_for_others(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_streams, "VISITORS_MAX", 2)

    async with play() as (app, _web, _ann, cookie):
        first, second = [Client(app, "/stream/public") for _ in range(2)]
        for one in (first, second):
            await one.until(b": welcome")
        third = Client(app, "/stream/public")
        await third.task
        assert third.status == 503
        await Client(app, "/stream/public", cookie=cookie).until(b": welcome")
        first.task.cancel()
        await asyncio.wait([first.task])
        await Client(app, "/stream/public").until(b": welcome")


async def test_quiet_client_gets_the_position_of_the_log(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.05)

    async with play() as (app, web, ann, _cookie):
        client = Client(app, "/stream/profile/12345")
        await client.until(b": still here")
        assert b"event: mark" not in client.sent, "the log has not moved"
        post_texts(web, ann, "unrelated")
        await asyncio.to_thread(web.apply_events)
        await client.until(b"event: mark")
        [newest] = web.db.run(("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1))
        assert b"id: %s\nevent: mark\n" % newest[0].encode() in client.sent
        assert b"unrelated" not in client.sent
        client.sent = b""
        await client.until(b": still here")
        assert b"event: mark" not in client.sent, "it is sent once"
        hidden = Visibility.FOLLOWERS
        web.post(ann, "psst", visibility=hidden)
        await asyncio.to_thread(web.apply_events)
        while str(app.hub.position) != log_id(web.db, -1):
            await asyncio.sleep(0.01)
        client.sent = b""
        await client.until(2 * b": still here\n\n")
        assert b"event: mark" not in client.sent, "nobody learns when something hidden happens"
        client.task.cancel()


async def test_no_position_tells_when_something_hidden_happened(play: Play) -> None:
    async with play() as (app, web, ann, _cookie):
        post_texts(web, ann, "a song")
        hidden = Visibility.FOLLOWERS
        web.post(ann, "psst", visibility=hidden)
        await asyncio.to_thread(web.apply_events)
        song, psst = log_id(web.db, -2), log_id(web.db, -1)
        while str(app.hub.position) != psst:
            await asyncio.sleep(0.01)
        reloading = Client(app, "/stream/public", "since=x")
        await reloading.until(b"event: reload")
        assert b"id: %s\nevent: reload" % song.encode() in reloading.sent
        milliseconds = int(psst.partition("-")[0])
        for later in (milliseconds + 1, int(time.time() * 1000)):
            for name in ("since", "page"):
                client = Client(app, "/stream/public", f"{name}={later}-0")
                post_texts(web, ann, f"then {name} {later}")
                await asyncio.to_thread(web.apply_events)
                await client.until(f"then {name} {later}".encode())
                assert b"event: reload" not in client.sent, "whether the log was so far or not"
                client.task.cancel()
        reloading.task.cancel()


async def test_deleted_session_is_noticed_without_an_event(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.05)
    monkeypatch.setattr(credentials, "CHECK_SECONDS", 0.0)

    async with play() as (app, web, _ann, cookie):
        client = Client(app, "/stream/home", cookie=cookie)
        await client.until(b": still here")
        for key in web.db.run(("KEYS", "session:*")):
            web.db.run(("DEL", key))
        await asyncio.wait_for(client.task, PATIENCE)


async def test_unavailable_store_does_not_end_streams(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.05)

    async with play() as (app, web, ann, cookie):
        client = Client(app, "/stream/home", cookie=cookie)
        await client.until(b": welcome")
        checked = asyncio.Event()
        loop = asyncio.get_running_loop()

        def down(*_: object) -> None:
            loop.call_soon_threadsafe(checked.set)
            raise Unavailable("store_down")

        monkeypatch.setattr(sessions, "load", down)
        monkeypatch.setattr(credentials, "CHECK_SECONDS", 0.0)
        await asyncio.wait_for(checked.wait(), PATIENCE)
        client.sent = b""
        post_texts(web, ann, "posted")
        await asyncio.to_thread(web.apply_events)
        await client.until(b"posted")
        client.task.cancel()


async def test_sign_out_during_connection_is_noticed(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with play() as (app, web, _ann, cookie):
        load = sessions.load

        def sign_out_after_load(*args: Any) -> Any:
            member = load(*args)
            monkeypatch.setattr(sessions, "load", load)
            sessions.end(web, cookie)
            web.apply_events()
            [newest] = web.db.run(("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1))
            while str(app.hub.position) != newest[0]:
                pass
            return member

        monkeypatch.setattr(sessions, "load", sign_out_after_load)
        client = Client(app, "/stream/home", cookie=cookie)
        await asyncio.wait_for(client.task, PATIENCE)
        assert b"event:" not in client.sent


async def test_client_that_missed_too_much_reloads(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "CATCH_UP_MAX", 3)
    async with play() as (app, web, ann, _cookie):
        post_texts(web, ann, *"abcd")
        await asyncio.to_thread(web.apply_events)
        newest = log_id(web.db, -1)
        async with asyncio.timeout(PATIENCE):
            while str(app.hub.position) != newest:
                await asyncio.sleep(0.01)
        for query, reloads in (("since=0-0", True), (f"since={log_id(web.db, 2)}", False)):
            app.hub.replay_buffer.oldest = app.hub.position  # the replay buffer is empty
            client = Client(app, "/stream/public", query)
            await client.until(b"event: reload" if reloads else b'"text":"d"')
            assert (b"event: reload" in client.sent) is reloads
            client.task.cancel()


async def test_status_posted_during_catch_up_is_sent_once(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with play() as (app, web, ann, cookie):
        available_range = app.log.available_range

        def post_after_reading_the_range() -> Any:
            log_range = available_range()
            post_texts(web, ann, "meanwhile")
            web.apply_events()
            while str(app.hub.position) != log_id(web.db, -1):
                pass
            return log_range

        monkeypatch.setattr(app.log, "available_range", post_after_reading_the_range)
        for path in ("/stream/public", "/stream/home"):
            app.hub.replay_buffer.oldest = app.hub.position  # it reads the log in the store
            client = Client(app, path, "since=0-0", cookie)
            await client.until(b"meanwhile")
            post_texts(web, ann, "at last")
            await asyncio.to_thread(web.apply_events)
            await client.until(b"at last")
            ids = [line for line in client.sent.splitlines() if line.startswith(b"id: ")]
            assert len(ids) == len(set(ids)) and ids == sorted(ids)
            client.task.cancel()


def log_id(db: Db, index: int) -> str:
    """Return the id of an entry of the log by its index."""
    return str(db.run(("XRANGE", stream_keys.event_log(), "-", "+"))[index][0])
