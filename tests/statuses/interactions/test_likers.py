"""Lists of likers: pages, blocks, suspensions, and deleted accounts."""

from __future__ import annotations

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.statuses.interactions import liker_ids, logins, post
from webapp.accounts import lifecycle
from webapp.core.site import Site
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses.interactions import bookmarks, likers, likes
from webapp.statuses.interactions import keys as interaction_keys


def test_a_block_keeps_earlier_likes(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben = people("ann", "ben")
    status_id, by_ben = post(site, ann), post(site, ben)
    likes.like(site, ben, status_id)
    likes.like(site, ann, by_ben)
    blocks.block(site, ann, "ben")
    apply_events()
    assert liker_ids(site.db, status_id) == {ben} and liker_ids(site.db, by_ben) == {ann}
    assert logins(likers.likers(site.db, status_id, None, 30, ann)) == []  # she blocks him
    assert logins(likers.likers(site.db, status_id, None, 30, None)) == ["ben"]
    assert logins(likers.likers(site.db, by_ben, None, 30, ben)) == []
    likes.unlike(site, ben, status_id)
    apply_events()
    assert liker_ids(site.db, status_id) == set()


def test_the_first_to_like_is_named_if_the_viewer_sees_them(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", "ben", "cid", "dan")
    status_id = post(site, ann)

    def first() -> str | None:
        found = likers.likers(site.db, status_id, None, 2, ann).first
        return found.login if found else None

    assert first() is None
    for uid in birds:
        likes.like(site, uid, status_id)
        apply_events()
    assert first() == "ben", "who is not on the first page"
    blocks.block(site, ann, "ben")
    assert first() is None
    likes.unlike(site, birds[0], status_id)
    apply_events()
    assert first() == "cid"


def test_suspended_likers_are_counted_and_deleted_ones_removed(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(site, ann)
    for uid in (ben, cid):
        likes.like(site, uid, status_id)
        apply_events()
    following.follow(site, ann, "cid")
    found = likers.likers(site.db, status_id, None, 30, ann)
    assert (logins(found), found.count, found.followed_uids, found.author.uid) == (
        ["cid", "ben"],
        2,
        {cid},
        ann,
    )
    lifecycle.suspend(site, cid)
    apply_events()
    found = likers.likers(site.db, status_id, None, 30, None)
    assert (logins(found), found.count) == (["ben"], 2)
    bookmarks.bookmark(site, ben, status_id)
    lifecycle.delete_account(site, ben, None)
    assert logins(likers.likers(site.db, status_id, None, 30, None)) == []  # before projections run
    apply_events()
    assert liker_ids(site.db, status_id) == {cid}
    assert not any(
        site.db.trip(
            ("EXISTS", interaction_keys.member_likes(ben)),
            ("EXISTS", interaction_keys.bookmarks(ben)),
        )
    )
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert not [key for key in live_keys(site.db) if key.startswith(("likers:", "status:"))]


def test_pages_of_likers_are_complete_without_repeats(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *members = people("ann", *(f"bird{number}" for number in range(7)))
    status_id = post(site, ann)
    for uid in members:
        likes.like(site, uid, status_id)
    apply_events()
    found, cursor = list[str](), None
    for _ in range(3):
        page_of_likers = likers.likers(site.db, status_id, cursor, 3, ann)
        found += logins(page_of_likers)
        cursor = page_of_likers.page.next
    assert sorted(found) == [f"bird{number}" for number in range(7)] and cursor is None
