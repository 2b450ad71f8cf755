"""Open streams react when access ends: a deleted list, a block, a protected account."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.processes import PATIENCE
from tests.support.streaming.client import in_loop
from tests.support.streaming.page_streams import Client, running
from webapp.accounts import lifecycle, registration
from webapp.accounts.sessions import store as sessions
from webapp.client_api.streams import PATH
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses import Visibility
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.streaming.http.asgi import Scope
from webapp.streaming.server import StreamApp
from webapp.timelines.tags import store as tags


def test_list_stream_ends_for_readers_who_lose_access(settings: Config) -> None:
    db, app = connect(settings), StreamApp(settings)
    ann, ben = sign_up(Site(db, settings), "ann"), sign_up(Site(db, settings), "ben")
    cookie = sessions.start(Site(db, settings), ben)
    owners = {
        what: sign_up(Site(db, settings), what)
        for what in "blocks hides drops shuts suspended removed stays".split()
    }
    numbers = {what: lists.create(Site(db, settings), uid, "Birds") for what, uid in owners.items()}
    for what, uid in owners.items():
        lists.set_memberships(Site(db, settings), uid, "ann", {numbers[what]: True})
    worker.drain(Site(db, settings))
    acts: dict[str, Callable[[], object]] = {
        "blocks": lambda: blocks.block(Site(db, settings), owners["blocks"], "ben"),
        "hides": lambda: lists.update(
            Site(db, settings), owners["hides"], numbers["hides"], "Birds", True, False
        ),
        "drops": lambda: lists.delete(Site(db, settings), owners["drops"], numbers["drops"]),
        "shuts": lambda: lifecycle.protect(Site(db, settings), owners["shuts"]),
        "suspended": lambda: lifecycle.suspend(Site(db, settings), owners["suspended"]),
        "removed": lambda: lifecycle.delete_account(
            Site(db, settings), owners["removed"], PASSWORD
        ),
        "stays": lambda: sessions.end(Site(db, settings), cookie),
    }

    async def go() -> None:
        async with running(app):
            paths = {what: f"/stream/list/{uid}/{numbers[what]}" for what, uid in owners.items()}
            readers = {what: Client(app, path, cookie=cookie) for what, path in paths.items()}
            visitors = {what: Client(app, path) for what, path in paths.items()}
            for one in (*readers.values(), *visitors.values()):
                await one.until(b": welcome")
            ended = set[str]()
            for what, act in acts.items():
                act()
                await asyncio.to_thread(worker.drain, Site(db, settings))
                await asyncio.wait_for(readers[what].task, PATIENCE)
                ended.add(what)
                assert {one for one, client in readers.items() if client.task.done()} == ended
            statuses.post(Site(db, settings), ann, parse("a wren sings"), "form-1")
            await asyncio.to_thread(worker.drain, Site(db, settings))
            for what in ("blocks", "stays"):  # still open to visitors
                await visitors[what].until(b"a wren sings")
            assert not [what for what, one in readers.items() if b"a wren sings" in one.sent]
            closed = {what for what, client in visitors.items() if client.task.done()}
            assert closed == owners.keys() - {"blocks", "stays"}
            for what in owners.keys() - {"stays"}:  # reconnecting is refused
                again = Client(
                    app, paths[what], "since=0-1", sessions.start(Site(db, settings), ben)
                )
                await asyncio.wait_for(again.task, PATIENCE)
                [error] = json.loads(again.sent)["errors"]
                assert again.status == 404 and "can’t see it" in error["message"]

    in_loop(go())
    app.db.close()
    db.close()


def test_protection_hides_statuses_in_homes_of_non_followers(settings: Config) -> None:
    db, app = connect(settings), StreamApp(settings)
    ann, ben, cid, dot = (
        sign_up(Site(db, settings), login) for login in ("ann", "ben", "cid", "dot")
    )
    following.follow(Site(db, settings), ben, "ann")
    for uid in (ann, ben, cid):
        following.follow(Site(db, settings), uid, "dot")
    tags.follow(Site(db, settings), dot, "song")
    worker.drain(Site(db, settings))
    cookies = {uid: sessions.start(Site(db, settings), uid) for uid in (ann, ben, cid, dot)}

    async def go() -> None:
        async with running(app):
            homes = {
                uid: Client(app, "/stream/home", cookie=cookie) for uid, cookie in cookies.items()
            }
            for one in homes.values():
                await one.until(b": welcome")
            lifecycle.protect(Site(db, settings), ann)
            await asyncio.to_thread(worker.drain, Site(db, settings))
            for uid in (cid, dot):  # they may have seen ann through a boost or a hashtag
                await homes[uid].until(
                    b'event: hide\ndata: {"account":"%d","followers":true}' % ann
                )
            statuses.post(Site(db, settings), dot, parse("a lark sings"), "form-1")
            await asyncio.to_thread(worker.drain, Site(db, settings))
            for uid in (ann, ben):
                await homes[uid].until(b"a lark sings")
                assert b"event: hide" not in homes[uid].sent

    in_loop(go())
    app.db.close()
    db.close()


def test_removed_follower_of_a_protected_member_gets_hide_events(settings: Config) -> None:
    db, app, fresh = connect(settings), StreamApp(settings), StreamApp(settings)
    ann, ben, cid, dot = (
        sign_up(Site(db, settings), login) for login in ("ann", "ben", "cid", "dot")
    )
    hide = b'event: hide\ndata: {"account":"%d"}' % ann
    for uid in (ben, cid):
        following.follow(Site(db, settings), uid, "ann")
        following.follow(Site(db, settings), uid, "dot")
    list_of_ann, list_of_dot = (
        lists.create(Site(db, settings), uid, "Birds") for uid in (ann, dot)
    )
    lists.set_memberships(Site(db, settings), ann, "dot", {list_of_ann: True})
    lists.set_memberships(Site(db, settings), dot, "ann", {list_of_dot: True})
    worker.drain(Site(db, settings))
    lifecycle.protect(Site(db, settings), ann)
    worker.drain(Site(db, settings))
    cookies = {uid: sessions.start(Site(db, settings), uid) for uid in (ben, cid)}
    paths = (
        "/stream/home",
        f"/stream/profile/{ann}",
        f"/stream/list/{dot}/{list_of_dot}",
        f"/stream/list/{ann}/{list_of_ann}",
    )

    async def go() -> None:
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
            requests.remove_follower(Site(db, settings), ann, "ben")
            following.unfollow(
                Site(db, settings), ben, "dot"
            )  # not protected, so nothing is hidden
            await asyncio.to_thread(worker.drain, Site(db, settings))
            for one in removed_readers[:3]:
                await one.until(hide)
            await asyncio.wait_for(
                removed_readers[3].task, PATIENCE
            )  # only ann's followers may read it
            reconnected = Client(app, paths[1], before, cookies[ben])
            await reconnected.until(hide)
            statuses.post(Site(db, settings), dot, parse("a lark sings"), "form-1")
            await asyncio.to_thread(worker.drain, Site(db, settings))
            for one in (follower_readers[0], follower_readers[3]):
                await one.until(b"a lark sings")
            others = [Client(app, paths[0], before, cookies[cid])]
            await others[0].until(b"a lark sings")
        async with running(fresh):  # it knows only the log
            await Client(fresh, paths[1], before, cookies[ben]).until(hide)
            others.append(Client(fresh, paths[0], before, cookies[cid]))
            await others[1].until(b"a lark sings")
        assert not [
            one for one in (*follower_readers, visitor, *others) if b"event: hide" in one.sent
        ]
        assert not [one for one in removed_readers if b'{"account":"%d"}' % dot in one.sent]

    in_loop(go())
    app.db.close()
    fresh.db.close()
    db.close()


def test_thread_stream_sends_what_its_page_shows(settings: Config) -> None:
    db, app = connect(settings), StreamApp(settings)
    names = ["ann", "ben", "muted", "blocked", "blocks", "suspended", "protected"]
    uids = {login: sign_up(Site(db, settings), login) for login in names}
    ann, ben = uids["ann"], uids["ben"]
    for login in ("ann", "protected"):
        following.follow(Site(db, settings), ben, login)

    def say(login: str, text: str, reply: int | None = None, seen: Visibility | None = None) -> int:
        form = f"form-{login}-{text}"
        return statuses.post(
            Site(db, settings), uids[login], parse(text), form, reply=reply, visibility=seen
        )

    root = say("ann", "a root")
    roots = {login: say(login, "their root") for login in names[2:]}
    limited = {word: say("ann", "@ben psst", seen=word) for word in WIDEST_FIRST if word.restricted}
    gone = say("ann", "a slip")
    statuses.delete(Site(db, settings), ann, gone)
    mutes.mute(Site(db, settings), ben, "muted")
    blocks.block(Site(db, settings), ben, "blocked")
    blocks.block(Site(db, settings), uids["blocks"], "ben")
    worker.drain(Site(db, settings))
    lifecycle.suspend(Site(db, settings), uids["suspended"])
    lifecycle.protect(Site(db, settings), uids["protected"])
    worker.drain(Site(db, settings))
    cookie = sessions.start(Site(db, settings), ben)
    refused = {roots[login]: 403 for login in ("blocked", "blocks", "suspended")}
    refused |= dict.fromkeys([roots["protected"], *limited.values(), gone, 12345], 404)

    async def go() -> None:
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
            editing.edit(Site(db, settings), ann, below, parse("below it, mended"), "", "0")
            await asyncio.to_thread(worker.drain, Site(db, settings))
            statuses.delete(Site(db, settings), ann, below)
            say("ann", "the last of it", root)
            await asyncio.to_thread(worker.drain, Site(db, settings))
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
            blocks.block(Site(db, settings), ann, "ben")
            await asyncio.to_thread(worker.drain, Site(db, settings))
            await asyncio.wait_for(member.task, PATIENCE)
            lifecycle.suspend(Site(db, settings), ann)
            await asyncio.to_thread(worker.drain, Site(db, settings))
            await visitor.until(b'event: hide\ndata: {"account":"%d"}' % ann)
            assert b"elsewhere" not in others[0].sent
            assert b"below it" not in others[0].sent + others[1].sent

    in_loop(go())
    app.db.close()
    db.close()


def sign_up(site: Site, login: str) -> int:
    return registration.sign_up(site, login, login.title(), PASSWORD).uid


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
