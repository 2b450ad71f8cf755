"""Members in every relationship, and what each sees where."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support import worker
from tests.support.loops import in_loop
from tests.support.pages import post_status
from tests.support.processes import PATIENCE
from tests.support.streaming.api_endpoint import Client as ApiClient
from tests.support.streaming.page_streams import Client as PageClient, running
from tests.support.world import OnSite
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.store import get_many_by_login
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.errors import NotFound
from webapp.core.store import Db
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys as status_keys, store as statuses
from webapp.statuses.interactions import boosts
from webapp.streaming.delivery.encoders import LineEncoder, SseEncoder
from webapp.streaming.server import StreamApp

# Columns: the relationship of finch, the viewer, to wren, the author, after finch followed wren.
#   none: nothing more; muted: finch mutes wren; expired: a mute that is over;
#   blocking: finch blocks wren; blocked: wren blocks finch; protected: wren is protected.
# Rows with "boosted by" are about a status of somebody whom finch does not follow.
TABLE = """
                                  none muted expired blocking blocked protected
home                              yes  -     yes     -        -       yes
public                            yes  -     yes     -        -       -
profile                           yes  yes   yes     -        -       yes
profile replies                   yes  yes   yes     -        -       yes
permalink                         yes  yes   yes     -        -       yes
thread above                      yes  yes   yes     -        -       yes
thread below                      yes  yes   yes     -        -       yes
tag                               yes  -     yes     -        -       -
followed tag                      yes  -     yes     -        -       -
by ids                            yes  yes   yes     -        -       yes
may vote                          yes  yes   yes     -        -       -
likers                            yes  yes   yes     -        -       -
in likers                         yes  yes   yes     -        -       -
boosters                          yes  yes   yes     -        -       yes
in boosters                       yes  yes   yes     -        -       yes
home, boosted by ibis             yes  -     yes     -        -       -
profile, boosted by ibis          yes  -     yes     -        -       -
home, boosted by wren             yes  -     yes     -        -       yes
profile, boosted by wren          yes  yes   yes     -        -       yes
by ids, boosted by wren           yes  yes   yes     -        -       yes
bookmarks                         yes  yes   yes     -        -       yes
own list                          yes  -     yes     -        -       yes
other's list                      yes  -     yes     -        -       yes
list, boosted by ibis             yes  -     yes     -        -       -
list, boosted by wren             yes  -     yes     -        -       yes
may forward                       yes  yes   yes     -        -       -
quote card                        yes  -     yes     -        -       yes
quote card below                  yes  -     yes     -        -       yes
quotes                            yes  yes   yes     -        -       yes
in quotes                         yes  yes   yes     -        -       -
may quote                         yes  yes   yes     -        -       -
feed                              yes  yes   yes     yes      yes     -
tag feed                          yes  yes   yes     yes      yes     -
public feed                       yes  yes   yes     yes      yes     -
visitor profile                   yes  yes   yes     yes      yes     -
visitor public                    yes  yes   yes     yes      yes     -
visitor permalink                 yes  yes   yes     yes      yes     -
visitor profile, boosted by ibis  yes  yes   yes     yes      yes     -
visitor tag                       yes  yes   yes     yes      yes     -
visitor other's list              yes  yes   yes     yes      yes     -
visitor list, boosted by wren     yes  yes   yes     yes      yes     -
visitor thread below              yes  yes   yes     yes      yes     -
visitor quote card                yes  yes   yes     yes      yes     -
visitor quotes                    yes  yes   yes     yes      yes     -
live home                         yes  -     yes     -        -       -
live home, boosted by ibis        yes  -     yes     -        -       -
live home, boosted by wren        yes  -     yes     -        -       yes
live public                       yes  -     yes     -        -       -
live profile                      yes  yes   yes     -        -       -
live tag                          yes  -     yes     -        -       -
live list                         yes  -     yes     -        -       -
live own list                     yes  -     yes     -        -       -
live list, boosted by wren        yes  -     yes     -        -       -
live thread                       yes  yes   yes     -        -       -
live visitor public               yes  yes   yes     yes      yes     -
live visitor profile              yes  yes   yes     yes      yes     -
live visitor tag                  yes  yes   yes     yes      yes     -
live visitor list                 yes  yes   yes     yes      yes     -
live visitor thread               yes  yes   yes     yes      yes     -
api filter by word                yes  -     yes     -        -       -
api filter by author              yes  yes   yes     -        -       -
api firehose                      yes  -     yes     -        -       -
api filter, boosted by ibis       yes  -     yes     -        -       -
api filter, boosted by wren       yes  yes   yes     -        -       -
api filter, in a quote            yes  -     yes     -        -       -
program home                      yes  -     yes     -        -       yes
program home, boosted by ibis     yes  -     yes     -        -       -
program home, boosted by wren     yes  -     yes     -        -       yes
"""
COLUMNS = TABLE.split("\n")[1].split()
ROWS = {
    line[:34].strip(): dict(zip(COLUMNS, line[34:].split(), strict=True))
    for line in TABLE.split("\n")[2:]
    if line
}
Clients = dict[str, PageClient | ApiClient]


@dataclass
class Scene(OnSite):
    """wren's statuses and their surroundings; finch, the viewer, followed wren and ibis.

    - wren wrote `song`: ibis replied (`reply`), jay quoted it (`quote`), finch bookmarked it.
    - wren replied to, quoted and liked what ibis wrote, `ibis_status`.
    - ibis boosted another status of wren, `boosted_by_ibis`.
    - wren boosted a status of kite, `boosted_by_wren`.
    - finch and ibis have wren on a list; finch has ibis on another.
    """

    app: Flask
    config: Config
    finch: FlaskClient
    uids: dict[str, int]
    song: int
    reply: int
    quote: int
    ibis_status: int
    boosted_by_ibis: int
    boosted_by_wren: int

    @property
    def db(self) -> Db:
        db: Db = self.app.extensions["linnet.db"]
        return db


@pytest.fixture
def scene(app: Flask, settings: Config, member: SignUp) -> Scene:
    names = ["finch", "wren", "ibis", "kite", "jay"]
    finch, wren, ibis, kite, jay = (member(login) for login in names)
    members = get_many_by_login(app.extensions["linnet.db"], names)
    uids = {login: found.uid for login, found in members.items()}
    finch.post("/@wren/follow")
    finch.post("/@ibis/follow")
    create_list(finch, "finch", 1, "wren")
    create_list(ibis, "ibis", 1, "wren")
    create_list(finch, "finch", 2, "ibis")
    song, ibis_status = post_status(wren, "a wren sings #song"), post_status(ibis, "an ibis wades")
    reply = post_reply(ibis, "so it does", song)
    post_reply(wren, "a wren trills back", ibis_status)
    wren.post("/statuses", data={"text": "a wren quips", "quote": ibis_status})
    quote = post_reply(jay, "a jay screams", ibis_status, quote=song, visibility="unlisted")
    finch.post(f"/statuses/{song}/bookmark")
    wren.post(f"/statuses/{ibis_status}/like")
    boosted_by_ibis = post_status(wren, "a wren hums")
    boosted_by_wren = post_status(kite, "a kite soars")
    ibis.post(f"/statuses/{boosted_by_ibis}/boost")
    wren.post(f"/statuses/{boosted_by_wren}/boost")
    return Scene(
        app,
        settings,
        finch,
        uids,
        song,
        reply,
        quote,
        ibis_status,
        boosted_by_ibis,
        boosted_by_wren,
    )


def create_list(client: FlaskClient, owner: str, number: int, login: str) -> None:
    """Create a list with one member, and build its timeline."""
    client.post("/lists", data={"name": f"List {number}"})
    client.post(f"/lists/{number}/members", data={"people": login})
    client.get(f"/@{owner}/lists/{number}")


def post_reply(client: FlaskClient, text: str, to: int, **form: object) -> int:
    """Post a reply and return its id."""
    response = client.post("/statuses", data={"text": text, "reply": to, **form})
    assert response.status_code == 303
    return int(response.location.partition("#status-")[2])


def rows_on_streams(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[], None],
    visibility: Visibility | None = None,
) -> tuple[set[str], set[str], set[str]]:
    """Return the rows of streams that send what wren writes after `change`.

    Three sets: the streams that were open before the change, those opened after it, and those
    that resume from a position before wren wrote.
    """
    for encoder in (SseEncoder, LineEncoder):
        monkeypatch.setattr(encoder, "heartbeat", 0.02)
    finch, wren = scene.uids["finch"], scene.uids["wren"]
    site = scene.site
    cookie = sessions.start(site, finch, sessions.INITIAL_EPOCH)
    token = tokens.create(site, finch, "script")
    lifecycle.grant(site.db, finch, "firehose")
    app = StreamApp(replace(site.config, streams_per_member=20))

    def write_and_boost() -> None:
        text = parse("a wren trills #song")
        statuses.post(site, wren, text, "form-trill", reply=scene.song, visibility=visibility)
        worker.drain(site)
        with suppress(NotFound):  # ibis does not follow wren, who may be protected
            boosts.boost(site, scene.uids["ibis"], scene.song)
        worker.drain(site)
        boosts.boost(site, wren, scene.ibis_status)
        worker.drain(site)
        quote = parse("a jay quotes")  # jay could still quote what wren wrote before
        stored = statuses.post(site, scene.uids["jay"], quote, "form-quote-of-jay")
        fields = {"quoted_id": scene.boosted_by_ibis, "quoted_uid": wren}
        for name, value in fields.items():
            site.db.run(("HSET", status_keys.status(stored), name, value))
        worker.drain(site)

    async def observe() -> tuple[set[str], set[str], set[str]]:
        async with running(app):
            before = open_page_streams(app, scene, cookie) | open_api_streams(app, token)
            await wait_until_sent(app, before)
            await asyncio.to_thread(change)
            after = open_page_streams(app, scene, cookie) | open_api_streams(app, token)
            await wait_until_sent(app, before, after)
            position = str(app.hub.position)
            await asyncio.to_thread(write_and_boost)
            resumed = open_page_streams(app, scene, cookie, position)
            for clients in (before, after, resumed):
                await wait_until_sent(app, clients)
            return rows_sent(scene, before), rows_sent(scene, after), rows_sent(scene, resumed)

    try:
        return in_loop(observe())
    finally:
        app.db.close()


def open_page_streams(app: StreamApp, scene: Scene, cookie: str, since: str = "") -> Clients:
    """Open every stream of pages as finch and as a visitor, resuming after `since`."""
    query = f"since={since}" if since else ""
    shared = {
        "public": "public",
        "profile": f"profile/{scene.uids['wren']}",
        "tag": "tag/song",
        "list": f"list/{scene.uids['ibis']}/1",
        "thread": f"thread/{scene.song}",
    }
    own = shared | {"home": "home", "own list": f"list/{scene.uids['finch']}/1"}
    clients: Clients = {
        f"live {row}": PageClient(app, f"/stream/{path}", query, cookie)
        for row, path in own.items()
    }
    for row, path in shared.items():
        clients[f"live visitor {row}"] = PageClient(app, f"/stream/{path}", query)
    return clients


def open_api_streams(app: StreamApp, token: str) -> Clients:
    """Open streams of the API as finch."""
    return {
        "api filter by word": ApiClient(app, "filter", "track=wren", token),
        "api filter by author": ApiClient(app, "filter", "follow=wren", token),
        "api firehose": ApiClient(app, "firehose", "", token),
        "api boosts of ibis": ApiClient(app, "filter", "follow=ibis", token),
        "api quotes": ApiClient(app, "filter", "track=quotes", token),
        "program home": PageClient(app, "/stream/home", token=token),
    }


async def wait_until_sent(app: StreamApp, *groups: Clients) -> None:
    """Wait until every open stream has been sent the log up to its newest entry."""
    newest = (await asyncio.to_thread(app.log.available_range)).newest
    clients = [client for group in groups for client in group.values()]
    async with asyncio.timeout(PATIENCE):
        while app.hub.position < newest:
            await asyncio.sleep(0.01)
        for _ in range(2):  # a heartbeat may already be under way; the second follows the entries
            sizes = [(client, len(client.sent)) for client in clients]
            while any(
                len(client.sent) == size and not client.task.done() for client, size in sizes
            ):
                await asyncio.sleep(0.01)


def rows_sent(scene: Scene, clients: Clients) -> set[str]:
    """Return the rows of streams that were sent the new status or boost."""
    found = {row for row, client in clients.items() if b"a wren trills" in client.sent}
    boosted = {
        "live home, boosted by ibis": ("live home", scene.song),
        "live home, boosted by wren": ("live home", scene.ibis_status),
        "live list, boosted by wren": ("live list", scene.ibis_status),
    }
    for row, (stream, status) in boosted.items():
        if b'"id":"%d","boost"' % status in clients[stream].sent:
            found.add(row)
    programs = {
        "api filter, boosted by ibis": ("api boosts of ibis", "RT @wren: a wren sings"),
        "api filter, boosted by wren": ("api filter by author", "RT @ibis: an ibis wades"),
        "api filter, in a quote": ("api quotes", "a wren hums"),
        "program home, boosted by ibis": ("program home", "RT @wren: a wren sings"),
        "program home, boosted by wren": ("program home", "RT @ibis: an ibis wades"),
    }
    for row, (stream, text) in programs.items():
        if stream in clients and text.encode() in clients[stream].sent:
            found.add(row)
    return found & ROWS.keys()


def expected_rows(column: str, *kinds: str) -> set[str]:
    """Return the rows of these kinds whose cell in a column says yes."""
    return {
        row for row, cells in ROWS.items() if cells[column] == "yes" and row.split()[0] in kinds
    }
