"""A member who used everything leaves their number only where it is declared here.

Until then their number alone, in a cookie without a session, reads and changes nothing.
"""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.full_site import MEMBER_PATHS, PUBLIC_PATHS, fill_chats, fill_site
from tests.support.pages import join, serving_alone
from tests.support.store_dump import BOOKKEEPING, dump, shape_of
from tests.support.worker import drain
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.store import uid_by_login
from webapp.core.store import Db, Site, partition_of

EXPIRES_SOON = 600  # seconds: it may end during the test
UID = 7_654_321  # found as text, since nothing else looks like it
# What names a deleted member without an end, by the shape of its key. Others own it.
STAYS = {
    "chat:{<tag>}:<cid>": "a direct chat is named after both members; others say who made them",
    **dict.fromkeys(
        (
            *(f"chat:{{<tag>}}:<cid>:{part}" for part in ("fetch_positions", "members", "sent")),
            *(f"chat:{{<tag>}}:<cid>:{part}" for part in ("read_receipts", "visible_from")),
            "chat_state:{<tag>}:<uid>",
            "chats:{<tag>}:<uid>",
            "chats_unfetched:{<tag>}:<uid>",
        ),
        "the other member of a direct chat still has it",
    ),
    **dict.fromkeys(
        (
            *(f"chat:{{<tag>}}:<cid>:{part}" for part in ("messages", "postings", "reactions")),
            "chat:{<tag>}:<cid>:search_records",
        ),
        "messages and reactions stay with those they were sent to, without a name",
    ),
    "group_slug:{<slug>}": "who claimed the address of a group that others go on with",
    "item:{<tag>}:<id>": "a bid was paid: the item is erased once the auction has ended",
    "item_holds:{<tag>}:<id>": "the same bid",
    "notified:{<tag>}:<uid>": "whom to clean up after, when the other account goes",
    "profile_replies:{<tag>}:<uid>": "what others replied to",
    "restricted:{<tag>}:<uid>:<audience>": "others' posts for the member, until they delete them",
    "status:{<tag>}:<id>": "what others replied to, quoted or mentioned",
    "thread:{<tag>}:<id>": "where others replied",
}


@pytest.mark.tables
def test_a_deleted_member_stays_only_in_what_others_own(tmp_path: Path) -> None:
    with serving_alone(tmp_path) as app:
        db: Db = app.extensions["linnet.db"]
        site = Site(db, app.extensions["linnet.config"])
        db.run(("SET", "last_uid", UID - 1))
        ann, ben = map(partial(join, app), ("ann", "ben"))
        assert db.read(uid_by_login("ann")) == UID
        path = fill_site(ann, ben)
        fill_chats(ann, ben, path)
        drain(site)
        paths = f"{PUBLIC_PATHS} {MEMBER_PATHS}".format(id=path.rpartition("/")[2]).split()
        for address in paths:
            ann.get(address)
            ben.get(address)
        before = _shapes_that_name_her(db)
        db.run(("ZREM", account_keys.active_members(partition_of(UID)), UID))  # as after a month
        views = app.extensions["linnet.views"]
        views.flush()  # it would be written later
        expected, stranger = _held(db), app.test_client()
        expiring = [key for key in expected if 0 <= db.run(("TTL", key)) < EXPIRES_SOON]
        for address in paths:
            stranger.set_cookie("linnet", f"{UID}.{'x' * 43}")  # each answer ends it
            stranger.get(address)
            views.flush()
            held = _held(db)
            for key in expiring:  # it may be gone by now
                if key not in held:
                    expected.pop(key, None)
            assert held == expected, address
        lifecycle.delete_account(site, UID, None)
        drain(site)
        after = _shapes_that_name_her(db)
    assert after - STAYS.keys() == set()
    assert STAYS.keys() - after == set(), "outdated"
    assert len(before) > 3 * len(after), "she had not used much"


def _held(db: Db) -> dict[str, Any]:
    """Return all that names the member, without cached pages and what any change leaves."""
    left_out = (shape.partition("{")[0] for shape in BOOKKEEPING)
    stored = dump(db, ("page:", "views:{pages}", *left_out))
    return {key: value for key, value in stored.items() if str(UID) in f"{key} {value}"}


def _shapes_that_name_her(db: Db) -> set[str]:
    """Return the shapes of keys with the member's number in their name or value, for good."""
    stored = _held(db)
    seconds = db.trip(*(("TTL", key) for key in stored))
    return {shape_of(key) for key, left in zip(stored, seconds, strict=True) if left == -1}
