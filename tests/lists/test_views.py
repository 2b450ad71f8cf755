"""The pages of lists without scripts: creation, members, viewers and streams."""

import asyncio
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.processes import PATIENCE
from tests.support.streaming.page_streams import Client, Play, play as play
from tests.support.world import Web
from webapp.accounts import keys as account_keys
from webapp.lists import store as lists
from webapp.streaming.delivery.encoders import SseEncoder


def listed_logins(client: FlaskClient, path: str) -> list[str]:
    """Return the logins on a list's page of members."""
    page = client.get(path).text
    return re.findall(r'<a class="person-link" href="/@(\w+)">', page)


def test_a_member_creates_fills_reads_and_deletes_a_list(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ben, "ben sings")
    page = ann.get("/lists")
    assert "You don’t have any lists yet" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    created = ann.post("/lists", data={"name": "  Garden   birds "})
    assert created.status_code == 303 and created.location == "/@ann/lists/1/members"
    assert "Now add some members." in ann.get(created.location).text
    added = ann.post("/lists/1/members", data={"people": "@ben"})
    assert added.location == "/@ann/lists/1/members"
    assert listed_logins(ann, added.location) == ["ben"]
    for viewer in (ann, web.client):
        assert status_ids(viewer.get("/@ann/lists/1")) == [status_id]
    assert "<h1><bdi>Garden birds</bdi></h1>" in web.client.get("/@ann/lists/1").text
    assert "data-live" in ann.get("/@ann/lists/1").text
    assert "1 member" in page_text(ann.get("/lists"))
    ann.post("/lists/1/members/ben/remove")
    assert listed_logins(ann, "/@ann/lists/1/members") == [] == status_ids(ann.get("/@ann/lists/1"))
    assert ann.post("/lists/1/delete").location == "/lists"
    check_error(ann.get("/@ann/lists/1"), 404, "This list doesn’t exist, or you can’t see it.")


def test_a_profile_form_changes_a_members_lists(web: Web) -> None:
    ann, _ = web.member("ann"), web.member("ben")
    assert 'href="/@ben/lists/add"' in ann.get("/@ben/menu").text
    assert "Create a list" in ann.get("/@ben/lists/add").text
    for name in ("one", "two", "three"):
        ann.post("/lists", data={"name": name})
    ann.post("/lists/3/members", data={"people": "ben"})
    page = ann.get("/@ben/lists/add").text
    expected = [("3", " checked"), ("2", ""), ("1", "")]
    assert re.findall(r'name="lists" value="(\d)"( checked)?', page) == expected
    ann.post("/lists", data={"name": "created meanwhile"})
    ann.post("/lists/4/members", data={"people": "ben"})
    answer = ann.post("/@ben/lists/add", data={"shown": ["3", "2", "1"], "lists": ["1", "2"]})
    assert answer.status_code == 303 and answer.location == "/@ben"
    expected = [["ben"], ["ben"], [], ["ben"]]
    assert [listed_logins(ann, f"/@ann/lists/{n}/members") for n in (1, 2, 3, 4)] == expected
    check_error(ann.get("/@ann/lists/add"), 422, "You can’t be on your own lists")
    check_error(ann.post("/@ben/lists/add", data={"shown": ["9", "x"], "lists": "9"}), 404)
    ann.post("/@ben/block")
    response = ann.post("/@ben/lists/add", data={"shown": "1", "lists": "1"})
    check_error(response, 403, "You can’t add this member")


