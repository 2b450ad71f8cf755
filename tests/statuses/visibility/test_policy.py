"""Who sees whose statuses: every path on which statuses show, by what is between a reader and their author. One table,
checked as one: what is added to the site adds a row or a column.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.streaming.api_v1.test_endpoint import Client as ApiClient
from tests.streaming.pages.test_delivery import Client as PageClient
from tests.streaming.pages.test_delivery import running
from tests.support import worker
from tests.support.processes import PATIENCE
from tests.support.streaming.client import in_loop
from tests.system.test_pages import write
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.store import get_many_by_login
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts
from webapp.statuses.visibility.policy import ANONYMOUS, Exposure, Relationship
from webapp.statuses.visibility.visibility import Visibility
from webapp.streaming.delivery.encoders import LineEncoder, SseEncoder
from webapp.streaming.pages.server import StreamApp

# Each column is what is between finch, who reads and has followed wren, and wren, who has written: nothing more;
# finch mutes wren; a mute that is over; finch blocks wren; wren blocks finch; wren is protected by now. `all`: what
# everybody is shown, and finch too.
TABLE = """
                                nothing  muted  over  blocking  blocked  protected
home                            yes      -      yes   -         -      yes
public                          yes      -      yes   -         -      -
profile                         yes      yes    yes   -         -      yes
profile with replies            yes      yes    yes   -         -      yes
permalink                       yes      yes    yes   -         -      yes
thread above                    yes      yes    yes   -         -      yes
thread below                    yes      yes    yes   -         -      yes
tag                             yes      -      yes   -         -      -
followed tag                    yes      -      yes   -         -      -
several                         yes      yes    yes   -         -      yes
voting in its poll              yes      yes    yes   -         -      -
likes of it                     yes      yes    yes   -         -      -
among likers                    yes      yes    yes   -         -      -
boosts of it                    yes      yes    yes   -         -      yes
among boosters                  yes      yes    yes   -         -      yes
home of a boost                 yes      -      yes   -         -      -
profile of who boosts           yes      -      yes   -         -      -
home of their boost             yes      -      yes   -         -      yes
profile with their boost        yes      yes    yes   -         -      yes
several as they boost           yes      yes    yes   -         -      yes
bookmarks                       yes      yes    yes   -         -      yes
own list                        yes      -      yes   -         -      yes
somebody's list                 yes      -      yes   -         -      yes
list of a boost                 yes      -      yes   -         -      -
list of their boost             yes      -      yes   -         -      yes
forward                         yes      yes    yes   -         -      -
quote card                      yes      -      yes   -         -      yes
quote card below                yes      -      yes   -         -      yes
quotes of it                    yes      yes    yes   -         -      yes
among quotes                    yes      yes    yes   -         -      -
may quote                       yes      yes    yes   -         -      -
feed                            yes      yes    yes   yes       yes    -
tag feed                        yes      yes    yes   yes       yes    -
public feed                     yes      yes    yes   yes       yes    -
visitor's profile               yes      yes    yes   yes       yes    -
visitor's public                yes      yes    yes   yes       yes    -
visitor's permalink             yes      yes    yes   yes       yes    -
visitor's profile of a boost    yes      yes    yes   yes       yes    -
visitor's tag                   yes      yes    yes   yes       yes    -
visitor's somebody's list       yes      yes    yes   yes       yes    -
visitor's list of their boost   yes      yes    yes   yes       yes    -
visitor's thread below          yes      yes    yes   yes       yes    -
visitor's quote card            yes      yes    yes   yes       yes    -
visitor's quotes                yes      yes    yes   yes       yes    -
live home                       yes      -      yes   -         -      -
live home of a boost            yes      -      yes   -         -      -
live home of their boost        yes      -      yes   -         -      yes
live public                     yes      -      yes   -         -      -
live profile                    yes      yes    yes   -         -      -
live tag                        yes      -      yes   -         -      -
live list                       yes      -      yes   -         -      -
live own list                   yes      -      yes   -         -      -
live list of their boost        yes      -      yes   -         -      -
live thread                     yes      yes    yes   -         -      -
live visitor's public           yes      yes    yes   yes       yes    -
live visitor's profile          yes      yes    yes   yes       yes    -
live visitor's tag              yes      yes    yes   yes       yes    -
live visitor's list             yes      yes    yes   yes       yes    -
live visitor's thread           yes      yes    yes   yes       yes    -
api filter by word              yes      -      yes   -         -      -
api filter by author            yes      yes    yes   -         -      -
api firehose                    yes      -      yes   -         -      -
"""
COLUMNS = TABLE.split("\n")[1].split()
ROWS = {
    line[:32].strip(): dict(zip(COLUMNS, line[32:].split(), strict=True))
    for line in TABLE.split("\n")[2:]
    if line
}
Join = Callable[[str], FlaskClient]


@dataclass
class Scene:
    """wren has written `sung`, which ibis answered and jay quoted at `jays`, and `hummed`, which ibis boosted; has
    answered, quoted and likes what ibis wrote; and boosted what kite wrote, `soared`. finch followed wren and ibis, and
    bookmarked. finch and ibis have wren on a list, and finch has ibis on another.
    """

    app: Flask
    config: Config
    finch: FlaskClient
    uids: dict[str, int]
    sung: int
    ibis: int
    answer: int
    hummed: int
    soared: int
    jays: int

    @property
    def db(self) -> Db:
        found: Db = self.app.extensions["linnet.db"]
        return found


@pytest.fixture
def scene(app: Flask, settings: Config, member: Join) -> Scene:
    names = ["finch", "wren", "ibis", "kite", "jay"]
    finch, wren, ibis, kite, jay = (member(login) for login in names)
    uids = {
        login: one.uid
        for login, one in get_many_by_login(app.extensions["linnet.db"], names).items()
    }
    finch.post("/@wren/follow")
    finch.post("/@ibis/follow")
    for login, client in (("finch", finch), ("ibis", ibis)):
        client.post("/lists", data={"name": "Wrens"})
        client.post("/lists/1/members", data={"login": "wren"})
        client.get(f"/@{login}/lists/1")  # so that it is kept
    finch.post("/lists", data={"name": "Ibises"})
    finch.post("/lists/2/members", data={"login": "ibis"})
    finch.get("/@finch/lists/2")
    sung, other = write(wren, "a wren sings #song"), write(ibis, "an ibis wades")
    ibis.post("/statuses", data={"text": "so it does", "reply": sung})
    answer = int(re.findall(r'id="status-(\d+)"', ibis.get("/home").text)[0])
    wren.post("/statuses", data={"text": "a wren trills back", "reply": other})
    wren.post("/statuses", data={"text": "a wren quips", "quote": other})
    answer_of_jay = {
        "text": "a jay screams",
        "quote": sung,
        "reply": other,
        "visibility": "unlisted",
    }
    jays = int(jay.post("/statuses", data=answer_of_jay).location.partition("#status-")[2])
    finch.post(f"/statuses/{sung}/bookmark")
    wren.post(f"/statuses/{other}/like")
    hummed, soared = write(wren, "a wren hums"), write(kite, "a kite soars")
    ibis.post(f"/statuses/{hummed}/boost")
    wren.post(f"/statuses/{soared}/boost")
    return Scene(app, settings, finch, uids, sung, other, answer, hummed, soared, jays)


def bring_about(scene: Scene, column: str) -> None:
    """Makes what a column says true."""
    finch, wren = scene.uids["finch"], scene.uids["wren"]
    if column in ("muted", "over"):
        mutes.mute(scene.db, scene.config, finch, "wren", 3_600)
    if column == "over":
        scene.db.run(("ZADD", following_keys.mutes(finch), int(time.time()) - 1, wren))
    if column == "blocking":
        blocks.block(scene.db, scene.config, finch, "wren")
    if column == "blocked":
        blocks.block(scene.db, scene.config, wren, "finch")
    if column == "protected":
        lifecycle.protect(scene.db, scene.config, wren)
    worker.drain(scene.db, scene.config)


def on_pages(scene: Scene) -> set[str]:
    """The rows of pages on which finch, or a visitor, is shown what wren wrote."""
    sung, visitor = scene.sung, scene.app.test_client()
    paths = {
        "home": "/home",
        "public": "/public",
        "profile": "/@wren",
        "profile with replies": "/@wren/replies",
        "permalink": f"/@wren/{sung}",
        "thread above": f"/@ibis/{scene.answer}",
        "tag": "/tags/song",
        "tag feed": "/tags/song.atom",
        "several": f"/statuses?ids={sung}",
        "bookmarks": "/bookmarks",
        "own list": "/@finch/lists/1",
        "somebody's list": "/@ibis/lists/1",
        "forward": f"/chats/forward?status={sung}",
        "quote card": f"/@jay/{scene.jays}",
        "quote card below": f"/@ibis/{scene.ibis}",
        "feed": "/@wren/feed.atom",
        "public feed": "/public.atom",
    }
    found = {row for row, path in paths.items() if "a wren sings" in scene.finch.get(path).text}
    plain = {
        f"visitor's {row}": paths[row]
        for row in ("profile", "public", "permalink", "tag", "somebody's list")
    }
    found |= {row for row, path in plain.items() if "a wren sings" in visitor.get(path).text}
    below = f"/@ibis/{scene.ibis}"
    whose = {"thread below": scene.finch, "visitor's thread below": visitor}
    found |= {
        row for row, client in whose.items() if "a wren trills back" in client.get(below).text
    }
    boosted = {
        "home of their boost": "/home",
        "profile with their boost": "/@wren",
        "several as they boost": f"/statuses?ids={scene.soared}-{scene.uids['wren']}",
        "list of their boost": "/@finch/lists/1",
    }
    found |= {row for row, path in boosted.items() if "a kite soars" in scene.finch.get(path).text}
    if "a kite soars" in visitor.get("/@ibis/lists/1").text:
        found.add("visitor's list of their boost")
    if "a wren hums" in scene.finch.get("/@finch/lists/2").text:
        found.add("list of a boost")
    if "a wren hums" in scene.finch.get("/@ibis").text:
        found.add("profile of who boosts")
    if "a wren hums" in visitor.get("/@ibis").text:
        found.add("visitor's profile of a boost")
    if scene.finch.get(f"/@wren/{scene.hummed}/boosts").status_code == 200:
        found.add("boosts of it")
    if 'href="/@wren"' in scene.finch.get(f"/@kite/{scene.soared}/boosts").text:
        found.add("among boosters")
    quotes = f"/@ibis/{scene.ibis}/quotes"
    whose = {"among quotes": scene.finch, "visitor's quotes": visitor}
    found |= {row for row, client in whose.items() if "a wren quips" in client.get(quotes).text}
    if "a wren sings" in visitor.get(f"/@jay/{scene.jays}").text:
        found.add("visitor's quote card")
    if scene.finch.get(f"/statuses/new?quote={sung}").status_code == 200:
        found.add("may quote")
    if scene.finch.get(f"/@wren/{sung}/quotes").status_code == 200:
        found.add("quotes of it")
    scene.finch.post("/@wren/unfollow")
    if "a wren hums" in scene.finch.get("/home").text:
        found.add("home of a boost")
    scene.finch.post("/tags/song/follow")
    if "a wren sings" in scene.finch.get("/home").text:
        found.add("followed tag")
    scene.db.run(("HSET", status_keys.status(sung), "poll", '[["Trill","Chirp"],60,0]'))
    if scene.finch.post(f"/statuses/{sung}/vote", data={"option": "0"}).status_code == 303:
        found.add("voting in its poll")
    if scene.finch.get(f"/@wren/{sung}/likes").status_code == 200:
        found.add("likes of it")
    if 'href="/@wren"' in scene.finch.get(f"/@ibis/{scene.ibis}/likes").text:
        found.add("among likers")
    return found


def on_streams(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[], None],
    visibility: Visibility | None = None,
) -> tuple[set[str], ...]:
    """The rows of streams on which finch, or a visitor, is sent what wren writes: those that were open before `change`
    was made, those opened after it, and those that come back after wren has written.
    """
    for framing in (SseEncoder, LineEncoder):
        monkeypatch.setattr(framing, "heartbeat", 0.02)
    finch, wren = scene.uids["finch"], scene.uids["wren"]
    cookie = sessions.start(scene.db, scene.config, finch, sessions.INITIAL_EPOCH)
    app = StreamApp(replace(scene.config, streams_per_member=20))
    lifecycle.grant(scene.db, finch, "firehose")

    def opened(since: str = "") -> dict[str, PageClient | ApiClient]:
        """A stream of each kind; those of pages go on after `since`."""
        after = f"since={since}" if since else ""
        calls = {
            "word": ("filter", "track=wren"),
            "author": ("filter", "follow=wren"),
            "hose": ("firehose", ""),
        }
        names = {
            "word": "api filter by word",
            "author": "api filter by author",
            "hose": "api firehose",
        }
        of_api = (
            {names[one]: ApiClient(app, *call, token) for one, call in calls.items()}
            if not since
            else {}
        )
        open_ = {
            "public": "public",
            "profile": f"profile/{wren}",
            "tag": "tag/song",
            "list": f"list/{scene.uids['ibis']}/1",
            "thread": f"thread/{scene.sung}",
        }
        own = open_ | {"home": "home", "own list": f"list/{finch}/1"}
        return {
            **{
                f"live {row}": PageClient(app, f"/stream/{path}", after, cookie)
                for row, path in own.items()
            },
            **{
                f"live visitor's {row}": PageClient(app, f"/stream/{path}", after)
                for row, path in open_.items()
            },
            **of_api,
        }

    async def sent(clients: dict[str, PageClient | ApiClient]) -> None:
        """Waits until each has been sent what the log has by now, or has been ended."""
        newest = await asyncio.to_thread(app.log.newest)
        async with asyncio.timeout(PATIENCE):
            while app.hub.position < newest:
                await asyncio.sleep(0.01)
            for _ in range(2):  # what was being sent meanwhile, and what came after that
                waiting = [(one, len(one.sent)) for one in clients.values()]
                while any(len(one.sent) == size and not one.task.done() for one, size in waiting):
                    await asyncio.sleep(0.01)

    def act(what: Callable[[], object]) -> None:
        what()
        worker.drain(scene.db, scene.config)

    async def go() -> tuple[set[str], ...]:
        async with running(app):
            before = opened()
            await sent(before)
            await asyncio.to_thread(act, change)
            after = opened()
            await sent(before | {f"{row} after": one for row, one in after.items()})
            position = str(app.hub.position)
            song = parse("a wren trills #song")
            given = (scene.db, scene.config, wren, song, "form-trill")
            await asyncio.to_thread(
                act, lambda: statuses.post(*given, reply=scene.sung, visibility=visibility)
            )
            of = (scene.db, scene.config)
            with suppress(NotFound):  # for ibis does not follow wren, who may be protected
                await asyncio.to_thread(
                    act, lambda: boosts.boost(*of, scene.uids["ibis"], scene.sung)
                )
            await asyncio.to_thread(act, lambda: boosts.boost(*of, wren, scene.ibis))
            back = opened(position)
            for clients in (before, after, back):
                await sent(clients)
            parts = (before, after, back)
            return tuple(rows(part) for part in parts)

    def rows(clients: dict[str, PageClient | ApiClient]) -> set[str]:
        found = {row for row, one in clients.items() if b"a wren trills" in one.sent}
        boosted = {
            "home of a boost": scene.sung,
            "home of their boost": scene.ibis,
            "list of their boost": scene.ibis,
        }
        told = {
            f"live {row}": (clients[f"live {row[:4]}"].sent, number)
            for row, number in boosted.items()
        }
        return found | {
            row for row, (sent, number) in told.items() if b'"id":"%d","boost"' % number in sent
        }

    token = tokens.create(scene.db, scene.config, finch, "script")
    try:
        return in_loop(go())
    finally:
        app.db.close()


def wanted(column: str, *kinds: str) -> set[str]:
    """The rows of these kinds whose cell in a column says yes."""
    return {
        row for row, cells in ROWS.items() if cells[column] == "yes" and row.split()[0] in kinds
    }


@pytest.mark.parametrize("column", COLUMNS)
def test_pages_show_what_the_table_says(scene: Scene, column: str) -> None:
    bring_about(scene, column)
    kinds = {row.split()[0] for row in ROWS} - {"live", "api"}
    assert on_pages(scene) == wanted(column, *kinds)


@pytest.mark.parametrize("column", COLUMNS)
def test_streams_send_what_the_table_says(
    scene: Scene, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after, back = on_streams(scene, monkeypatch, lambda: bring_about(scene, column))
    assert before == after == wanted(column, "live", "api")
    assert back == wanted(column, "live")


def test_a_mute_that_ends_while_a_stream_is_open_hides_nothing_more(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def briefly() -> None:
        mutes.mute(scene.db, scene.config, scene.uids["finch"], "wren", 3_600)
        monkeypatch.setattr(
            "webapp.streaming.log.messages.time",
            SimpleNamespace(time=lambda: time.time() + 7_200),
        )

    before, after, _ = on_streams(scene, monkeypatch, briefly)
    assert before == after == wanted("over", "live", "api")


def test_every_decision_is_made_of_what_is_known() -> None:
    known = Relationship(1, frozenset({2}), frozenset({3}), frozenset({2, 4}))
    assert [known.exposure(uid) for uid in range(1, 6)] == [
        *(
            Exposure.IN_TIMELINES,
            Exposure.HIDDEN,
            Exposure.HIDDEN,
            Exposure.ON_REQUEST,
            Exposure.IN_TIMELINES,
        ),
    ]
    assert [known.visible_in_timelines(uid) for uid in range(1, 6)] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert [known.visible_on_request(uid) for uid in range(1, 6)] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert ANONYMOUS.exposure(2) is Exposure.IN_TIMELINES


def test_a_profile_says_why_it_shows_nothing_and_a_permalink_too(member: Join, app: Flask) -> None:
    finch, wren = member("finch"), member("wren")
    sung = write(wren, "a wren sings")
    finch.post("/@wren/block")
    page = finch.get("/@wren").text
    assert (
        "You block @wren" in page
        and 'action="/@wren/unblock"' in page
        and 'action="/@wren/follow"' not in page
    )
    assert "data-live" not in page
    assert "You block this member" in finch.get(f"/@wren/{sung}").text
    theirs = wren.get("/@finch").text
    assert (
        "@finch does not show you what they write." in theirs
        and 'action="/@finch/follow"' not in theirs
    )
    finch.post("/@wren/unblock")
    assert "a wren sings" in finch.get("/@wren").text
    wren.post("/@finch/block")
    answer = finch.get(f"/@wren/{sung}")
    assert (
        answer.status_code == 403
        and "This member doesn’t share their posts with you." in answer.text
    )
    assert finch.post(f"/statuses/{sung}/bookmark").status_code == 403
