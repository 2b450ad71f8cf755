"""Restricted statuses are sent live to the homes of those who may see them, nowhere else."""

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.support.loops import in_loop
from tests.support.processes import PATIENCE
from tests.support.statuses.polls import SONGS
from tests.support.streaming.page_streams import Client, running
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.core.text.parser import parse
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses.edits import editing
from webapp.statuses.polls import voting
from webapp.statuses.values.visibility import parse_visibility
from webapp.streaming.server import StreamApp

pytestmark = pytest.mark.slow

# What each stream gets of what wren writes for followers, for those mentioned, or while protected:
# the first letters of post, edit, tally, delete, boost and unboost. All members follow dot.
# "muting" follows wren and is mentioned, too.
EXPECTED = """
                    followers mentioned protected
home of wren        peptd     peptd     peptdu
home of stranger    -         -         -
home of follower    peptd     -         peptdbu
home of named       -         -         -
home of both        peptd     peptd     peptdbu
home of muting      d         d         du
home of blocking    -         -         -
home of blocked     -         -         -
home of removed     -         -         -
everybody's page    -         -         -
visitor's profile   -         -         -
follower's profile  -         -         -
follower's list     -         -         -
tag                 -         -         -
filter by author    -         -         -
filter by words     -         -         -
sample              -         -         -
firehose            -         -         -
both, later         ptd       ptd       ptdbu
stranger, later     -         -         -
firehose, counted   -         -         -
"""
COLUMNS, *ROWS = EXPECTED.strip("\n").split("\n")


@pytest.mark.parametrize("audience", COLUMNS.split())
def test_restricted_statuses_reach_homes_of_their_audience_only(web: Web, audience: str) -> None:
    column = COLUMNS.split().index(audience)
    found = _events_by_stream(web, audience)
    assert found == {row[:20].strip(): row[20:].split()[column] for row in ROWS}


def _events_by_stream(web: Web, audience: str) -> dict[str, str]:
    """Return the events that each stream gets of wren's restricted statuses."""
    app, fresh = StreamApp(web.config), StreamApp(web.config)
    logins = "wren stranger follower named both muting blocking blocked removed".split()
    uids = dict(zip((*logins, "dot"), web.people(*logins, "dot"), strict=True))
    wren, dot = uids["wren"], uids["dot"]
    for login in logins:
        web.follow(uids[login], "dot")
    for login in "follower both muting blocking blocked removed".split():
        web.follow(uids[login], "wren")
    number = lists.create(web, uids["follower"], "Birds")
    lists.set_memberships(web, uids["follower"], "wren", {number: True})
    lifecycle.grant(web.db, uids["both"], "firehose")
    old = web.post(dot, "old")
    web.apply_events()
    cookies = {login: sessions.start(web, uid) for login, uid in uids.items()}
    mine = cookies["follower"]
    streams = {f"home of {login}": ("/stream/home", "", cookies[login]) for login in logins}
    streams |= {  # at most one API stream for each member
        "everybody's page": ("/stream/public", "", mine),
        "visitor's profile": (f"/stream/profile/{wren}", "", ""),
        "follower's profile": (f"/stream/profile/{wren}", "", mine),
        "follower's list": (f"/stream/list/{uids['follower']}/{number}", "", mine),
        "tag": ("/stream/tag/song", "", mine),
        "filter by author": ("/1.1/statuses/filter.json", f"follow={wren}", mine),
        "filter by words": ("/1.1/statuses/filter.json", "track=secret,end", cookies["dot"]),
        "sample": ("/1.1/statuses/sample.json", "percent=10", cookies["named"]),
        "firehose": ("/1.1/statuses/firehose.json", "", cookies["both"]),
    }
    received: dict[str, str] = {}

    async def act(*acts: Callable[[], object]) -> None:
        for one in acts:
            one()
            await asyncio.to_thread(web.apply_events)

    async def go() -> None:
        async with running(app):
            clients = {
                name: Client(app, path, query, cookie)
                for name, (path, query, cookie) in streams.items()
            }
            for name, one in clients.items():
                await one.until(b"\r\n" if "statuses" in streams[name][0] else b": welcome")
            await act(
                lambda: web.mute(uids["muting"], "wren"),
                lambda: web.block(uids["blocking"], "wren"),
                lambda: web.block(wren, "blocked"),
                lambda: requests.remove_follower(web, wren, "removed"),
            )
            before = str(app.hub.position)
            if audience == "protected":
                await act(lambda: web.protect(wren))
            first, poll_id = await asyncio.to_thread(_post_secrets, web, audience, uids)
            await clients["home of wren"].until(b"event: tally")  # before the deletion
            await act(lambda: web.delete(wren, first))
            ids = {first, poll_id, old}
            if audience == "protected":
                await act(lambda: web.boost(wren, old), lambda: web.unboost(wren, old))
                await act(lambda: web.protect(wren, False))
            # Every stream gets these, so everything before them has arrived.
            for uid, words in ((wren, "the end #song"), (dot, "a lark sings")):
                await act(lambda uid=uid, words=words: web.post(uid, words))
            for name, one in clients.items():
                public_end = b"\r\n" if name == "sample" else b"the end"
                await one.until(b"a lark sings" if "home" in name else public_end)
            received.update({name: _letters(one.sent, ids) for name, one in clients.items()})
        async with running(fresh):  # it knows only the log
            for login in ("both", "stranger"):
                again = Client(fresh, "/stream/home", f"since={before}", cookies[login])
                await again.until(b"a lark sings")
                received[f"{login}, later"] = _letters(again.sent, ids)
            count = Client(fresh, "/1.1/statuses/firehose.json", "count=-2", cookies["both"])
            await asyncio.wait_for(count.task, PATIENCE)
            assert b"the end" in count.sent and b"a lark sings" in count.sent, (
                "the two newest public statuses"
            )
            received["firehose, counted"] = _letters(count.sent, ids)

    in_loop(go())
    return received


def _post_secrets(web: Web, audience: str, uids: dict[str, int]) -> tuple[int, int]:
    """Post, edit and poll as wren; return the ids of the status and the poll."""
    visibility = None if audience == "protected" else parse_visibility(audience)
    words, posted = "secret #song @named @both @muting @blocking @blocked", list[int]()
    for poll in (None, SONGS):
        posted.append(web.post(uids["wren"], words, visibility=visibility, poll=poll))
        web.apply_events()
        if not poll:
            editing.edit(web, uids["wren"], posted[0], parse(f"{words} again"), "", "0")
            web.apply_events()
    web.do(voting.vote, uids["both"], posted[1], {0})
    return posted[0], posted[1]


def _letters(sent: bytes, ids: set[int]) -> str:
    """Return the first letters of the events about these statuses, which have no text."""
    assert b"secret" not in sent
    letters = ""
    for block in sent.split(b"\n\n"):
        lines = dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line)
        data = json.loads(lines.get("data", "{}"))
        if int(data.get("id", 0)) in ids:
            boosted = {"boost", "author"} if "boost" in lines["event"] else set()
            assert data.keys() == {"id", "account"} | boosted
            letters += "p" if lines["event"] == "update" else lines["event"][0]
    if not letters:
        assert not [status_id for status_id in ids if str(status_id).encode() in sent]
    return letters or "-"
