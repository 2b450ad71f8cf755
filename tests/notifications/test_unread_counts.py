"""The unread count at the bell is what the page shows, whatever mutes and filters hide."""

import time

import pytest
from flask.testing import FlaskClient

from tests.support.pages import post_status
from tests.support.world import World, post
from webapp.core.store import Db
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.notifications import store
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses import Filter, FilterSet
from webapp.statuses.edits import editing
from webapp.statuses.filters import store as filters

HIDE = Filter("reeds", contexts=("notifications",), hide=True)


def unread(db: Db, uid: int) -> int:
    """Return the count at the bell. Check that the page shows as many unread notifications."""
    count = int(db.read(store.unread_count(uid)))
    page = store.page(db, uid, kinds_in_tab("all"), None, 30, False)
    filter_set = FilterSet(db.read(filters.filters_of(uid)), "notifications", uid)
    shown = [group for group in page.items if not (group.status and filter_set.hides(group.status))]
    assert count == sum(group.has_unread for group in shown)
    return count


def test_a_mute_takes_away_what_it_hides(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    own = post(world, ann, "mine")
    for uid in (ben, cid):
        post(world, uid, "hello @ann")
    world.do(World.like, ben, own)
    assert unread(world.db, ann) == 3
    world.do(World.mute, ann, "ben")  # his notifications are shown
    assert unread(world.db, ann) == 3
    world.do(World.mute, ann, "ben", hide_notifications=True)
    assert unread(world.db, ann) == 1
    world.do(post, ben, "hello again @ann")
    assert unread(world.db, ann) == 1
    # The mute has ended.
    world.db.run(("ZADD", following_keys.muted_notifications(ann), "XX", 1, ben))
    assert unread(world.db, ann) == 1
    world.do(post, ben, "and again @ann")
    assert unread(world.db, ann) == 2
    world.do(World.mute, ann, "ben", hide_notifications=True)
    world.unmute(ann, "ben")
    assert unread(world.db, ann) == 1


def test_a_filter_takes_away_what_it_hides(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    own = post(world, ann, "my reeds")
    world.like(ben, own)
    for text in ("Reeds for @ann", "rushes for @ann"):
        post(world, ben, text)
    world.apply_events()
    assert unread(world.db, ann) == 3
    for shown in (
        Filter("reeds", contexts=("home",), hide=True),
        Filter("reeds", contexts=("notifications",), hide=False),
        Filter("ree", contexts=("notifications",), hide=True),
    ):
        world.do(filters.save, ann, shown)
        assert unread(world.db, ann) == 3
    number = world.do(filters.save, ann, HIDE)
    assert unread(world.db, ann) == 2  # a like of one's own post is not hidden
    post(world, ben, "more reeds for @ann")
    world.do(post, ben, "more rushes for @ann")
    assert unread(world.db, ann) == 3
    edited = world.do(post, ben, "geese for @ann")
    assert unread(world.db, ann) == 4
    world.do(editing.edit, ben, edited, parse("geese in reeds for @ann"), "", "0")
    assert unread(world.db, ann) == 3
    filters.delete(world.db, ann, number)
    assert unread(world.db, ann) == 3
    world.do(post, ben, "still reeds for @ann")
    assert unread(world.db, ann) == 4


def test_a_filter_that_has_expired_hides_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    expires_at = int(time.time()) - 1
    filters.save(
        world, ann, Filter("reeds", contexts=("notifications",), expires_at=expires_at, hide=True)
    )
    world.do(post, ben, "reeds for @ann")
    assert unread(world.db, ann) == 1


@pytest.mark.parametrize("hides", ["mute", "filter"])
def test_pages_show_the_same_number(ann: FlaskClient, ben: FlaskClient, hides: str) -> None:
    post_status(ben, "reeds for @ann")
    assert badge(ann) == 1
    if hides == "mute":
        ann.post("/@ben/mute", data={"duration": "day", "hide_notifications": "y"})
    else:
        form = {
            "words": "reeds",
            "notifications": "y",
            "expires_in": "always",
            "filter_action": "hide",
        }
        ann.post("/settings/filters", data=form)
    assert badge(ann) == 0
    assert "reeds for" not in ann.get("/notifications").text


def badge(client: FlaskClient) -> int:
    """Return the count at the bell."""
    page = client.get("/explore").text
    return int(
        page.partition('data-badge="notifications"')[2].partition("<span>")[2].partition("<")[0]
    )
