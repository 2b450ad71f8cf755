"""The posts that a member has opened: what is kept, in which order, and what is forgotten."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support.statuses.interactions import post
from webapp.accounts import lifecycle
from webapp.core.errors import Forbidden
from webapp.core.site import Site
from webapp.statuses import store as statuses
from webapp.statuses.viewed import keys, store


def open_posts(site: Site, uid: int, *status_ids: int) -> None:
    """Open posts, one after the other."""
    for status_id in status_ids:
        site.db.run(store.note_viewed(uid, status_id))


def viewed_ids(site: Site, uid: int, size: int = 2) -> list[int]:
    """Return the ids of all pages."""
    found, cursor = list[int](), None
    while True:
        _, ids = site.db.read(store.newest_viewed(uid, cursor, size))
        page = store.viewed_page(site.db, uid, ids, size)
        found += [status.id for status in page.items]
        if (cursor := page.next) is None:
            return found


def test_nothing_is_kept_until_the_member_switches_it_on(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    first, second, third = (post(site, ann, f"text {number}") for number in range(3))
    open_posts(site, ben, first)
    store.choose(site.db, ben, "clear")
    open_posts(site, ben, first)
    assert viewed_ids(site, ben) == [] and not site.db.read(store.newest_viewed(ben, None, 2))[0]
    store.choose(site.db, ben, "on")
    open_posts(site, ben, first, second, third, first)
    store.choose(site.db, ben, "on")  # no change
    assert viewed_ids(site, ben) == [first, third, second]
    store.choose(site.db, ben, "off")
    open_posts(site, ben, first)
    assert not site.db.run(("EXISTS", keys.viewed(ben)))


def test_a_view_from_before_a_clearing_that_comes_late_is_not_kept(
    site: Site, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann, "text")
    store.choose(site.db, ben, "on")
    late = store.note_viewed(ben, status_id)
    time.sleep(0.002)
    open_posts(site, ben, status_id)
    store.choose(site.db, ben, "clear")
    site.db.run(late)
    assert viewed_ids(site, ben) == []
    open_posts(site, ben, status_id)
    assert viewed_ids(site, ben) == [status_id]


def test_the_oldest_of_many_goes(
    site: Site, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "VIEWED_MAX", 3)
    ann, ben = people("ann", "ben")
    ids = [post(site, ann, f"text {number}") for number in range(5)]
    store.choose(site.db, ben, "on")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: open_posts(site, ben, ids[number % 5]), range(50)))
    open_posts(site, ben, *ids)
    assert viewed_ids(site, ben, 5) == ids[:1:-1]


def test_deleted_posts_and_those_out_of_sight_are_left_out(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cora = people("ann", "ben", "cora")
    kept, deleted, hidden = post(site, ann, "a"), post(site, ann, "b"), post(site, cora, "c")
    store.choose(site.db, ben, "on")
    open_posts(site, ben, kept, deleted, hidden)
    statuses.delete(site, ann, deleted)
    lifecycle.protect(site, cora, True)
    apply_events()
    assert viewed_ids(site, ben) == [kept]
    assert site.db.run(("ZSCORE", keys.viewed(ben), deleted)) is None


def test_a_suspended_member_chooses_nothing_and_a_deleted_one_leaves_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann, "text")
    store.choose(site.db, ben, "on")
    open_posts(site, ben, status_id)
    lifecycle.delete_account(site, ben, PASSWORD)
    open_posts(site, ben, status_id)
    apply_events()
    assert not site.db.run(("EXISTS", keys.viewed(ben)))
    lifecycle.suspend(site, ann)
    with pytest.raises(Forbidden):
        store.choose(site.db, ann, "on")
