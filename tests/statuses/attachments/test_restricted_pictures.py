"""Pictures that not everybody may open: signed addresses, protected and suspended members."""

import re
from types import SimpleNamespace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.animations import animation
from tests.support.members.profiles import picture, save_profile
from tests.support.pages import join, status_ids
from tests.support.statuses.picture_pages import addresses, bare, opens, post
from tests.support.statuses.pictures import files, photo
from tests.support.world import OnSite, store_of
from webapp.accounts import keys as account_keys, lifecycle, projections as account_projections
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.media import signatures
from webapp.core.store import Site
from webapp.following import store as following
from webapp.following.blocks import store as blocks

ANN, BEN, CAT = 1, 2, 3  # uids


def pass_hours(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Let signatures be made and checked so many hours later."""
    now = signatures.time.time() + hours * 3_600
    monkeypatch.setattr(signatures, "time", SimpleNamespace(time=lambda: now))


class People(OnSite):
    """Ann, her followers Ben and Cat, and a visitor."""

    def __init__(self, app: Flask, settings: Config) -> None:
        self.db, self.config = store_of(app), settings
        self.ann, self.ben, self.cat = (join(app, login) for login in ("ann", "ben", "cat"))
        self.visitor = app.test_client()
        for uid in (BEN, CAT):
            following.follow(Site(self.db, settings), uid, "ann")

    @property
    def everybody(self) -> tuple[FlaskClient, ...]:
        return self.ann, self.ben, self.cat, self.visitor


def apply_events(people: People) -> None:
    """Apply waiting events, as any form does."""
    worker.drain(people.site)


@pytest.fixture
def people(app: Flask, settings: Config) -> People:
    return People(app, settings)


@pytest.mark.parametrize("visibility", ["followers", "mentioned"])
def test_a_restricted_picture_opens_in_the_browser_whose_page_shows_it_only(
    people: People, visibility: str
) -> None:
    sent = post(people.ann, (photo((900, 600)), ""), text="@ben look", visibility=visibility)
    assert sent.status_code == 303
    picture_urls = addresses(people.ben)
    assert len(picture_urls) == 2 and all("?signature=" in address for address in picture_urls)
    for client in people.everybody:
        assert opens(client, *picture_urls) == [client is people.ben] * 2
        assert opens(client, *map(bare, picture_urls)) == [False] * 2
    assert opens(people.ann, *addresses(people.ann)) == [True] * 2
    people.ben.delete_cookie("linnet")
    assert opens(people.ben, *picture_urls) == [False] * 2


def test_a_restricted_animation_opens_in_the_browser_whose_page_shows_it_only(
    people: People,
) -> None:
    post(people.ann, (animation(), ""), visibility="followers")
    still, moving = addresses(people.ben)
    assert "-640.webp?signature=" in still and "-animated.webp?signature=" in moving
    for client in people.everybody:
        assert opens(client, still, moving) == [client is people.ben] * 2
        assert opens(client, bare(moving)) == [False]


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_other_pictures_stay_at_their_plain_addresses(people: People, visibility: str) -> None:
    post(people.ann, (photo(), ""), visibility=visibility)
    [address] = addresses(people.visitor)
    assert address == bare(address) and opens(people.visitor, address) == [True]
    headers = people.visitor.get(address).headers
    assert "max-age=31536000" in headers["Cache-Control"]
    assert "immutable" in headers["Cache-Control"]


def test_cached_fragments_do_not_mix_viewers(people: People) -> None:
    post(people.ann, (photo(), ""), visibility="followers")
    for path in (
        "/@ann",
        "/home",
        "/@ann/1?",
        f"/statuses?ids={status_ids(people.ann.get('/@ann'))[0]}",
    ):
        by_viewer = [addresses(client, path) for client in (people.ben, people.cat, people.ben)]
        if path == "/@ann/1?":
            continue
        assert by_viewer[0] == by_viewer[2] != by_viewer[1]
        assert opens(people.ben, *by_viewer[0]) == opens(people.cat, *by_viewer[1]) == [True]
        assert opens(people.cat, *by_viewer[0]) == [False]


def test_an_address_lives_for_its_hour_and_the_next(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(people.ann, (photo(), ""), visibility="followers")
    [address] = addresses(people.ben)
    blocks.block(people.site, ANN, "ben")
    pass_hours(monkeypatch, 1)
    assert opens(people.ben, address) == [True]
    pass_hours(monkeypatch, 1)
    assert opens(people.ben, address) == [False]
    assert addresses(people.ben) == []
    assert opens(people.cat, *addresses(people.cat)) == [True]


def test_a_signature_is_for_one_picture_and_cannot_be_forged(people: People) -> None:
    post(people.ann, (photo(), ""), (photo((50, 50)), ""), visibility="followers")
    first, second = addresses(people.ben)
    signature = first.partition("=")[2]
    for wrong in ("", "x", signature[:-1], signature + "x", signature.swapcase(), "é", "%ff"):
        assert opens(people.ben, f"{bare(first)}?signature={wrong}") == [False]
    assert opens(people.ben, f"{bare(second)}?signature={signature}") == [False]
    assert opens(people.ben, first, second) == [True, True]


def test_a_restricted_picture_is_cached_by_its_viewer_for_an_hour(people: People) -> None:
    post(people.ann, (photo(), ""), visibility="followers")
    [address] = addresses(people.ben)
    headers = people.ben.get(address).headers
    assert sorted(headers["Cache-Control"].split(", ")) == ["max-age=3600", "private"]
    assert "Cookie" in headers["Vary"]


def test_pictures_are_served_without_the_store(people: People) -> None:
    post(people.ann, (photo(), ""), visibility="followers")
    [address] = addresses(people.ben)
    trips = people.db.trips
    assert opens(people.ben, address, bare(address)) == [True, False]
    assert people.db.trips == trips


def test_a_reply_to_a_restricted_status_has_restricted_pictures(people: People) -> None:
    people.ann.post("/statuses", data={"text": "mine", "visibility": "followers"})
    [parent] = status_ids(people.ann.get("/@ann"))
    post(people.ann, (photo(), ""), text="and this", reply=str(parent))
    [address] = addresses(people.ann, "/@ann/replies")
    assert opens(people.visitor, bare(address)) == [False]
    assert opens(people.ann, address) == [True]


def test_protecting_oneself_restricts_all_pictures_until_it_ends(people: People) -> None:
    post(people.ann, (photo(), ""))
    [address] = addresses(people.visitor)
    lifecycle.protect(people.site, ANN)
    apply_events(people)
    assert opens(people.visitor, address) == opens(people.ben, address) == [False]
    assert opens(people.ben, *addresses(people.ben)) == [True]
    assert addresses(people.visitor) == []
    lifecycle.protect(people.site, ANN, protected=False)
    apply_events(people)
    assert opens(people.visitor, address) == [True]
    assert addresses(people.visitor) == [address]


def test_pictures_of_suspended_members_are_not_served(people: People) -> None:
    save_profile(people.ann, avatar=(picture(), "me.png"))
    post(people.ann, (photo(), ""))
    post(people.ann, (photo(), ""), visibility="followers")
    page = people.ben.get("/@ann").text
    picture_urls = [*addresses(people.ben), *re.findall(r'src="(/media/1/[^"]+)"', page)]
    assert len(picture_urls) >= 3 and all(opens(people.ben, *picture_urls))
    lifecycle.suspend(people.site, ANN)
    apply_events(people)
    assert not any(opens(people.ben, *picture_urls))
    lifecycle.grant(people.db, BEN, "moderator")
    members = people.ben.get("/admin/members?state=suspended").text
    assert "@ann" in members and "/media/" not in members, "no picture that cannot be opened"
    lifecycle.suspend(people.site, ANN, suspended=False)
    apply_events(people)
    assert all(opens(people.ben, *picture_urls))


def test_flags_follow_the_account_however_often_and_late_events_are_applied(
    people: People, settings: Config
) -> None:
    event = Event("1-0", ANN, "log", 1, "suspended", "", {"uid": str(ANN)})
    context = Context(people.db, settings, lambda: None)
    members = settings.media_path / "members"
    for flags in ({"protected"}, {"protected", "suspended"}, {"suspended"}, set[str]()):
        people.db.run(("HDEL", account_keys.user(ANN), "protected", "suspended"))
        for flag in flags:
            people.db.run(("HSET", account_keys.user(ANN), flag, 1))
        for _ in range(2):
            account_projections.sync_picture_flags(context, [event, event])
            assert {path.name for path in members.glob("*")} == {f"{ANN}.{flag}" for flag in flags}


def test_nothing_is_left_of_a_deleted_status_or_account(people: People, settings: Config) -> None:
    post(people.ann, (photo(), ""), visibility="followers")
    assert any(name.endswith(".restricted") for name in files(settings))
    people.ann.post(f"/statuses/{status_ids(people.ann.get('/@ann'))[0]}/delete")
    assert not files(settings)
    post(people.ann, (photo(), ""), visibility="followers")
    lifecycle.protect(Site(people.db, settings), ANN)
    lifecycle.delete_account(Site(people.db, settings), ANN, None)
    apply_events(people)
    assert not files(settings) and not list((settings.media_path / "members").glob("*"))
