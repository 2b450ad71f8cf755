"""Who may see which statuses: every path on which they show or are acted on, by what is between a reader and their
author and by how visible each is. One table, checked as one: what is added to the site adds a row or a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.statuses.visibility.test_policy import Scene as Streams
from tests.statuses.visibility.test_policy import on_streams, wanted
from tests.statuses.visibility.test_policy import scene as streams
from tests.support import worker
from tests.support.chat import draft, key
from tests.support.pagecache import kept
from tests.support.schema import live_keys
from tests.support.streaming.client import numbers_alone
from tests.support.timelines import home_timeline
from tests.timelines.test_store import walk
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login, get_or_404
from webapp.chat.messages import sending
from webapp.chat.models import Card
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import Forbidden, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.notifications import keys as notification_keys
from webapp.statuses import by_ids
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.attachments import places
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.visibility import Visibility, allowed_for_reply
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

__all__ = ["streams"]

# Each column is what is between finch, who reads, and wren, who has written: nothing; finch follows wren; wren's words
# name finch; both; finch has just ceased to follow; both, and finch mutes wren; both, until finch blocks wren, or wren
# finch; finch is wren; wren has finch on a list; finch looks after the site. A cell holds the first letters of what is
# seen: public, unlisted, for followers, for mentioned.
TABLE = """
                      stranger follower named    both     left     muted    blocking blocked  author   listed moderator
home                  -        puf      -        pufm     -        -        -        -        pufm     -        -
answers at home       -        puf      -        pufm     -        -        -        -        pufm     -        -
followed tag          p        p        p        p        p        -        -        -        pufm     p        p
public                p        p        p        p        p        -        -        -        p        p        p
profile               pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
profile with replies  pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
permalink             pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
thread above          pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
thread below          pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
tag                   p        p        p        p        p        -        -        -        p        p        p
history               pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
pinned                pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
several               pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
own list              pu       puf      pufm     pufm     pu       -        -        -        pu       pu       pu
somebody's list       pu       puf      pufm     pufm     pu       -        -        -        pufm     pu       pu
bookmarks             pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
notifications         pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
likes of it           pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
the number of likes   pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
the number of replies pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
the number of boosts  pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
the number of quotes  pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
counts as a reply     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
counts as a quote     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
may like              pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
may boost             pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
boosts of it          pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
visitor's boosts      pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
may vote              pu       puf      pufm     pufm     pu       pufm     -        -        -        pu       pu
may bookmark          pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
may answer            pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
may send on           pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
card in a chat        pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
card in a quote       pu       puf      pufm     pufm     pu       -        -        -        pufm     pu       pu
quotes of it          pu       puf      pufm     pufm     pu       pufm     -        -        pufm     pu       pu
among quotes          pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
may quote             pu       pu       pu       pu       pu       pu       -        -        pu       pu       pu
knows it exists       pu       puf      pufm     pufm     pu       pufm     pufm     pufm     pufm     pu       pu
feed                  pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
public feed           p        p        p        p        p        p        p        p        p        p        p
tag feed              p        p        p        p        p        p        p        p        p        p        p
visitor's front       p        p        p        p        p        p        p        p        p        p        p
visitor's public      p        p        p        p        p        p        p        p        p        p        p
visitor's profile     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's replies     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's permalink   pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's several     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's thread      pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's history     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's pinned      pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's likes       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's numbers     pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's list        pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's tag         p        p        p        p        p        p        p        p        p        p        p
visitor's quotes      pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's card        pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
visitor's among       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu       pu
"""
# The same once wren has become protected: to a stranger, one who is named, a follower, both, both and muting, both
# until wren blocks finch, and to wren.
PROTECTED_TABLE = """
                      shut   known  follow friend mute   block  own
