"""Restricted statuses are sent live to the homes of those who may see them, nowhere else."""

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.processes import PATIENCE
from tests.support.statuses.polls import SONGS
from tests.support.streaming.client import in_loop
from tests.support.streaming.page_streams import Client, running
from webapp.accounts import lifecycle, registration
from webapp.accounts.sessions import store as sessions
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts
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
def test_restricted_statuses_reach_homes_of_their_audience_only(
    settings: Config, audience: str
) -> None:
    column = COLUMNS.split().index(audience)
    assert _events_by_stream(settings, audience) == {
        row[:20].strip(): row[20:].split()[column] for row in ROWS
    }


def _events_by_stream(settings: Config, audience: str) -> dict[str, str]:
    """Return the events that each stream gets of wren's restricted statuses."""
    db, app, fresh = connect(settings), StreamApp(settings), StreamApp(settings)
    logins = "wren stranger follower named both muting blocking blocked removed".split()
    uids = {
        login: registration.sign_up(Site(db, settings), login, login.title(), PASSWORD).uid
        for login in (*logins, "dot")
    }
    wren, dot = uids["wren"], uids["dot"]
    for login in logins:
        following.follow(Site(db, settings), uids[login], "dot")
    for login in "follower both muting blocking blocked removed".split():
        following.follow(Site(db, settings), uids[login], "wren")
    number = lists.create(Site(db, settings), uids["follower"], "Birds")
    lists.set_memberships(Site(db, settings), uids["follower"], "wren", {number: True})
    lifecycle.grant(db, uids["both"], "firehose")
    old = statuses.post(Site(db, settings), dot, parse("old"), "form-old")
    worker.drain(Site(db, settings))
    cookies = {login: sessions.start(Site(db, settings), uid) for login, uid in uids.items()}
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
            await asyncio.to_thread(worker.drain, Site(db, settings))

    async def go() -> None:
        async with running(app):
            clients = {
                name: Client(app, path, query, cookie)
                for name, (path, query, cookie) in streams.items()
            }
            for name, one in clients.items():
                await one.until(b"\r\n" if "statuses" in streams[name][0] else b": welcome")
            await act(
                lambda: mutes.mute(Site(db, settings), uids["muting"], "wren"),
                lambda: blocks.block(Site(db, settings), uids["blocking"], "wren"),
                lambda: blocks.block(Site(db, settings), wren, "blocked"),
                lambda: requests.remove_follower(Site(db, settings), wren, "removed"),
            )
            before = str(app.hub.position)
            if audience == "protected":
                await act(lambda: lifecycle.protect(Site(db, settings), wren))
            first, poll_id = await asyncio.to_thread(
                _post_secrets, Site(db, settings), audience, uids
            )
            await clients["home of wren"].until(b"event: tally")  # before the deletion
            await act(lambda: statuses.delete(Site(db, settings), wren, first))
            ids = {first, poll_id, old}
            if audience == "protected":
                await act(
                    *(
                        lambda do=do: do(Site(db, settings), wren, old)
                        for do in (boosts.boost, boosts.unboost)
                    )
                )
                await act(lambda: lifecycle.protect(Site(db, settings), wren, False))
            # Every stream gets these, so everything before them has arrived.
            for uid, words in ((wren, "the end #song"), (dot, "a lark sings")):
                await act(
                    lambda uid=uid, words=words: statuses.post(
                        Site(db, settings), uid, parse(words), f"form-{words}"
                    )
                )
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
    for one in (app.db, fresh.db, db):
        one.close()
    return received


def _post_secrets(site: Site, audience: str, uids: dict[str, int]) -> tuple[int, int]:
    """Post, edit and poll as wren; return the ids of the status and the poll."""
    visibility = None if audience == "protected" else parse_visibility(audience)
    words, posted = "secret #song @named @both @muting @blocking @blocked", list[int]()
    for poll in (None, SONGS):
        key = f"form-{len(posted)}"
        posted.append(
            statuses.post(site, uids["wren"], parse(words), key, visibility=visibility, poll=poll)
        )
        worker.drain(site)
        if not poll:
            editing.edit(site, uids["wren"], posted[0], parse(f"{words} again"), "", "0")
            worker.drain(site)
    voting.vote(site, uids["both"], posted[1], {0})
    worker.drain(site)
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
