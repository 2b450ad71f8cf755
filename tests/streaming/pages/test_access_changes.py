"""Open streams react when access ends: a deleted list, a block, a protected account."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from tests.conftest import PASSWORD
from tests.support.loops import in_loop
from tests.support.processes import PATIENCE
from tests.support.streaming.page_streams import Client, running
from tests.support.world import Web
from webapp.accounts.sessions import store as sessions
from webapp.client_api.streams import PATH
from webapp.config import Config
from webapp.core.text.parser import parse
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses import Visibility
from webapp.statuses.edits import editing
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.streaming.http.asgi import Scope
from webapp.streaming.server import StreamApp


async def test_list_stream_ends_for_readers_who_lose_access(web: Web) -> None:
    app = StreamApp(web.config)
    ann, ben = web.people("ann", "ben")
    cookie = sessions.start(web, ben)
    names = "blocks hides drops shuts suspended removed stays".split()
    owners = dict(zip(names, web.people(*names), strict=True))
    numbers = {what: lists.create(web, uid, "Birds") for what, uid in owners.items()}
    for what, uid in owners.items():
        lists.set_memberships(web, uid, "ann", {numbers[what]: True})
    web.apply_events()
    acts: dict[str, Callable[[], object]] = {
        "blocks": lambda: web.block(owners["blocks"], "ben"),
        "hides": lambda: lists.update(web, owners["hides"], numbers["hides"], "Birds", True, False),
        "drops": lambda: lists.delete(web, owners["drops"], numbers["drops"]),
        "shuts": lambda: web.protect(owners["shuts"]),
        "suspended": lambda: web.suspend(owners["suspended"]),
        "removed": lambda: web.delete_account(owners["removed"], PASSWORD),
        "stays": lambda: sessions.end(web, cookie),
    }
    async with running(app):
        paths = {what: f"/stream/list/{uid}/{numbers[what]}" for what, uid in owners.items()}
        readers = {what: Client(app, path, cookie=cookie) for what, path in paths.items()}
        visitors = {what: Client(app, path) for what, path in paths.items()}
        for one in (*readers.values(), *visitors.values()):
            await one.until(b": welcome")
        ended = set[str]()
        for what, act in acts.items():
            act()
            await asyncio.to_thread(web.apply_events)
            await asyncio.wait_for(readers[what].task, PATIENCE)
            ended.add(what)
            assert {one for one, client in readers.items() if client.task.done()} == ended
        web.post(ann, "a wren sings")
        await asyncio.to_thread(web.apply_events)
        for what in ("blocks", "stays"):  # still open to visitors
            await visitors[what].until(b"a wren sings")
        assert not [what for what, one in readers.items() if b"a wren sings" in one.sent]
        closed = {what for what, client in visitors.items() if client.task.done()}
        assert closed == owners.keys() - {"blocks", "stays"}
        for what in owners.keys() - {"stays"}:  # reconnecting is refused
            again = Client(app, paths[what], "since=0-1", sessions.start(web, ben))
            await asyncio.wait_for(again.task, PATIENCE)
            [error] = json.loads(again.sent)["errors"]
            assert again.status == 404 and "can’t see it" in error["message"]


async def test_protection_hides_statuses_in_homes_of_non_followers(web: Web) -> None:
    app = StreamApp(web.config)
    ann, ben, cid, dot = web.people("ann", "ben", "cid", "dot")
    web.follow(ben, "ann")
    for uid in (ann, ben, cid):
        web.follow(uid, "dot")
    web.follow_tag(dot, "song")
    web.apply_events()
    cookies = {uid: sessions.start(web, uid) for uid in (ann, ben, cid, dot)}
    async with running(app):
        homes = {uid: Client(app, "/stream/home", cookie=cookie) for uid, cookie in cookies.items()}
        for one in homes.values():
            await one.until(b": welcome")
        web.protect(ann)
        await asyncio.to_thread(web.apply_events)
        for uid in (cid, dot):  # they may have seen ann through a boost or a hashtag
            await homes[uid].until(b'event: hide\ndata: {"account":"%d","followers":true}' % ann)
        web.post(dot, "a lark sings")
        await asyncio.to_thread(web.apply_events)
        for uid in (ann, ben):
            await homes[uid].until(b"a lark sings")
            assert b"event: hide" not in homes[uid].sent


async def test_removed_follower_of_a_protected_member_gets_hide_events(web: Web) -> None:
    app, fresh = StreamApp(web.config), StreamApp(web.config)
    ann, ben, cid, dot = web.people("ann", "ben", "cid", "dot")
    hide = b'event: hide\ndata: {"account":"%d"}' % ann
    for uid in (ben, cid):
        web.follow(uid, "ann")
        web.follow(uid, "dot")
    list_of_ann, list_of_dot = (lists.create(web, uid, "Birds") for uid in (ann, dot))
    lists.set_memberships(web, ann, "dot", {list_of_ann: True})
    lists.set_memberships(web, dot, "ann", {list_of_dot: True})
    web.apply_events()
    web.protect(ann)
    web.apply_events()
    cookies = {uid: sessions.start(web, uid) for uid in (ben, cid)}
    paths = (
        "/stream/home",
        f"/stream/profile/{ann}",
        f"/stream/list/{dot}/{list_of_dot}",
        f"/stream/list/{ann}/{list_of_ann}",
    )
    async with running(app):
        removed_readers, follower_readers = (
            [Client(app, path, cookie=cookie) for path in paths] for cookie in cookies.values()
        )
        visitor = Client(app, paths[1])
        # A page rendered after the protection.
        follower_readers.append(
            Client(app, paths[1], "page={}-{}".format(*app.hub.position), cookies[cid])
        )
        for one in (*removed_readers, *follower_readers, visitor):
            await one.until(b": welcome")
        before = "since={}-{}".format(*app.hub.position)
        requests.remove_follower(web, ann, "ben")
        web.unfollow(ben, "dot")  # not protected, so nothing is hidden
        await asyncio.to_thread(web.apply_events)
        for one in removed_readers[:3]:
            await one.until(hide)
        # Only ann's followers may read it.
        await asyncio.wait_for(removed_readers[3].task, PATIENCE)
        reconnected = Client(app, paths[1], before, cookies[ben])
        await reconnected.until(hide)
        web.post(dot, "a lark sings")
        await asyncio.to_thread(web.apply_events)
        for one in (follower_readers[0], follower_readers[3]):
            await one.until(b"a lark sings")
        others = [Client(app, paths[0], before, cookies[cid])]
        await others[0].until(b"a lark sings")
    async with running(fresh):  # it knows only the log
        await Client(fresh, paths[1], before, cookies[ben]).until(hide)
        others.append(Client(fresh, paths[0], before, cookies[cid]))
        await others[1].until(b"a lark sings")
    left = [one for one in (*follower_readers, visitor, *others) if b"event: hide" in one.sent]
    assert not left
    assert not [one for one in removed_readers if b'{"account":"%d"}' % dot in one.sent]


async def test_thread_stream_sends_what_its_page_shows(web: Web) -> None:
    app = StreamApp(web.config)
    names = ["ann", "ben", "muted", "blocked", "blocks", "suspended", "protected"]
    uids = dict(zip(names, web.people(*names), strict=True))
    ann, ben = uids["ann"], uids["ben"]
    for login in ("ann", "protected"):
        web.follow(ben, login)

    def say(login: str, text: str, reply: int | None = None, seen: Visibility | None = None) -> int:
        return web.post(uids[login], text, reply=reply, visibility=seen)

    root = say("ann", "a root")
    roots = {login: say(login, "their root") for login in names[2:]}
    limited = {word: say("ann", "@ben psst", seen=word) for word in WIDEST_FIRST if word.restricted}
    gone = say("ann", "a slip")
    web.delete(ann, gone)
    web.mute(ben, "muted")
    web.block(ben, "blocked")
    web.block(uids["blocks"], "ben")
    web.apply_events()
    web.suspend(uids["suspended"])
    web.protect(uids["protected"])
    web.apply_events()
    cookie = sessions.start(web, ben)
    refused = {roots[login]: 403 for login in ("blocked", "blocks", "suspended")}
    refused |= dict.fromkeys([roots["protected"], *limited.values(), gone, 12345], 404)
    async with running(app):
        for number, status in refused.items():
            answer = Client(app, f"/stream/thread/{number}", "since=0-1", cookie)
            await asyncio.wait_for(answer.task, PATIENCE)
            assert answer.status == status and b"event:" not in answer.sent, number
        for path in ("/stream/thread/x", "/stream/thread/1/2", "/stream/thread/"):
            answer = Client(app, path)
            await asyncio.wait_for(answer.task, PATIENCE)
            assert answer.status == 404
        readers = [
            Client(app, f"/stream/thread/{one}", cookie=who)
            for one in (root, roots["muted"])
            for who in (cookie, "")
        ]
        for one in readers:
            await one.until(b": welcome")
        below = say("ann", "below it", root)
        for login in ("muted", "blocked", "protected"):
            say(login, f"said by {login}", root)
        for seen in WIDEST_FIRST:
            say("ann", f"@ben {seen.slug} words", below, seen)
        say("blocks", "elsewhere", roots["muted"])
        editing.edit(web, ann, below, parse("below it, mended"), "", "0")
        await asyncio.to_thread(web.apply_events)
        for one in readers[:2]:  # an edit of what is deleted by then is left out
            await one.until(b"event: edit")
        web.delete(ann, below)
        say("ann", "the last of it", root)
        await asyncio.to_thread(web.apply_events)
        member, visitor, *others = readers
        for one in (member, visitor):
            await one.until(b"the last of it")
            for part in (b"said by muted", b"public words", b"unlisted words"):
                assert part in one.sent
            assert b"event: edit" in one.sent and b"event: delete" in one.sent
            for part in (b"said by protected", b"followers words", b"mentioned words"):
                assert part not in one.sent
            assert b"elsewhere" not in one.sent
        assert b"said by blocked" in visitor.sent and b"said by blocked" not in member.sent
        await others[1].until(b"elsewhere")
        web.block(ann, "ben")
        await asyncio.to_thread(web.apply_events)
        await asyncio.wait_for(member.task, PATIENCE)
        web.suspend(ann)
        await asyncio.to_thread(web.apply_events)
        await visitor.until(b'event: hide\ndata: {"account":"%d"}' % ann)
        assert b"elsewhere" not in others[0].sent
        assert b"below it" not in others[0].sent + others[1].sent


@pytest.mark.parametrize(
    ("kind", "path", "proto", "status"),
    [
        ("http", "/stream/nothing", b"http", 403),
        ("http", "/stream/nothing", b"https", 404),
        ("http", "/healthz", b"http", 200),
        ("websocket", PATH, b"http", None),
        ("websocket", PATH, b"ws", None),
        ("websocket", PATH, b"https", 401),
    ],
)
def test_a_stream_asked_for_by_http_is_refused_where_the_site_has_https(
    settings: Config, kind: str, path: str, proto: bytes, status: int | None
) -> None:
    """A WebSocket that is closed before it is accepted is a 403 to its client."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    received = iter(("connect", "disconnect"))

    async def receive() -> dict[str, Any]:
        return {"type": f"{kind}.{next(received)}"}

    async def go() -> None:
        config = replace(settings, site_url="https://linnet.example", trusted_proxies=1)
        app = StreamApp(config, presenter=Mock())
        headers = [(b"host", b"linnet.example"), (b"x-forwarded-proto", proto)]
        scope: Scope = {"type": kind, "http_version": "1.1", "method": "GET", "path": path}
        scope |= {"headers": headers, "query_string": b"access_token=wrong"}
        await app(scope, receive, send)

    in_loop(go())
    assert sent[0].get("status") == status