def test_only_the_owner_sees_a_private_list(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    ann.post("/lists", data={"name": "Secret", "private": "y"})
    for path in ("/@ann/lists/1", "/@ann/lists/1/members"):
        assert "Secret" in ann.get(path).text
        for other in (ben, web.client):
            answer = other.get(path)
            check_error(answer, 404, "This list doesn’t exist, or you can’t see it.")
            missing = page_text(other.get(path.replace("1", "7"))).partition("reference")[0]
            found = page_text(answer).partition("reference")[0]
            assert found == missing, "the same page as for a missing list"
    for action in ("edit", "delete", "members", "members/ann/remove"):
        answer = ben.post(f"/lists/1/{action}", data={"name": "Mine", "login": "ann"})
        assert answer.status_code in (303, 404)
    assert "Secret" in ann.get("/lists").text and "Secret" not in ben.get("/lists").text
    ann.post("/lists/1/edit", data={"name": "Open"})
    assert "Open" in web.client.get("/@ann/lists/1").text
    assert "List settings" not in web.client.get("/@ann/lists/1").text
    assert ben.get("/@ANN/lists/1?max_id=9").location == "/@ann/lists/1?max_id=9"
    assert web.client.get("/@Ann/lists/1/members").location == "/@ann/lists/1/members"
    assert "public" not in web.client.get("/@ann/lists/1").headers["Cache-Control"]
    ann.post("/@ben/block")
    check_error(ben.get("/@ann/lists/1"), 403)


def test_a_profile_links_to_lists_that_the_viewer_may_see(web: Web) -> None:
    ann, ben, eve = web.member("ann"), web.member("ben"), web.member("eve")
    ben.post("/@ann/follow")
    link = 'href="/@ann/lists"'

    def list_links() -> list[bool]:
        """Return for each viewer if the profile links to the lists, which then show the first."""
        found = []
        for viewer in (ann, ben, eve, web.client):
            page, profile = viewer.get("/@ann/lists").text, viewer.get("/@ann").text
            assert (link in profile) == ('href="/@ann/lists/1"' in page)
            found.append(link in profile)
        return found

    before = web.db.trips
    ben.get("/@ann")
    trips_without_lists = web.db.trips - before
    ann.post("/lists", data={"name": "Kept <b>", "private": "y", "exclusive": "y"})
    assert list_links() == [False] * 4
    assert "No lists yet" in web.client.get("/@ann/lists").text
    assert "You have no public lists" in ann.get("/@ann/lists").text
    ann.post("/lists/1/edit", data={"name": "Kept <b>", "exclusive": "y"})
    ann.post("/lists/1/members", data={"people": "ben"})
    assert list_links() == [True] * 4 and "1 list " in page_text(web.client.get("/@ann")) + " "
    before = web.db.trips
    ben.get("/@ann", headers={"X-Load": "new"})  # no replay
    seen = web.db.trips - before
    assert seen == trips_without_lists, "a profile with lists takes no further trip"
    for viewer in (web.client, ben, ann):
        page = viewer.get("/@ann/lists")
        assert "Kept &lt;b&gt;" in page.text and "1 member" in page_text(page)
        assert "hidden from home" not in page.text and "/lists/1/edit" not in page.text
    assert "All your lists" in ann.get("/@ann/lists").text
    assert "All your lists" not in ben.get("/@ann/lists").text
    assert (
        web.client.get("/@ANN/lists").location == "/@ann/lists" == eve.get("/@Ann/lists").location
    )
    check_error(web.client.get("/@nobody/lists"), 404, "This member doesn’t exist.")
    ann.post("/settings/privacy", data={"protected": "y"})
    assert list_links() == [True, True, False, False]
    assert "These lists are protected" in eve.get("/@ann/lists").text
    assert "Kept" not in web.client.get("/@ann/lists").text
    check_error(eve.get("/@ann/lists/1"), 404, "This list doesn’t exist, or you can’t see it.")
    ann.post("/settings/privacy", data={})
    ann.post("/@eve/block")
    assert link not in eve.get("/@ann").text and link in ben.get("/@ann").text
    check_error(eve.get("/@ann/lists"), 403)
    ann.post("/lists/1/delete")
    assert link not in ben.get("/@ann").text and link not in web.client.get("/@ann").text


def test_invalid_forms_come_back_with_their_values(web: Web) -> None:
    ann, _ = web.member("ann"), web.member("ben")
    ann.post("/lists", data={"name": "Birds"})
    ann.post("/lists", data={"name": "Others"})
    for path, form, status, sentence in (
        ("/lists", {"name": " ", "private": "y"}, 422, "Give the list a name."),
        (
            "/lists",
            {"name": "x" * 51, "private": "y"},
            422,
            "That’s 51 characters. The limit is 50.",
        ),
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
        ("/lists/1/members", {"people": " @ "}, 422, "Choose someone first."),
        ("/lists/1/members", {"people": "a " * 9 + "é"}, 404, "@a: This member doesn’t exist."),
        ("/lists/1/members", {"people": [f"a{n}" for n in range(21)]}, 422, "Choose at most 20"),
        ("/lists/1/members", {"people": "nobody"}, 404, "This member doesn’t exist."),
        ("/lists/1/members", {"people": "ann"}, 422, "You can’t be on your own lists"),
    ):
        answer = ann.post(path, data=form)
        assert answer.status_code == status and sentence in page_text(answer), path
        for name, value in form.items() if "people" not in form else ():
            expected = "checked" if name == "private" else f'value="{value.strip() or value}"'
            assert expected in answer.text, (path, name)
    for path in (
        "/lists/9/edit",
        "/lists/x/edit",
        "/lists/01/edit",
        "/@ann/lists/0",
        f"/@ann/lists/{'9' * 20}",
    ):
        check_error(ann.get(path), 404)
    response = ann.post("/lists/9/members", data={"people": "ben"})
    check_error(response, 404, "This list doesn’t exist")
    check_error(ann.get("/@ann/lists/1?max_id=x"), 422)


def test_an_exclusive_list_excludes_its_members_from_home_and_says_so(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ann.post("/@ben/follow")
    status_id = post_status(ben, "ben sings")
    assert status_ids(ann.get("/home")) == [status_id]
    ann.post("/lists", data={"name": "Aside", "exclusive": "y"})
    ann.post("/lists/1/members", data={"people": "ben"})
    assert status_ids(ann.get("/home")) == []
    assert status_ids(ann.get("/@ann/lists/1")) == [status_id]
    assert "hidden from home" in ann.get("/@ann/lists/1").text
    assert "hidden from home" not in web.client.get("/@ann/lists/1").text
    ann.post("/lists/1/delete")
    assert status_ids(ann.get("/home")) == [status_id]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_navigation_links_to_own_lists(ann: FlaskClient, lang: str) -> None:
    ann.set_cookie("linnet_lang", lang)
    assert re.search(
        r'href="/lists"[^>]*>.*?<span class="nav-label">(Lists|列表)<', ann.get("/home").text
    )
    assert 'href="/lists" aria-current="page"' in ann.get("/lists").text


async def test_a_list_stream_follows_changes_of_members_and_of_privacy(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async with play() as (app, web, ann, cookie):
        ben = int(web.db.run(("GET", account_keys.login("ben"))).partition(":")[0])

        def apply(change: Callable[[], object]) -> None:
            change()
            web.apply_events()

        async def make(change: Callable[[], object]) -> None:
            await asyncio.to_thread(apply, change)

        number = lists.create(web, ben, "Birds")
        path = f"/stream/list/{ben}/{number}"
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await asyncio.gather(*(stream.until(b": still here") for stream in (visitor, owner)))
        await make(lambda: lists.set_memberships(web, ben, "ann", {number: True}))
        # Both streams end, so that pages reconnect with the new members.
        for stream in (visitor, owner):
            await asyncio.wait_for(stream.task, PATIENCE)
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await asyncio.gather(*(stream.until(b": still here") for stream in (visitor, owner)))
        await make(lambda: web.post(ann, "ann sings"))
        await asyncio.gather(*(stream.until(b"ann sings") for stream in (visitor, owner)))
        await make(lambda: lists.update(web, ben, number, "Birds", True, False))
        for stream in (visitor, owner):
            await asyncio.wait_for(stream.task, PATIENCE)
        visitor, owner = Client(app, path), Client(app, path, cookie=cookie)
        await owner.until(b": still here")
        for stream in (visitor, Client(app, f"/stream/list/{ben}/99")):
            await asyncio.wait_for(stream.task, PATIENCE)
            assert b"Sign in first" in stream.sent
        owner.task.cancel()


async def test_a_home_stream_skips_members_of_exclusive_lists(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SseEncoder, "heartbeat", 0.02)

    async with play() as (app, web, ann, cookie):
        ben = int(web.db.run(("GET", account_keys.login("ben"))).partition(":")[0])
        home = Client(app, "/stream/home", cookie=cookie)
        await home.until(b": still here")

        def post(uid: int, text: str) -> None:
            web.post(uid, text)
            web.apply_events()

        def exclude_and_post() -> int:
            number = lists.create(web, ben, "Aside", exclusive=True)
            lists.set_memberships(web, ben, "ann", {number: True})
            web.apply_events()
            post(ann, "excluded")
            post(ben, "own post")
            return number

        def delete_and_post(number: int) -> None:
            lists.delete(web, ben, number)
            web.apply_events()
            post(ann, "included again")

        number = await asyncio.to_thread(exclude_and_post)
        await home.until(b"own post")  # the stream reads lists as they are when it gets there
        await asyncio.to_thread(delete_and_post, number)
        await home.until(b"included again")
        assert b"excluded" not in home.sent
        home.task.cancel()
