"""The page of the languages in which one's followers write."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.world import Web, World
from webapp.following import languages
from webapp.following.languages import Languages, count_languages, newest_followers
from webapp.following.store import follow
from webapp.statuses import Visibility

TEXTS = {"en": "The wren sings in the reeds all morning", "zh": "今天早上在湖边看到一只翠鸟"}


def count(world: World, uid: int) -> Languages:
    """Count the languages of a member's followers."""
    return count_languages(world.db, world.db.read(newest_followers(uid)))


def test_followers_are_counted_by_their_newest_public_posts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "GROUP_MIN", 2)
    ann, ben, cas, dan, eve, fay, _ = world.people("ann", "ben", "cas", "dan", "eve", "fay", "gil")
    for uid in (ben, cas, dan, eve, fay):
        follow(world, uid, "ann")
    for uid, language in ((ben, "zh"), (ben, "en"), (cas, "en"), (dan, "zh"), (eve, "en")):
        world.post(uid, TEXTS[language])
    world.post(ben, "😀")  # in no language: the post before counts
    world.post(cas, TEXTS["zh"], visibility=Visibility.FOLLOWERS)
    world.apply_events()
    assert count(world, ann) == Languages(5, [("en", 3)], others=1, unknown=1)
    world.do(World.protect, eve)
    assert count(world, ann) == Languages(5, [("en", 2)], others=1, unknown=2)


def test_the_newest_followers_are_counted_in_two_trips(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "SAMPLE", 2)
    ann, *others = world.people("ann", "ben", "cas", "dan")
    for uid in others:
        follow(world, uid, "ann")
        world.post(uid)
    world.apply_events()
    uids = world.db.read(newest_followers(ann))
    assert uids == [others[2], others[1]]
    before = world.db.trips
    assert count_languages(world.db, uids) == Languages(2, [], others=0, unknown=2)
    assert world.db.trips == before + 2


def test_only_the_member_is_led_to_their_page(ann: FlaskClient, web: Web) -> None:
    assert "Not enough followers" in ann.get("/followers/languages").text
    for login in ("ben", "cas", "dan", "eve", "fay", "gil"):
        client = web.member(login)
        client.post("/@ann/follow")
        client.post("/statuses", data={"text": TEXTS["zh" if login == "gil" else "en"]})
    link = 'href="/followers/languages"'
    assert link in ann.get("/@ann/followers").text
    assert link not in client.get("/@ann/followers").text + ann.get("/@gil/followers").text
    page = ann.get("/followers/languages").text
    rows = re.findall(r'<th scope="row">\s*(.*?)\s*</th>\s*<td>(\d+)</td>\s*<td>(\d+%)', page)
    assert rows == [("English", "5", "83%"), ("Other", "1", "17%")]
    assert "Chinese" not in page.partition("<main")[2].partition("</main")[0]
