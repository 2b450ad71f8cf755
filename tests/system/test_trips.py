"""No page asks the store more than five times, and a home no more than three, whatever is on it and whoever is hidden
from its reader; and what that leaves out of a page is on the next ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support import pagecache, worker
from tests.system.test_html_validity import OWN, PUBLIC, furnish, furnish_chats
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import keys as list_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.timelines import keys as timeline_keys
from webapp.timelines.tags import store as tags

MOST = 5
HOME_MOST = 3
UNREAD = "</svg>Quotes another post</span></a>\n</details>"
HIDDEN = (
    "magpie",
    "shrike",
    "jay",
    "cuckoo",
    "heron",
)  # muted, blocking, blocked, suspended, protected
WALKED = (
    "/home /public /tags/tag /@ben /@ben/replies /@swan /@swan/replies /bookmarks /@ann/lists/1"
)
CHATS = (
    "/chats /chats/requests /chats/archived /chats/new /chats/forward?status={id} /chats/forward?status={quote} "
    "{chat} {chat}?reply=1 {chat}?edit=1 {chat}?react=1 {chat}?report=1 {chat}?report=all {chat}?before=2 "
    "{chat}?after=1 {chat}/people {chat}/settings {direct}"
)


class Place(NamedTuple):
    """An app with everything in it, as one member sees it."""

    app: Flask
    ann: FlaskClient
    paths: list[str]
    own: list[str]

    @property
    def db(self) -> Db:
        """Its store."""
        found: Db = self.app.extensions["linnet.db"]
        return found


@pytest.fixture
def place(settings: Config) -> Iterator[Place]:
    """Small pages and nothing that a process keeps, so that each is read whole, and somebody is hidden on most."""
    few = replace(settings, page_size=5, merged_seconds=0, push_max_followers=3)
    app = make_app(few)

    def join(login: str) -> FlaskClient:
        client = app.test_client()
        form = {"login": login, "name": login.title(), "password": PASSWORD}
        assert client.post("/signup", data=form).status_code == 303
        return client

    yield crowd(app, few, join)
    app.extensions["linnet.db"].close()


def crowd(app: Flask, config: Config, member: Callable[[str], FlaskClient]) -> Place:
    """What pages of HTML are tested with, and posts, boosts and quotes of many who are hidden from Ann."""
    db: Db = app.extensions["linnet.db"]
    ann, ben, _, *others = {
        login: member(login) for login in ("ann", "ben", "swan", *HIDDEN)
    }.values()
    status = furnish(ann, ben)
    chat = furnish_chats(ann, ben, status)
    uids = [db.read(uid_by_login(login)) for login in ("ann", "ben", "swan", *HIDDEN)]
    for uid in uids:
        for login in ("swan", *HIDDEN) if uid == uids[0] else ("swan", "ben"):
            if uid != db.read(uid_by_login(login)):
                following.follow(db, config, uid, login)
    worker.drain(db, config)
    ann.post("/lists/2/members", data={"login": "swan"})
    number = int(status.rpartition("/")[2])
    sung = [one for turn in range(6) for one in sing(db, config, turn, number, *uids)]
    hide(db, config, uids[0], others)
    likes.like(db, config, uids[0], sung[-len(uids) + 1])  # which waits to be counted
    for path in (
        "/home",
        "/@ann/lists/1",
        "/@ann/lists/2",
    ):  # which are built here, and in a test of their own
        ann.get(path)
    for uid, at in ((uids[1], 1), (uids[2], 2)):  # which stay in homes until somebody looks
        for one in sung[at :: len(uids)][-2:]:
            statuses.delete(db, config, uid, one)
    paths = re.findall(r'href="(/@ben/\d+)"', ann.get(status).text)
    told = {
        "id": number,
        "chat": chat,
        "quote": sung[-7],
        "direct": ann.get("/chats/@ben").location,
    }
    asked = ",".join([f"{one}-{uids[1]}" for one in sung[-8:-4]])
    more = f"{paths[0]} {paths[-1]} {status} /@swan /@swan/replies /tags/tag.atom /public.atom /@ben/feed.atom"
    more += " ".join(["", *(f"/@{login}" for login in HIDDEN), f"/statuses?ids={asked}"])
    return Place(
        app, ann, f"{PUBLIC} {more}".format(**told).split(), f"{OWN} {CHATS}".format(**told).split()
    )


def sing(db: Db, config: Config, turn: int, about: int, *uids: int) -> Iterator[int]:
    """One round of posts by everybody, and boosts of them, most of them hidden from Ann; their ids."""
    for at, uid in enumerate(uids):
        quote = about if (turn + at) % 2 else None
        text = parse(f"{turn} {at} #tag @ben")
        one = statuses.post(
            db, config, uid, text, f"form-{turn}-{at}", quote=quote, cw="loud" if turn % 3 else ""
        )
        for other in uids[:3]:
            boosts.boost(db, config, other, one)
        bookmarks.bookmark(db, config, uids[0], one)
        yield one
    worker.drain(db, config)


def hide(db: Db, config: Config, ann: int, others: list[FlaskClient]) -> None:
    """Mutes, blocks, suspends and protects, each somebody else."""
    mutes.mute(db, config, ann, "magpie")
    blocks.block(db, config, db.read(uid_by_login("shrike")), "ann")
    blocks.block(db, config, ann, "jay")
    worker.drain(db, config)
    lifecycle.suspend(db, config, db.read(uid_by_login("cuckoo")))
    worker.drain(db, config)
    others[-1].post("/settings/privacy", data={"protected": "y"})


def test_no_page_takes_more_than_five_trips_for_a_member_or_the_first_visitor(place: Place) -> None:
    """For a visitor with what looking for a kept page and keeping the new one takes."""
    found = {}
    for path in (*place.paths, *place.own):
        before = place.db.trips
        assert place.ann.get(path).status_code < 500, path
        found["member", path] = place.db.trips - before
    for path in place.paths:
        pagecache.forget(place.db)
        before = place.db.trips
        assert pagecache.ask(place.app, *path.split("?")).status < 500, path
        found["visitor", path] = place.db.trips - before
    assert {asked: trips for asked, trips in found.items() if trips > most(asked[1])} == {}


def test_what_is_built_anew_takes_no_more_and_is_whole(place: Place) -> None:
    """Homes and lists of which nothing is kept, or whose bottom is missing: the first page, and those below."""
    for path, kept in (
        ("/home", timeline_keys.home(1)),
        ("/@ann/lists/1", list_keys.list_home(1, 1)),
    ):
        everything = list(walked(place, path))
        assert len(everything) > 9
        for forgotten in (away, cut):
            forgotten(place.db, kept)
            assert list(walked(place, path)) == everything, (path, forgotten)
        below = place.ann.get(path).text
        older = re.search(r'rel="next" href="([^"]+)"', below)
        away(place.db, kept)
        assert older and shown(below) + list(walked(place, older[1])) == everything, (
            "built from below its top"
        )
        assert list(walked(place, path)) == everything, "which is not taken for all of it"


def away(db: Db, kept: str) -> None:
    """As if nobody had looked for long."""
    p = partition_of(1)
    db.trip(
        ("DEL", kept), ("DEL", timeline_keys.active_members(p)), ("DEL", list_keys.active_lists(p))
    )


def cut(db: Db, kept: str) -> None:
    """As if all but the newest had been lost, and that were known."""
    lists = list_keys.active_lists(partition_of(1))
    db.run(("ZREMRANGEBYRANK", kept, 0, -8))
    db.run(
        ("ZADD", kept, -1, "more") if kept == timeline_keys.home(1) else ("ZADD", lists, -1, "1:1")
    )


def test_a_home_takes_no_more_than_three_in_a_process_that_knows_nothing_of_it(
    place: Place, settings: Config
) -> None:
    """With followed tags, merged authors, quotes, boosts, and what is gone: kept, built anew, and further down."""
    db, few = place.db, replace(settings, page_size=5, push_max_followers=3)
    tags.follow(db, few, 1, "tag")
    everything = list(walked(place, "/home"))
    cookie = place.ann.get_cookie("linnet")
    assert (
        cookie
        and len(everything) > 9
        and db.run(
            ("ZINTER", 2, following_keys.following(1), timeline_keys.pull_authors(partition_of(1)))
        )
    )
    late = 0
    for forgotten in (None, away, cut):
        here: str | None = "/home"
        if forgotten:
            forgotten(db, timeline_keys.home(1))
        found: list[tuple[str, str]] = []
        while here:
            fresh = make_app(few)
            reader = fresh.test_client()
            reader.set_cookie("linnet", cookie.value)
            own: Db = fresh.extensions["linnet.db"]
            before, page = own.trips, reader.get(here).text
            assert own.trips - before <= HOME_MOST, (forgotten, here)
            own.close()
            found += shown(page)
            late += page.count(UNREAD)
            older = re.search(r'rel="next" href="([^"]+)"', page)
            here = older[1] if older else None
        assert found == everything, forgotten
    assert late, "what comes in the third trip stands there without what it quotes"
    assert UNREAD not in place.ann.get("/home").text, (
        "which is there where the process knows what to ask for"
    )


def test_what_is_left_out_makes_pages_short_and_hides_nothing_below_it(
    place: Place, settings: Config
) -> None:
    """The pages together show what one large page does, which has room for everything."""
    large = make_app(replace(settings, page_size=500, merged_seconds=0, push_max_followers=3))
    cookie = place.ann.get_cookie("linnet")
    assert cookie
    for path in WALKED.split():
        once = large.test_client()
        once.set_cookie("linnet", cookie.value)
        everything = shown(once.get(path).text)
        assert len(everything) > 9 and set(walked(place, path)) == set(everything), path
        hidden = {str(place.db.read(uid_by_login(login))) for login in HIDDEN[:4]}
        assert path == "/bookmarks" or not hidden & {author for _, author in everything}, path
    large.extensions["linnet.db"].close()


def most(path: str) -> int:
    """Trips of a page, with what it takes to find out who asks."""
    return HOME_MOST if path.startswith("/home") else MOST


def walked(place: Place, path: str) -> Iterator[tuple[str, str]]:
    """All that the pages of a list show, each in as many trips as it may take."""
    here: str | None = path
    while here:
        before = place.db.trips
        page = place.ann.get(here).text
        assert place.db.trips - before <= most(here), here
        yield from shown(page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        assert older or "There is nothing older" not in page or not shown(page), here
        here = older[1] if older else None


def shown(page: str) -> list[tuple[str, str]]:
    """The posts on a page, each with its author."""
    return re.findall(r'<article class="status[^>]* id="status-(\d+)" data-author="(\d+)"', page)


def test_what_is_posted_asks_only_for_what_a_page_shows_once_one_is_shown(place: Place) -> None:
    """Two trips for what leads on, and what is unread stands on a page that comes back all the same."""
    app = make_app(replace(place.app.extensions["linnet.config"], inline_projections=False))
    cookie, ann, db = place.ann.get_cookie("linnet"), app.test_client(), app.extensions["linnet.db"]
    assert cookie
    ann.set_cookie("linnet", cookie.value)
    for text, status, trips in (("a lark", 303, 2), ("", 422, 2)):
        before = db.trips
        answer = ann.post("/statuses", data={"text": text})
        assert (answer.status_code, db.trips - before) == (status, trips)
    badges = re.compile(r'data-badge="(\w+)"(?: hidden)?><span>(\d+)<')
    assert badges.findall(answer.text) == badges.findall(ann.get("/statuses/new").text)
    assert any(int(unread) for _, unread in badges.findall(answer.text))
    db.close()
