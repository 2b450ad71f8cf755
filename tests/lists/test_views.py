"""The pages of lists, without a script: creating them, their members, viewers and streams."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.streaming.pages.test_delivery import Client, Story
from tests.streaming.pages.test_delivery import play as play
from tests.support import worker
from tests.support.processes import PATIENCE
from tests.system.test_pages import check_error, shown, words, write
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.lists import store as lists
from webapp.statuses import store as statuses
from webapp.streaming.delivery.encoders import SseEncoder
from webapp.streaming.pages.server import StreamApp

Join = Callable[[str], FlaskClient]


def people(client: FlaskClient, path: str) -> list[str]:
    """The names on a list's page of members, and those who can be taken off."""
    page = client.get(path).text
    return re.findall(r'<a class="person-link" href="/@(\w+)">', page)


def test_a_member_makes_a_list_fills_it_reads_it_and_deletes_it(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    sung = write(ben, "ben sings")
    page = ann.get("/lists")
    assert "You have no lists yet" in page.text and page.headers["Cache-Control"] == "no-store"
    made = ann.post("/lists", data={"name": "  Garden   birds "})
    assert made.status_code == 303 and made.location == "/@ann/lists/1/members"
    assert "Now add some members." in ann.get(made.location).text
    added = ann.post("/lists/1/members", data={"login": "@ben"})
    assert added.location == "/@ann/lists/1/members" and people(ann, added.location) == ["ben"]
    assert shown(ann.get("/@ann/lists/1")) == [sung] == shown(client.get("/@ann/lists/1"))
    assert "<h1><bdi>Garden birds</bdi></h1>" in client.get("/@ann/lists/1").text
    assert "data-live" in ann.get("/@ann/lists/1").text and "1 member" in words(ann.get("/lists"))
    ann.post("/lists/1/members/ben/remove")
    assert people(ann, "/@ann/lists/1/members") == [] == shown(ann.get("/@ann/lists/1"))
    assert ann.post("/lists/1/delete").location == "/lists"
    check_error(ann.get("/@ann/lists/1"), 404, "This list doesn’t exist, or you can’t see it.")


def test_from_a_profile_one_puts_a_member_on_some_lists_and_off_others(member: Join) -> None:
    ann, _ = member("ann"), member("ben")
    assert 'href="/@ben/lists/add"' in ann.get("/@ben").text
    assert "Make a list" in ann.get("/@ben/lists/add").text
    for name in ("one", "two", "three"):
        ann.post("/lists", data={"name": name})
    ann.post("/lists/3/members", data={"login": "ben"})
    page = ann.get("/@ben/lists/add").text
    assert re.findall(r'name="lists" value="(\d)"( checked)?', page) == [
        ("3", " checked"),
        ("2", ""),
        ("1", ""),
    ]
    ann.post("/lists", data={"name": "made meanwhile"})
    ann.post("/lists/4/members", data={"login": "ben"})
    chosen = ann.post("/@ben/lists/add", data={"shown": ["3", "2", "1"], "lists": ["1", "2"]})
    assert chosen.status_code == 303 and chosen.location == "/@ben"
    assert [people(ann, f"/@ann/lists/{n}/members") for n in (1, 2, 3, 4)] == [
        ["ben"],
        ["ben"],
        [],
        ["ben"],
    ]
    check_error(ann.get("/@ann/lists/add"), 422, "You can’t be on your own list")
    check_error(ann.post("/@ben/lists/add", data={"shown": ["9", "x"], "lists": "9"}), 404)
    ann.post("/@ben/block")
    check_error(
        ann.post("/@ben/lists/add", data={"shown": "1", "lists": "1"}),
        403,
        "You can’t add this member",
    )


def test_a_private_list_is_there_for_its_owner_alone(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    ann.post("/lists", data={"name": "Secret", "private": "y"})
    for path in ("/@ann/lists/1", "/@ann/lists/1/members"):
        assert "Secret" in ann.get(path).text
        for other in (ben, client):
            answer = other.get(path)
            check_error(answer, 404, "This list doesn’t exist, or you can’t see it.")
            none = words(other.get(path.replace("1", "7"))).partition("reference")[0]
            assert words(answer).partition("reference")[0] == none, "as if there were none"
    for act in ("edit", "delete", "members", "members/ann/remove"):
        assert ben.post(f"/lists/1/{act}", data={"name": "Mine", "login": "ann"}).status_code in (
            303,
            404,
        )
    assert "Secret" in ann.get("/lists").text and "Secret" not in ben.get("/lists").text
    ann.post("/lists/1/edit", data={"name": "Open"})
    assert (
        "Open" in client.get("/@ann/lists/1").text
        and "Settings of the list" not in client.get("/@ann/lists/1").text
    )
    assert ben.get("/@ANN/lists/1?max_id=9").location == "/@ann/lists/1?max_id=9"
    assert client.get("/@Ann/lists/1/members").location == "/@ann/lists/1/members"
    assert client.get("/lists").status_code == 303
    assert "public" not in client.get("/@ann/lists/1").headers["Cache-Control"]
    ann.post("/@ben/block")
    check_error(ben.get("/@ann/lists/1"), 403)


def test_a_profile_leads_to_the_lists_of_its_member_where_there_are_any_for_the_reader(
    app: Flask, client: FlaskClient, member: Join
) -> None:
    ann, ben, eve = member("ann"), member("ben"), member("eve")
    ben.post("/@ann/follow")
    link = 'href="/@ann/lists"'

    def leads() -> list[bool]:
        """Return whether the profile links to the list and its page shows it, for each viewer."""
        found = []
        for one in (ann, ben, eve, client):
            page, profile = one.get("/@ann/lists").text, one.get("/@ann").text
            assert (link in profile) == ('href="/@ann/lists/1"' in page)
            found.append(link in profile)
        return found

    db: Db = app.extensions["linnet.db"]
    before = db.trips
    ben.get("/@ann")
    few = db.trips - before
    ann.post("/lists", data={"name": "Kept <b>", "private": "y", "exclusive": "y"})
    assert leads() == [False] * 4
    assert (
        "No lists yet" in client.get("/@ann/lists").text
        and "no lists of yours" in ann.get("/@ann/lists").text
    )
    ann.post("/lists/1/edit", data={"name": "Kept <b>", "exclusive": "y"})
    ann.post("/lists/1/members", data={"login": "ben"})
    assert leads() == [True] * 4 and "1 list " in words(client.get("/@ann")) + " "
    before = db.trips
    ben.get("/@ann")
    assert db.trips - before == few, "a profile with lists takes no trip more"
    for one in (client, ben, ann):
        page = one.get("/@ann/lists")
        assert "Kept &lt;b&gt;" in page.text and "1 member" in words(page)
        assert "kept out of home" not in page.text and "/lists/1/edit" not in page.text
    assert (
        "All your lists" in ann.get("/@ann/lists").text
        and "All your lists" not in ben.get("/@ann/lists").text
    )
    assert client.get("/@ANN/lists").location == "/@ann/lists" == eve.get("/@Ann/lists").location
    check_error(client.get("/@nobody/lists"), 404, "This member doesn’t exist.")
    ann.post("/settings/privacy", data={"protected": "y"})
    assert leads() == [True, True, False, False]
    assert "These lists are protected" in eve.get("/@ann/lists").text
    assert "Kept" not in client.get("/@ann/lists").text
    check_error(eve.get("/@ann/lists/1"), 404, "This list doesn’t exist, or you can’t see it.")
    ann.post("/settings/privacy", data={})
    ann.post("/@eve/block")
    assert link not in eve.get("/@ann").text and link in ben.get("/@ann").text
    check_error(eve.get("/@ann/lists"), 403)
    ann.post("/lists/1/delete")
    assert link not in ben.get("/@ann").text and link not in client.get("/@ann").text


def test_what_cannot_be_comes_back_with_the_form_as_it_was(member: Join) -> None:
    ann, _ = member("ann"), member("ben")
    ann.post("/lists", data={"name": "Birds"})
    ann.post("/lists", data={"name": "Others"})
    for path, form, status, sentence in (
        ("/lists", {"name": " ", "private": "y"}, 422, "Give the list a name."),
        ("/lists", {"name": "x" * 51, "private": "y"}, 422, "A name has at most 50 characters."),
        (
            "/lists",
            {"name": "Birds", "private": "y"},
            409,
            "You already have a list with that name.",
        ),
        (
            "/lists/2/edit",
            {"name": "Birds", "private": "y"},
            409,
            "You already have a list with that name.",
        ),
        ("/lists/2/edit", {"name": "", "private": "y"}, 422, "Give the list a name."),
        ("/lists/1/members", {"login": "a b"}, 422, "Write the name of a member, such as @wren."),
        ("/lists/1/members", {"login": "nobody"}, 404, "This member doesn’t exist."),
        ("/lists/1/members", {"login": "ann"}, 422, "You can’t be on your own list"),
    ):
        answer = ann.post(path, data=form)
        assert answer.status_code == status and sentence in words(answer), path
        for name, value in form.items():
            assert (
                "checked" if name == "private" else f'value="{value.strip() or value}"'
            ) in answer.text, (
                path,
                name,
            )
    for path in (
        "/lists/9/edit",
        "/lists/x/edit",
        "/lists/01/edit",
        "/@ann/lists/0",
        f"/@ann/lists/{'9' * 20}",
    ):
        check_error(ann.get(path), 404)
    check_error(ann.post("/lists/9/members", data={"login": "ben"}), 404, "This list doesn’t exist")
    check_error(ann.get("/@ann/lists/1?max_id=x"), 422)


def test_an_exclusive_list_keeps_its_members_out_of_home_and_says_so(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    ann.post("/@ben/follow")
    sung = write(ben, "ben sings")
    assert shown(ann.get("/home")) == [sung]
    ann.post("/lists", data={"name": "Aside", "exclusive": "y"})
    ann.post("/lists/1/members", data={"login": "ben"})
    assert shown(ann.get("/home")) == [] and shown(ann.get("/@ann/lists/1")) == [sung]
    assert "kept out of home" in ann.get("/@ann/lists/1").text
    assert "kept out of home" not in client.get("/@ann/lists/1").text
    ann.post("/lists/1/delete")
    assert shown(ann.get("/home")) == [sung]


def test_a_page_of_a_list_takes_at_most_five_trips(app: Flask, member: Join) -> None:
    db: Db = app.extensions["linnet.db"]
    ann, ben = member("ann"), member("ben")
    ann.post("/lists", data={"name": "Birds"})
    ann.post("/lists/1/members", data={"login": "ben"})
    for number in range(40):
        write(ben, f"{number} sings")
    ann.get("/@ann/lists/1")
    for client in (ann, ben, app.test_client()):
        for path in ("/@ann/lists", "/@ann/lists/1", "/@ann/lists/1/members"):
            before = db.trips
            assert client.get(path).status_code == 200
            assert db.trips - before <= 5, path


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_rail_leads_to_ones_lists(member: Join, lang: str) -> None:
    ann = member("ann")
    ann.set_cookie("linnet_lang", lang)
    assert re.search(
        r'href="/lists"[^>]*>.*?<span class="nav-label">(Lists|列表)<', ann.get("/home").text
    )
    assert 'href="/lists" aria-current="page"' in ann.get("/lists").text


def test_an_open_list_hears_of_those_who_are_on_it_by_now_and_strangers_of_none_that_is_private(
    play: Callable[[Story], None], settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async def story(app: StreamApp, db: Db, ann: int, cookie: str) -> None:
        ben = int(db.run(("GET", account_keys.login("ben"))).partition(":")[0])

        def act(what: Callable[[], object]) -> None:
            what()
            worker.drain(db, settings)

        async def does(what: Callable[[], object]) -> None:
            await asyncio.to_thread(act, what)

        number = lists.create(db, settings, ben, "Birds")
        path = f"/stream/list/{ben}/{number}"
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await asyncio.gather(*(one.until(b": still here") for one in (visitor, owner)))
        await does(lambda: lists.set_memberships(db, settings, ben, "ann", {number: True}))
        for one in (visitor, owner):  # they come back, and find who is on it by then
            await asyncio.wait_for(one.task, PATIENCE)
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await asyncio.gather(*(one.until(b": still here") for one in (visitor, owner)))
        await does(lambda: statuses.post(db, settings, ann, parse("ann sings"), "form-ann-1"))
        await asyncio.gather(*(one.until(b"ann sings") for one in (visitor, owner)))
        await does(lambda: lists.update(db, settings, ben, number, "Birds", True, False))
        for one in (visitor, owner):
            await asyncio.wait_for(one.task, PATIENCE)
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await owner.until(b": still here")
        for one in (visitor, Client(app, f"/stream/list/{ben}/99")):
            await asyncio.wait_for(one.task, PATIENCE)
            assert b"Sign in first" in one.sent
        owner.task.cancel()

    play(story)


def test_an_open_home_is_not_told_of_who_is_kept_out_of_it(
    play: Callable[[Story], None], settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async def story(app: StreamApp, db: Db, ann: int, cookie: str) -> None:
        ben = int(db.run(("GET", account_keys.login("ben"))).partition(":")[0])
        home = Client(app, "/stream/home", cookie=cookie)
        await home.until(b": still here")

        def act() -> None:
            number = lists.create(db, settings, ben, "Aside", exclusive=True)
            lists.set_memberships(db, settings, ben, "ann", {number: True})
            worker.drain(db, settings)
            statuses.post(db, settings, ann, parse("unheard"), "form-ann-1")
            worker.drain(db, settings)
            lists.delete(db, settings, ben, number)
            worker.drain(db, settings)
            statuses.post(db, settings, ann, parse("heard again"), "form-ann-2")
            worker.drain(db, settings)

        await asyncio.to_thread(act)
        await home.until(b"heard again")
        assert b"unheard" not in home.sent
        home.task.cancel()

    play(story)
