"""/admin/members: who sees it, what it says of each member, and how it is searched."""

import re

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.pages import check_error, page_text, post_status
from tests.support.world import World
from webapp.accounts import lifecycle, store as accounts
from webapp.admin.directory import store
from webapp.core.web.context import site_of
from webapp.moderation import acting


def logins(page: str) -> list[str]:
    """Return the usernames of the rows, in their order."""
    return re.findall(r'class="person-link" href="/moderation/@(\w+)"', page)


def test_only_admins_see_when_members_were_there(member: SignUp) -> None:
    mod = member("jay", "moderator")
    page = page_text(mod.get("/admin/members"))
    assert "last seen" not in page and "Moderator" in page
    assert "last seen" in page_text(member("eva", "admin").get("/admin/members"))


def test_it_tells_posts_reports_roles_and_states(app: Flask, member: SignUp) -> None:
    admin, ann, ben = member("eva", "admin"), member("ann"), member("ben")
    post_status(ben, "one")
    post_status(ben, "two")
    ann.post("/@ben/report", data={"category": "spam", "reason": "twice"})
    site, by = site_of(app), accounts.get_by_login(app.extensions["linnet.db"], "eva")
    acting.act(site, by, accounts.get_by_login(site.db, "ben").uid, "limit", "Too loud.")
    acting.act(site, by, accounts.get_by_login(site.db, "ann").uid, "suspend", "Rude.")
    page = page_text(admin.get("/admin/members"))
    assert logins(admin.get("/admin/members").text) == ["ben", "ann", "eva"]
    assert "2 posts · 1 report" in page and "Admin" in page
    for query, found in {
        "state=limited": ["ben"],
        "state=suspended": ["ann"],
        "state=active": ["eva"],
        "role=admin": ["eva"],
        "role=admin&state=limited": [],
        "role=nothing": ["ben", "ann", "eva"],
        "q=be": ["ben"],
        "q=@ann": ["ann"],
        "q=b%20ben": ["ben"],
        "q=be&state=active": [],
        "q=%00,,": [],
    }.items():
        assert logins(admin.get(f"/admin/members?{query}").text) == found, query


@pytest.mark.parametrize("cursor", ["1", "2", "9007199254740991"])
def test_any_cursor_shows_a_page(member: SignUp, cursor: str) -> None:
    admin = member("eva", "admin")
    page = admin.get(f"/admin/members?max_id={cursor}")
    assert page.status_code == 200 and logins(page.text) == (["eva"] if cursor > "1" else [])
    check_error(admin.get("/admin/members?max_id=x"), 422)


def test_pages_go_on_below_what_was_looked_through(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.people("ann", "ben", "cat", "dan", "eva", "fay")
    monkeypatch.setattr(store, "SCANNED_MAX", 2)
    lifecycle.grant(world.db, 2, "moderator")
    lifecycle.delete_account(world, 4, None)
    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        uids = world.db.read(store.candidates("", cursor))
        page = store.page_of(world.db, uids, "moderator", "", 5)
        seen += [one.member.uid for one in page.items]
        cursor, pages = page.next, pages + 1
    assert seen == [2] and pages == 3
    page = store.page_of(world.db, world.db.read(store.candidates("", None)), "", "", 2)
    assert [one.member.uid for one in page.items] == [6, 5] and page.next == 5
    page = store.page_of(world.db, world.db.read(store.candidates("", 5)), "", "", 5)
    assert [one.member.uid for one in page.items] == [3, 2, 1] and page.next is None


def test_those_that_a_name_may_mean_have_pages_too(world: World) -> None:
    uids = world.people("bird", "bird1", "bird2", "bird3", "bird4")
    world.apply_events()
    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        uids_found = world.db.read(store.candidates("bird", cursor))
        page = store.page_of(world.db, uids_found, "", "", 2)
        seen += [one.member.uid for one in page.items]
        cursor, pages = page.next, pages + 1
        assert pages <= 3
    assert sorted(seen) == sorted(uids) and pages == 3
    assert not world.db.read(store.candidates("bird", 99))