home                  -      -      puf    pufm   -      -      pufm
answers at home       -      -      puf    pufm   -      -      pufm
followed tag          -      -      -      -      -      -      pufm
public                -      -      -      -      -      -      -
profile               -      fm     puf    pufm   pufm   -      pufm
profile with replies  -      fm     puf    pufm   pufm   -      pufm
permalink             -      fm     puf    pufm   pufm   -      pufm
thread above          -      fm     puf    pufm   pufm   -      pufm
thread below          -      fm     puf    pufm   pufm   -      pufm
tag                   -      -      -      -      -      -      -
history               -      fm     puf    pufm   pufm   -      pufm
pinned                -      fm     puf    pufm   pufm   -      pufm
several               -      fm     puf    pufm   pufm   -      pufm
own list              -      fm     puf    pufm   -      -      pu
somebody's list       -      fm     puf    pufm   -      -      pufm
bookmarks             -      fm     puf    pufm   pufm   -      pufm
notifications         -      fm     puf    pufm   pufm   -      pufm
likes of it           -      fm     puf    pufm   pufm   -      pufm
the number of likes   -      fm     puf    pufm   pufm   -      pufm
the number of replies -      fm     puf    pufm   pufm   -      pufm
the number of boosts  -      -      -      -      -      -      -
the number of quotes  -      -      -      -      -      -      -
counts as a reply     -      -      -      -      -      -      -
counts as a quote     -      -      -      -      -      -      -
may like              -      fm     puf    pufm   pufm   -      pufm
may bookmark          -      fm     puf    pufm   pufm   -      pufm
may answer            -      fm     puf    pufm   pufm   -      pufm
may send on           -      -      -      -      -      -      -
card in a chat        -      -      -      -      -      -      -
knows it exists       -      fm     puf    pufm   pufm   fm     pufm
feed                  -      -      -      -      -      -      -
public feed           -      -      -      -      -      -      -
tag feed              -      -      -      -      -      -      -
visitor's front       -      -      -      -      -      -      -
visitor's public      -      -      -      -      -      -      -
visitor's profile     -      -      -      -      -      -      -
visitor's replies     -      -      -      -      -      -      -
visitor's permalink   -      -      -      -      -      -      -
visitor's several     -      -      -      -      -      -      -
visitor's thread      -      -      -      -      -      -      -
visitor's history     -      -      -      -      -      -      -
visitor's pinned      -      -      -      -      -      -      -
visitor's likes       -      -      -      -      -      -      -
visitor's numbers     -      -      -      -      -      -      -
visitor's list        -      -      -      -      -      -      -
visitor's tag         -      -      -      -      -      -      -
may boost             -      -      -      -      -      -      -
boosts of it          -      fm     puf    pufm   pufm   -      pufm
visitor's boosts      -      -      -      -      -      -      -
may vote              -      fm     puf    pufm   pufm   -      -
card in a quote       -      fm     puf    pufm   -      -      pufm
quotes of it          -      fm     puf    pufm   pufm   -      pufm
among quotes          -      -      pu     pu     pu     -      pu
may quote             -      -      -      -      -      -      -
visitor's quotes      -      -      -      -      -      -      -
visitor's card        -      -      -      -      -      -      -
visitor's among       -      -      -      -      -      -      -
"""
NUMBERS = {"replies": 71, "boosts": 72, "quotes": 73, "likes": 74}  # that a status says of itself
Rows = dict[str, dict[str, str]]


def rows_of(table: str) -> Rows:
    """The cells of a table, by row and column."""
    head, *lines = table.strip("\n").split("\n")
    return {
        line[:22].strip(): dict(zip(head.split(), line[22:].split(), strict=True)) for line in lines
    }


ROWS: Rows = {row: cells | rows_of(PROTECTED_TABLE)[row] for row, cells in rows_of(TABLE).items()}
COLUMNS = list(ROWS["home"])
AUTHOR = ("author", "own")
PROTECTED = tuple(rows_of(PROTECTED_TABLE)["home"])
NAMED = ("named", "both", "muted", "blocking", "blocked", "known", "friend", "mute", "block")
FOLLOWING = (
    "follower",
    "both",
    "left",
    "muted",
    "blocking",
    "blocked",
    "follow",
    "friend",
    "mute",
    "block",
)
PUBLIC = Visibility.PUBLIC
Join = Callable[[str], FlaskClient]
People = Callable[..., list[int]]
Settle = Callable[[], None]


@dataclass
class Scene:
    """wren has written `sung`, one of each visibility, which ibis answered in `answers` for those named in it, and has
    answered and quoted what ibis wrote (`wades`) with one of each. What jay wrote quotes each of `sung`, as if that had
    been possible. finch and ibis have wren on a list. `reader` is who looks.
    """

    db: Db
    config: Config
    uids: dict[str, int]
    reader: FlaskClient
    visitor: FlaskClient
    sung: dict[str, int]
    answers: dict[str, int]
    wades: int
    chat: str


@pytest.fixture
def scene(app: Flask, settings: Config, member: Join, request: pytest.FixtureRequest) -> Scene:
    column, db = request.param, app.extensions["linnet.db"]
    clients = {login: member(login) for login in ("finch", "wren", "ibis", "jay")}
    uids = {login: one.uid for login, one in get_many_by_login(db, list(clients)).items()}
    finch, wren, ibis = uids["finch"], uids["wren"], uids["ibis"]
    following.follow(db, settings, finch, "ibis")
    following.follow(db, settings, wren, "ibis")
    if column in FOLLOWING:
        following.follow(db, settings, finch, "wren")
    for uid in (finch, ibis):
        lists.set_memberships(
            db, settings, uid, "wren", {lists.create(db, settings, uid, "Wrens"): True}
        )
    worker.drain(db, settings)
    for login in ("finch", "ibis"):
        clients[login].get(f"/@{login}/lists/1")  # so that it is kept
    named = " @finch" if column in NAMED else ""

    def write(
        uid: int,
        text: str,
        visibility: Visibility,
        reply: int | None = None,
        quote: int | None = None,
    ) -> int:
        form = f"form-{uid}-{text}".replace(" ", "-")
        return statuses.post(
            db, settings, uid, parse(text), form, reply=reply, visibility=visibility, quote=quote
        )

    wades = write(ibis, "an ibis wades", Visibility.PUBLIC)
    sung, answers = dict[str, int](), dict[str, int]()
    for one in Visibility:
        sung[one.slug] = write(wren, f"a wren sings {one.slug} #song @ibis{named}", one)
        write(wren, f"a wren trills {one.slug}{named}", one, wades)
        write(wren, f"a wren quips {one.slug}{named}", one, quote=wades)
        jays = write(uids["jay"], f"a jay screams {one.slug}", Visibility.UNLISTED)
        db.run(("HSET", status_keys.status(jays), "quote", sung[one.slug], "quoted", wren))
        answers[one.slug] = write(
            ibis, f"so it does {one.slug} @finch", Visibility.MENTIONED, sung[one.slug]
        )
        # Somebody who once could see it has it among their bookmarks, and was told of it.
        reader = wren if column in AUTHOR else finch
        db.run(("ZADD", interaction_keys.bookmarks(reader), len(sung), sung[one.slug]))
        db.run(
            (
                "ZADD",
                notification_keys.notifications(reader),
                len(sung),
                f"mention:{wren}:{sung[one.slug]}",
            )
        )
    worker.drain(db, settings)
    chat = "-".join(map(str, sorted((wren if column in AUTHOR else finch, ibis))))
    for status_id in sung.values():
        sending.send(db, settings, ibis, chat, draft("look", card=Card(status_id, wren)), key())
    found = Scene(
        db, settings, uids, clients["finch"], app.test_client(), sung, answers, wades, chat
    )
    if column in AUTHOR:
        found.reader = clients["wren"]
    elif column == "listed":
        lists.set_memberships(
            db, settings, wren, "finch", {lists.create(db, settings, wren, "Finches"): True}
        )
    elif column == "moderator":
        lifecycle.grant(db, finch, "admin")
    elif column == "left":
        following.unfollow(db, settings, finch, "wren")  # what that does elsewhere waits
    elif column in ("muted", "mute"):
        mutes.mute(db, settings, finch, "wren", 3_600)
    elif column == "blocking":
        blocks.block(db, settings, finch, "wren")
    elif column in ("blocked", "block"):
        blocks.block(db, settings, wren, "finch")
        worker.drain(db, settings)
    if column in PROTECTED:
        found.visitor.get("/@wren")  # which is kept
        lifecycle.protect(db, settings, wren)  # and nothing of it is applied yet
    return found


def on_pages(scene: Scene) -> dict[str, set[str]]:
    """By row, which of what wren wrote the pages show."""
    readers = {
        "home": "/home",
        "public": "/public",
        "profile": "/@wren",
        "tag": "/tags/song",
        "bookmarks": "/bookmarks",
        "own list": "/@finch/lists/1",
        "somebody's list": "/@ibis/lists/1",
        "notifications": "/notifications",
        "card in a chat": f"/chats/{scene.chat}",
        "answers at home": "/home",
        "profile with replies": "/@wren/replies",
        "thread below": f"/@ibis/{scene.wades}",
        "card in a quote": "/@jay",
        "among quotes": f"/@ibis/{scene.wades}/quotes",
    }
    visitors = {
        "feed": "/@wren/feed.atom",
        "public feed": "/public.atom",
        "tag feed": "/tags/song.atom",
        "visitor's front": "/",
        "visitor's public": "/public",
        "visitor's profile": "/@wren",
        "visitor's tag": "/tags/song",
        "visitor's list": "/@ibis/lists/1",
        "visitor's replies": "/@wren/replies",
        "visitor's thread": f"/@ibis/{scene.wades}",
        "visitor's card": "/@jay",
        "visitor's among": f"/@ibis/{scene.wades}/quotes",
    }
    found = {}
    for client, paths in ((scene.reader, readers), (scene.visitor, visitors)):
        for row, path in paths.items():
            verb = (
                "trills"
                if row.split()[-1] in ("home", "replies", "below", "thread") and row != "home"
                else "sings"
            )
            verb = "quips" if "among" in row else verb
            found[row] = set(re.findall(rf"a wren {verb} (\w+)", client.get(path).text))
    return found


def one_by_one(scene: Scene) -> dict[str, set[str]]:
    """By row, which of what wren wrote is shown when it is asked for, or can be acted on."""
    reader, visitor = scene.reader, scene.visitor
    found: dict[str, set[str]] = {}
    worker.drain(scene.db, scene.config)  # as the first form that is sent would
    for word, status_id in scene.sung.items():
        text, own, form = f"a wren sings {word}", f"/@wren/{status_id}", f"form-of-{word}"
        asked = {"text": "hm", "key": form, "reply": status_id}
        message = {"text": "look", "key": form, "status": status_id}
        scene.db.run(
            (
                "HSET",
                status_keys.status(status_id),
                "poll",
                '[["Trill","Chirp"],60,0]',
                *sum(NUMBERS.items(), ()),
            )
        )
        looks = reader.post(f"/statuses/{status_id}/unlike", headers={"Accept": "application/json"})
        acts = dict(
            re.findall(r'act-(\w+)".*?</svg> (\d+)<', reader.get(f"/statuses?ids={status_id}").text)
        )
        numbers = visitor.get(f"/statuses?ids={status_id}").text
        scene.db.run(("HDEL", status_keys.status(status_id), *NUMBERS))
        shown = {
            "the number of likes": looks.get_json()["count"] == "74",
            "the number of replies": acts.get("reply") == "71",
            "the number of boosts": acts.get("boost") == "72",
            "the number of quotes": acts.get("quote") == "73",
            "visitor's numbers": all(f"</svg>{number}<" in numbers for number in (71, 72, 74)),
            "permalink": text in reader.get(own).text,
            "thread above": text in reader.get(f"/@ibis/{scene.answers[word]}").text,
            "several": text in reader.get(f"/statuses?ids={status_id}").text,
            "visitor's permalink": text in visitor.get(own).text,
            "visitor's several": text in visitor.get(f"/statuses?ids={status_id}").text,
            "history": text in reader.get(f"{own}/history").text,
            "visitor's history": text in visitor.get(f"{own}/history").text,
            "visitor's likes": visitor.get(f"{own}/likes").status_code == 200,
            "visitor's boosts": visitor.get(f"{own}/boosts").status_code == 200,
            "boosts of it": reader.get(f"{own}/boosts").status_code == 200,
            "may boost": reader.post(f"/statuses/{status_id}/boost").status_code == 303
            and reader.post(f"/statuses/{status_id}/unboost").status_code == 303,
            "likes of it": reader.get(f"{own}/likes").status_code == 200,
            "visitor's quotes": visitor.get(f"{own}/quotes").status_code == 200,
            "quotes of it": reader.get(f"{own}/quotes").status_code == 200,
            "knows it exists": reader.get(own).status_code != 404
            and reader.post(f"/statuses/{status_id}/like").status_code != 404
            and reader.post(f"/statuses/{status_id}/unlike").status_code != 404
            and reader.get(f"/statuses/new?quote={status_id}").status_code != 404
            and reader.post(f"/statuses/{status_id}/vote", data={"option": "0"}).status_code != 404,
            "may vote": reader.post(f"/statuses/{status_id}/vote", data={"option": "0"}).status_code
            == 303,
            "may bookmark": reader.post(f"/statuses/{status_id}/bookmark").status_code == 303,
            "may like": reader.post(f"/statuses/{status_id}/like").status_code == 303,
            "may answer": reader.post("/statuses", data=asked).status_code == 303,
            "may quote": reader.get(f"/statuses/new?quote={status_id}").status_code == 200
            and reader.post(
                "/statuses", data={"text": "hm", "key": form, "quote": status_id}
            ).status_code
            == 303,
            "may send on": reader.get(f"/chats/forward?status={status_id}").status_code == 200
            and reader.post(f"/chats/{scene.chat}/messages", data=message).status_code == 303,
        }
        for row, yes in shown.items():
            found.setdefault(row, set()).update({word} if yes else ())
    return found


def among_pins(scene: Scene) -> dict[str, set[str]]:
    """Which of the pinned statuses stand before the first page of the profile."""
    for status_id in scene.sung.values():
        pins.pin(scene.db, scene.config, scene.uids["wren"], status_id)
    worker.drain(scene.db, scene.config)
    whose = {"pinned": scene.reader, "visitor's pinned": scene.visitor}
    return {
        row: set(re.findall(r"a wren sings (\w+)", one.get("/@wren").text))
        for row, one in whose.items()
    }


def among_numbers(scene: Scene) -> dict[str, set[str]]:
    """What the numbers of replies to what ibis wrote, and of quotes of it, count: so many, the most visible first."""
    wades = statuses.get(scene.db, scene.wades)
    counted = {"counts as a reply": wades.replies, "counts as a quote": wades.quotes}
    return {
        row: {one.slug for one in tuple(Visibility)[:number]} for row, number in counted.items()
    }


def brought_by_tags(scene: Scene) -> set[str]:
    """What a home shows for a hashtag alone."""
    scene.reader.post("/@wren/unfollow")
    scene.reader.post("/tags/song/follow")
    return set(
        re.findall(
            r'<p class="status-body" dir="auto">a wren sings (\w+)', scene.reader.get("/home").text
        )
    )


@pytest.mark.parametrize(("scene", "column"), [(one, one) for one in COLUMNS], indirect=["scene"])
def test_every_path_shows_what_the_table_says(scene: Scene, column: str) -> None:
    found = on_pages(scene) | one_by_one(scene) | among_pins(scene) | among_numbers(scene)
    found["followed tag"] = brought_by_tags(scene)
    letters = {
        row: "".join(one.slug[0] for one in Visibility if one.slug in seen)
        for row, seen in found.items()
    }
    assert {row: cell or "-" for row, cell in letters.items()} == {
        row: cells[column] for row, cells in ROWS.items()
    }


@pytest.mark.parametrize("visibility", Visibility)
def test_streams_send_what_is_public_and_to_homes_profiles_and_lists_what_is_unlisted(
    streams: Streams, visibility: Visibility, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_members = (
        "profile",
        "list",
        "thread",
        "visitor's profile",
        "visitor's list",
        "visitor's thread",
    )
    expected = {
        Visibility.PUBLIC: {row for row in wanted("nothing", "live", "api") if "boost" not in row},
        Visibility.UNLISTED: {f"live {row}" for row in ("home", "own list", *of_members)},
    }.get(visibility, set())
    parts = on_streams(streams, monkeypatch, lambda: None, visibility)
    before, after, back = ({row for row in part if "boost" not in row} for part in parts)
    assert before == after == expected and back == {
        row for row in expected if row.startswith("live")
    }


def posted(
    db: Db, config: Config, uid: int, text: str, visibility: Visibility, reply: int | None = None
) -> int:
    return statuses.post(
        db, config, uid, parse(text), f"form-{uid}-{len(text)}", reply=reply, visibility=visibility
    )


def on_profile(
    db: Db, config: Config, viewer: int, login: str = "ann", replies: bool = False
) -> list[int]:
    """The ids on all pages of a profile, as a member is shown it."""
    member = db.read(get_or_404(viewer))
    return walk(
        lambda before: profile_page(db, config, login, member, before, replies).timeline,
        config.page_size,
    )


def test_a_profile_and_a_home_follow_the_readers_own_list_before_anything_is_applied(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    status = posted(db, config, ann, "for followers", Visibility.FOLLOWERS)
    settle()
    assert on_profile(db, config, ben) == [] and not by_ids.fetch(db, {status: 0}, ben)[0]
    following.follow(db, config, ben, "ann")
    assert (
        on_profile(db, config, ben) == [status]
        and statuses.get(db, status, ben).text == "for followers"
    )
    settle()
    assert [one.id for one in home_timeline(db, config, ben).items] == [status]
    following.unfollow(db, config, ben, "ann")
    assert on_profile(db, config, ben) == [] and home_timeline(db, config, ben).items == ()
    with pytest.raises(NotFound):
        statuses.get(db, status, ben)


def test_a_block_hides_from_a_follower_at_once_on_the_profile_and_everywhere_once_it_is_mirrored(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    status = posted(db, config, ann, "for @ben", Visibility.MENTIONED)
    other = posted(db, config, ann, "for followers", Visibility.FOLLOWERS)
    settle()
    assert on_profile(db, config, ben) == [other, status]
    blocks.block(db, config, ann, "ben")
    assert on_profile(db, config, ben) == []
    for act in (
        lambda: likes.like(db, config, ben, status),
        lambda: posted(db, config, ben, "a", PUBLIC, status),
    ):
        with pytest.raises(Forbidden):
            act()
    settle()
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert on_profile(db, config, ben) == [status]  # which names them still; the follow has ended


def test_pages_of_a_profile_are_full_whatever_is_between(
    db: Db, config: Config, people: People
) -> None:
    config = replace(config, page_size=2, limit_post=Rate(100, 1))
    ann, ben, cid = people("ann", "ben", "cid")
    wades = posted(db, config, cid, "wades", Visibility.PUBLIC)
    seen, answered = [], []
    for n in range(5):
        seen.append(posted(db, config, ann, "s" * (n + 1), Visibility.PUBLIC))
        for m in range(3):
            posted(db, config, ann, f"{'@cid ' * (m + 1)}{n}" + "x" * n, Visibility.MENTIONED)
        seen.append(posted(db, config, ann, f"@ben {'a' * (40 + n)}", Visibility.MENTIONED))
        answered.append(
            posted(db, config, ann, f"@ben {'b' * (60 + n)}", Visibility.FOLLOWERS, wades)
        )
    assert on_profile(db, config, ben) == sorted(seen, reverse=True)
    assert on_profile(db, config, ben, replies=True) == sorted([*seen, *answered], reverse=True)
    first = profile_page(db, config, "ann", None).timeline
    assert len(first.items) == 2 and profile_page(db, config, "ann", None).profile.statuses == 5


def test_who_may_see_it_is_settled_when_it_is_posted_and_one_form_posts_for_one_audience(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    text = parse("hm @Ben @nobody @ben")
    made = [
        statuses.post(db, config, ann, text, "form-1", visibility=one)
        for one in (*Visibility, *Visibility)
    ]
    assert made[:4] == made[4:] and len(set(made)) == 4
    assert [statuses.get(db, one, ann).mentioned_uids for one in made[:4]] == [
        set(),
        set(),
        {ben},
        {ben},
    ]
    assert not [key for key in live_keys(db) if key.startswith("limited:") and key.endswith(":0")]
    for status in made[:4]:
        statuses.delete(db, config, ann, status)
    settle()
    assert not [key for key in live_keys(db) if key.startswith("limited:")]


def test_an_edit_settles_anew_who_may_see_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status = posted(db, config, ann, "hm @ben", Visibility.MENTIONED)
    settle()
    editing.edit(db, config, ann, status, parse("hm @cid"), "", "0")
    settle()
    assert on_profile(db, config, ben) == [] and on_profile(db, config, cid) == [
        status
    ] == on_profile(db, config, ann)
    for stranger in (ben, ben + 64):
        for act in (
            lambda uid: pins.pin(db, config, uid, status),
            lambda uid: editing.history(db, status, uid),
        ):
            with pytest.raises(NotFound):
                act(stranger)
        with pytest.raises(NotFound):
            editing.edit(db, config, stranger, status, parse("mine"), "", "0")
    assert len(editing.history(db, status, cid).versions) == 2
    numbers_alone(db, status)
    statuses.delete(db, config, ann, status)
    assert not [key for key in live_keys(db) if key.startswith("limited:")]


def test_what_is_for_nobody_else_is_not_told_of_in_any_way(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    sung = posted(db, config, cid, "sung", Visibility.PUBLIC)
    status = posted(db, config, ann, "to myself", Visibility.MENTIONED, sung)
    settle()
    numbers_alone(db, status)
    assert (
        statuses.get(db, sung).replies == 0
        and threads.thread(db, sung, ben, (), 10).descendants == ()
    )
    assert threads.thread(db, sung, cid, (), 10).descendants != ()  # whom it answers
    for stranger in (ben, ben + 64):
        with pytest.raises(NotFound):
            statuses.delete(db, config, stranger, status)
    places.remove_locations(db, config, ann)
    statuses.delete(db, config, ann, status)
    settle()
    numbers_alone(db, status)


def test_a_reply_is_as_visible_as_what_it_answers_and_never_more(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    for parent in Visibility:
        status = posted(db, config, ann, f"hm @ben {parent.slug}", parent)
        plain = statuses.post(db, config, ben, parse("hm"), f"form-{parent.slug}", reply=status)
        assert statuses.get(db, plain, ben).visibility is parent
        for own in Visibility:
            if own in allowed_for_reply(parent):
                reply = posted(db, config, ben, f"{parent.slug} {own.slug}", own, status)
                assert statuses.get(db, reply, ann).visibility is own
            else:
                with pytest.raises(Forbidden, match="too_visible"):
                    posted(db, config, ben, f"{parent.slug} {own.slug}", own, status)


def test_an_author_who_is_merged_still_reaches_those_who_are_named(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, push_max_followers=1)
    ann, ben, cid = people("ann", "ben", "cid")
    for follower in (ben, cid):
        following.follow(db, config, follower, "ann")
    worker.drain(db, config)
    assert db.run(("HGET", account_keys.user(ann), "pulled")) == "1"
    made = [posted(db, config, ann, f"hm @ben {one.slug}", one) for one in Visibility]
    worker.drain(db, config)
    for _ in range(2):
        homes = [[one.id for one in home_timeline(db, config, uid).items] for uid in (ben, cid)]
        assert homes == [made[::-1], made[2::-1]]
        db.run(
            ("DEL", timeline_keys.home(ben)),
        )
        db.run(
            ("ZREM", timeline_keys.active_members(partition_of(ben)), ben)
        )  # so that it is built anew


def test_a_restored_member_is_back_on_the_public_timeline_with_what_is_public(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann = people("ann")[0]
    made = [posted(db, config, ann, f"hm #song {one.slug}", one) for one in Visibility]
    settle()
    for suspended in (True, False):
        lifecycle.suspend(db, config, ann, suspended)
        settle()
    settle()
    assert [one.id for one in timelines.public(db, config).items] == made[:1]
    assert [one.id for one in timelines.tagged(db, config, "song").items] == made[:1]


def test_the_form_says_who_can_see_it_and_refuses_what_it_does_not_know(
    member: Join, app: Flask
) -> None:
    wren, finch = member("wren"), member("finch")
    answer = wren.post("/statuses", data={"text": "a nest", "visibility": "followers"})
    assert answer.status_code == 303
    home = wren.get("/home").text
    assert "For followers" in home
    status = int(re.findall(r'id="status-(\d+)"', home)[0])
    assert finch.get(f"/@wren/{status}").status_code == 404
    page = wren.get(f"/@wren/{status}").text
    assert re.findall(r'<option [^>]*value="(\w+)"', page.partition("data-composer")[2])[:2] == [
        "followers",
        "mentioned",
    ]
    assert "/chats/forward" not in page
    for word in ("everybody", "PUBLIC", "f"):
        answer = wren.post("/statuses", data={"text": "an egg", "visibility": word})
        assert answer.status_code == 422 and "an egg" in answer.text
    answer = wren.post("/statuses", data={"text": "wide", "reply": status, "visibility": "public"})
    assert answer.status_code == 403 and "A reply can’t be visible to more people" in answer.text


def test_a_draft_keeps_who_can_see_it_and_is_posted_so(
    member: Join, app: Flask, settings: Config
) -> None:
    wren, db = member("wren"), app.extensions["linnet.db"]
    uid = get_many_by_login(db, ["wren"])["wren"].uid
    wren.post("/drafts", data={"text": "a nest", "visibility": "mentioned", "key": "form-of-nest"})
    assert '<option selected value="mentioned">' in wren.get("/drafts/form-of-nest").text
    for form, word in (("form-of-nest", "mentioned"), ("form-of-noise", "noise")):
        drafts.save(
            db, settings, uid, form, {"text": "a nest", "visibility": word}, datetime.now(UTC)
        )
    drafts.publish_due(db, settings, range(64))
    found = profile_page(db, settings, "wren", db.read(get_or_404(uid))).timeline.items
    assert [one.visibility for one in found] == [Visibility.MENTIONED]
    assert [draft.error_code for draft in drafts.list_all(db, uid)[1]] == ["draft_invalid"]
    assert wren.get("/drafts/form-of-noise").status_code == 200


def test_visitors_pages_that_are_kept_hold_nothing_of_it(
    app: Flask, member: Join, settings: Config
) -> None:
    wren, visitor, db = member("wren"), app.test_client(), app.extensions["linnet.db"]
    uid = get_many_by_login(db, ["wren"])["wren"].uid
    status = posted(db, settings, uid, "a hidden nest", Visibility.FOLLOWERS)
    worker.drain(db, settings)
    for _ in range(2):
        for path in (
            f"/@wren/{status}",
            "/@wren",
            f"/statuses?ids={status}",
            "/@wren/replies",
            f"/@wren/{status}/likes",
        ):
            assert wren.get(path).status_code == 200
            assert "a hidden nest" not in visitor.get(path).text
    pages = [
        db.run(("HKEYS", key))
        for key in live_keys(db)
        if key.startswith("page:") and str(status) in key
    ]
    assert not [field for fields in pages for field in fields if not field.startswith("=")]


@pytest.mark.parametrize("how", ["protect", "delete", "suspend", "remove"])
def test_no_page_that_is_kept_for_visitors_outlives_what_hides_it(
    app: Flask, member: Join, settings: Config, how: str
) -> None:
    visitor, db = app.test_client(), app.extensions["linnet.db"]
    wren, ibis = (
        get_many_by_login(db, [login])[login].uid for login in ("wren", "ibis") if member(login)
    )
    wades = posted(db, settings, ibis, "an ibis wades", PUBLIC)
    sung = posted(db, settings, wren, "a wren sings #song", PUBLIC, wades)
    quip = statuses.post(db, settings, wren, parse("a wren quips #song"), "form-quip", quote=wades)
    boosts.boost(db, settings, ibis, quip)
    worker.drain(db, settings)
    own = [path for one in (sung, quip) for path in (f"/@wren/{one}", f"/@wren/{one}/history")]
    theirs = [
        "/@wren",
        "/@wren/replies",
        "/@wren/feed.atom",
        f"/statuses?ids={sung}",
        f"/statuses?ids={sung},{quip}",
    ]
    shared = [
        "/",
        "/public",
        "/public.atom",
        "/tags/song",
        "/tags/song.atom",
        f"/@ibis/{wades}",
        "/@ibis",
    ]
    for path in (addresses := [*own, *theirs, *shared, f"/@ibis/{wades}/quotes"]):
        assert "a wren " in visitor.get(path).text, path
    assert len([one for one in kept(db) if b"a wren " in one.text]) >= len(addresses)
    acts: dict[str, Callable[[], object]] = {
        "protect": lambda: lifecycle.protect(db, settings, wren),
        "delete": lambda: [statuses.delete(db, settings, wren, one) for one in (sung, quip)],
        "suspend": lambda: lifecycle.suspend(db, settings, wren),
        "remove": lambda: lifecycle.delete_account(db, settings, wren, PASSWORD),
    }
    acts[how]()
    worker.drain(db, settings)
    assert [path for path in addresses if "a wren " in visitor.get(path).text] == []
