"""The unread count at the bell is what the page shows, whatever mutes and filters hide."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.conftest import ApplyEvents, People
from tests.support.pages import post_status
from tests.support.statuses.interactions import post
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following.mutes import store as mutes
from webapp.notifications import store
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses.edits import editing
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.filter_set import Filter, FilterSet
from webapp.statuses.interactions import likes

HIDE = Filter("reeds", contexts=("notifications",), hide=True)


def unread(db: Db, uid: int) -> int:
    """Return the count at the bell. Check that the page shows as many unread notifications."""
    count = int(db.read(store.unread_count(uid)))
    page = store.page(db, uid, kinds_in_tab("all"), None, 30, False)
    filter_set = FilterSet(db.read(filters.filters_of(uid)), "notifications", uid)
    shown = [group for group in page.items if not (group.status and filter_set.hides(group.status))]
    assert count == sum(group.has_unread for group in shown)
    return count


def test_a_mute_takes_away_what_it_hides(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    own = post(site, ann, "mine")
    for uid in (ben, cid):
        post(site, uid, "hello @ann")
    likes.like(site, ben, own)
    apply_events()
    assert unread(site.db, ann) == 3
    mutes.mute(site, ann, "ben")  # his notifications are shown
    apply_events()
    assert unread(site.db, ann) == 3
    mutes.mute(site, ann, "ben", hide_notifications=True)
    apply_events()
    assert unread(site.db, ann) == 1
    post(site, ben, "hello again @ann")
    apply_events()
    assert unread(site.db, ann) == 1
    site.db.run(
        ("ZADD", following_keys.muted_notifications(ann), "XX", 1, ben)
    )  # the mute has ended
    assert unread(site.db, ann) == 1
    post(site, ben, "and again @ann")
    apply_events()
    assert unread(site.db, ann) == 2
    mutes.mute(site, ann, "ben", hide_notifications=True)
    apply_events()
    mutes.unmute(site, ann, "ben")
    assert unread(site.db, ann) == 1


def test_a_filter_takes_away_what_it_hides(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    own = post(site, ann, "my reeds")
    likes.like(site, ben, own)
    for text in ("Reeds for @ann", "rushes for @ann"):
        post(site, ben, text)
    apply_events()
    assert unread(site.db, ann) == 3
    for shown in (
        Filter("reeds", contexts=("home",), hide=True),
        Filter("reeds", contexts=("notifications",), hide=False),
        Filter("ree", contexts=("notifications",), hide=True),
    ):
        filters.save(site, ann, shown)
        apply_events()
        assert unread(site.db, ann) == 3
    number = filters.save(site, ann, HIDE)
    apply_events()
    assert unread(site.db, ann) == 2  # a like of one's own post is not hidden
    post(site, ben, "more reeds for @ann")
    post(site, ben, "more rushes for @ann")
    apply_events()
    assert unread(site.db, ann) == 3
    edited = post(site, ben, "geese for @ann")
    apply_events()
    assert unread(site.db, ann) == 4
    editing.edit(site, ben, edited, parse("geese in reeds for @ann"), "", "0")
    apply_events()
    assert unread(site.db, ann) == 3
    filters.delete(site.db, ann, number)
    assert unread(site.db, ann) == 3
    post(site, ben, "still reeds for @ann")
    apply_events()
    assert unread(site.db, ann) == 4


def test_a_filter_that_has_expired_hides_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    expires_at = int(time.time()) - 1
    filters.save(
        site, ann, Filter("reeds", contexts=("notifications",), expires_at=expires_at, hide=True)
    )
    post(site, ben, "reeds for @ann")
    apply_events()
    assert unread(site.db, ann) == 1


@pytest.mark.parametrize("hides", ["mute", "filter"])
def test_pages_show_the_same_number(member: Callable[[str], FlaskClient], hides: str) -> None:
    ann, ben = member("ann"), member("ben")
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
