"""Invitations that members make: their bound, who came with them, and what ends them."""

import re
import time
from contextlib import suppress
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, ApplyEvents, People, SignUp
from tests.support.concurrently import concurrently
from tests.support.crashing_db import dies, is_unconfirmed
from tests.support.pages import check_error, page_text
from tests.support.world import World
from webapp.accounts import keys, lifecycle, registration, store as accounts
from webapp.accounts.invitations import invites, own
from webapp.core.errors import Conflict, Forbidden
from webapp.core.settings import store as settings_store
from webapp.core.store import Command, Site

PATH = "/settings/invitations"


def open_to_members(app: Flask) -> None:
    """Let members invite, on a site that only people with an invitation may join."""
    live = app.extensions["linnet.settings"]
    values = {"signup": "invite", "inviters": "members", "invites_max": "2"}
    settings_store.change(app.extensions["linnet.db"], live, values)


def code_in(page: str) -> str:
    found = re.search(r"/signup\?invite=([\w-]{16})<", page)
    assert found
    return found[1]


def test_a_member_invites_and_moderators_see_whom(
    app: Flask, client: FlaskClient, member: SignUp
) -> None:
    ann, mod = member("ann"), member("jay", "moderator")
    check_error(ann.post(PATH, data={"note": "x"}), 403)
    assert "Members can’t invite" in page_text(ann.get(PATH))
    assert "Invitations" not in page_text(ann.get("/settings"))
    open_to_members(app)
    assert "Invitations" in page_text(ann.get("/settings"))
    assert "You need an invitation to join" in page_text(client.get("/"))
    assert ann.post(PATH, data={"note": "n" * 101}).status_code == 422
    assert ann.post(PATH, data={"note": " for  Ben "}).status_code == 303
    page = ann.get(PATH)
    assert "for Ben" in page_text(page) and "0 of 1 used" in page_text(page)
    code = code_in(page.text)
    form = {"login": "ben", "name": "Ben", "password": PASSWORD, "invite": code}
    assert app.test_client().post("/signup", data=form).status_code == 303
    assert app.test_client().post("/signup", data=form | {"login": "c"}).status_code == 403
    page = page_text(ann.get(PATH))
    assert "1 of 1 used" in page and "Joined with it: @ben" in page
    assert ann.post(f"{PATH}/cancel", data={"code": code}).status_code == 409
    assert "Invited by @ann" in page_text(mod.get("/moderation/@ben"))
    assert "Invited: @ben" in page_text(mod.get("/moderation/@ann"))


def test_a_member_cancels_only_their_own(app: Flask, ann: FlaskClient, ben: FlaskClient) -> None:
    open_to_members(app)
    ann.post(PATH)
    code = code_in(ann.get(PATH).text)
    for bad in (code, "", "x", "é" * 16):
        assert ben.post(f"{PATH}/cancel", data={"code": bad}).status_code == 404
    assert ann.post(f"{PATH}/cancel", data={"code": code}).status_code == 303
    assert ann.post(f"{PATH}/cancel", data={"code": code}).status_code == 404
    assert "No invitations yet." in page_text(ann.get(PATH))
    for status in (303, 303, 409):
        assert ann.post(PATH).status_code == status


@pytest.mark.parametrize("trips", [1, 2])
def test_an_invitation_is_cancelled_or_used_never_both(
    trips: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody signs up with it after so many trips of its cancelling."""
    [ann] = world.people("ann")
    code = own.create(world, ann, "").code
    trip, made, done = world.db.trip, count(1), []

    def sign_up_meanwhile(*commands: Command) -> list[Any]:
        found = trip(*commands)
        if next(made) == trips:
            monkeypatch.undo()
            with suppress(Forbidden):
                ben = registration.sign_up(world, "ben", "Ben", PASSWORD, code).uid
                done.append(world.db.read(own.inviter_of(ben)) == ann)
        return found

    monkeypatch.setattr(world.db, "trip", sign_up_meanwhile)
    with suppress(Conflict):
        own.cancel(world, ann, code)
        done.append(not invites.is_valid(world.db, code))
    assert done == [True]


def test_fifty_at_once_make_no_more_than_allowed(world: World) -> None:
    [ann] = world.people("ann")
    results = concurrently(lambda _n: own.create(world, ann, ""), 50)
    made = [one for one in results if isinstance(one, invites.Invite)]
    assert len(made) == world.config.invites_max and results.count("invites_full") == 45
    assert {one.code for one in invites.list_invites(world.db)} == {one.code for one in made}


def test_an_invitation_ends_after_its_time_by_the_clock_of_the_store(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    made = [own.create(world, ann, "") for _ in range(world.config.invites_max)]
    with monkeypatch.context() as ahead:
        ahead.setattr(own, "time", SimpleNamespace(time=lambda: time.time() + 8 * 86_400))
        world.refuses(Conflict, own.create, ann, "", match="invites_full")
    code = made[0].code
    world.db.run(("ZADD", keys.own_invites(ann), 1, code))
    world.db.run(("EXPIREAT", keys.invite_places(code), 1))
    world.refuses(Forbidden, registration.sign_up, "ben", "Ben", PASSWORD, code)
    assert invites.is_valid(world.db, made[1].code)
    assert own.create(world, ann, "").uses == 0, "there is room for another one"


def test_invitations_end_with_a_suspension_or_the_account(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    for uid, end in zip(
        people("ann", "ben"),
        (lifecycle.suspend, lambda site, uid: lifecycle.delete_account(site, uid, None)),
        strict=True,
    ):
        code = own.create(site, uid, "for nobody").code
        end(site, uid)
        apply_events()
        assert not invites.is_valid(site.db, code)
        assert not site.db.run(("EXISTS", keys.invite_details(code)))
    assert invites.list_invites(site.db) == []


def test_a_crash_leaves_no_invitation_that_anybody_could_use(world: World) -> None:
    [ann] = world.people("ann")
    for trips in range(3):
        if dies(world, trips, lambda site: own.create(site, ann, "")):
            assert world.db.read(own.expirations(ann)) == {}
    assert own.create(world, ann, "").uses == 0


def test_whom_a_deleted_member_invited_is_kept_nowhere(world: World) -> None:
    [ann] = world.people("ann")
    invite = own.create(world, ann, "")
    lifecycle.delete_account(world, ann, None)
    ben = registration.sign_up(world, "ben", "Ben", PASSWORD, invite.code).uid
    world.apply_events()
    assert world.db.read(own.inviter_of(ben)) == ann
    assert not world.db.run(("EXISTS", keys.invited_members(ann)))


def test_an_invitation_stays_used_if_no_replica_confirms_the_account(world: World) -> None:
    for trips in count():
        code, login = invites.create(world.db, 1, 60).code, f"ben{trips}"
        act = partial(registration.sign_up, login=login, name="B", password=PASSWORD, invite=code)
        is_last = not is_unconfirmed(world, trips, act)
        uid = world.db.read(accounts.claimed_uid(login))
        if uid and world.db.read(accounts.get(uid)):
            assert not invites.is_valid(world.db, code), f"{trips} trips were confirmed"
        if is_last:
            break
    assert trips > 5
