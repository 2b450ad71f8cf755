"""Blocks: they end follows in both directions and prevent new ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.timelines import home_timeline
from tests.system.test_pages import check_error, words
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import projections as blocks_projections
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys

People = Callable[..., list[int]]
Settle = Callable[[], None]
Join = Callable[[str], FlaskClient]


def follows(db: Db, uid: int, target: int) -> tuple[bool, bool]:
    """Return whether `uid` follows, by their own list and by the list of followers."""
    mine, their = db.trip(
        ("ZSCORE", following_keys.following(uid), target),
        ("ZSCORE", following_keys.followers(target), uid),
    )
    return mine is not None, their is not None


def blocking(db: Db, uid: int, target: int) -> tuple[bool, bool]:
    """Return whether `uid` blocks, by their own list and by the list of blockers."""
    mine, their = db.trip(
        ("ZSCORE", following_keys.blocks(uid), target),
        ("ZSCORE", following_keys.blockers(target), uid),
    )
    return mine is not None, their is not None


def logins(db: Db, uid: int) -> list[str]:
    """Return the logins of those a member blocks."""
    return [member.login for member in blocks.page(db, uid).items]


def home(db: Db, config: Config, uid: int) -> list[int]:
    """Return the ids on the first page of a home."""
    return [status.id for status in home_timeline(db, config, uid).items]


def test_a_block_ends_follows_both_ways_and_empties_both_homes(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid, target in ((ann, "ben"), (ben, "ann"), (ben, "cid")):
        following.follow(db, config, uid, target)
    settle()
    by_ann, by_ben, by_cid = (
        statuses.post(db, config, uid, parse("hi"), "form-key") for uid in (ann, ben, cid)
    )
    settle()
    assert by_ben in home(db, config, ann) and by_ann in home(db, config, ben)
    assert blocks.block(db, config, ann, "Ben").uid == ben
    assert follows(db, ann, ben)[0] is False and home(db, config, ann) == [
        by_ann
    ]  # at once, whatever waits
    settle()
    assert follows(db, ann, ben) == follows(db, ben, ann) == (False, False)
    assert blocking(db, ann, ben) == (True, True) and blocking(db, ben, ann) == (False, False)
    assert home(db, config, ben) == [by_cid, by_ben] and follows(db, ben, cid) == (True, True)
    assert "unfollowed" in [
        fields[5] for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]


def test_neither_of_the_two_can_follow_until_the_block_is_gone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    blocks.block(db, config, ann, "ben")
    settle()
    said = set()
    for uid, target in ((ann, "ben"), (ben, "ann")):
        with pytest.raises(Forbidden) as refusal:
            following.follow(db, config, uid, target)
        said.add(str(refusal.value.sentence))
    assert said == {
        "You can’t follow this member."
    }  # the same for both: it does not tell who blocked whom
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert blocking(db, ann, ben) == (False, False)
    following.follow(db, config, ann, "ben")
    following.follow(db, config, ben, "ann")
    settle()
    assert follows(db, ann, ben) == follows(db, ben, ann) == (True, True)


def test_blocking_again_changes_nothing_and_tells_nobody(
    db: Db, config: Config, people: People
) -> None:
    ann, *_ = people("ann", "ben")
    outbox = event_keys.outbox(partition_of(ann))
    blocks.block(db, config, ann, "ben")
    was = db.trip(("ZRANGE", following_keys.blocks(ann), 0, -1, "WITHSCORES"), ("XLEN", outbox))
    blocks.block(db, config, ann, "ben")
    assert (
        db.trip(("ZRANGE", following_keys.blocks(ann), 0, -1, "WITHSCORES"), ("XLEN", outbox))
        == was
    )
    blocks.unblock(db, config, ann, "ben")
    was = db.run(("XLEN", outbox))
    blocks.unblock(db, config, ann, "ben")
    assert db.run(("XLEN", outbox)) == was


def test_what_cannot_be_blocked_is_refused_in_words(db: Db, config: Config, people: People) -> None:
    ann, *_ = people("ann", "ben", "cid")
    few = replace(config, blocks_max=1)
    with pytest.raises(Invalid):
        blocks.block(db, few, ann, "ann")
    with pytest.raises(NotFound):
        blocks.block(db, few, ann, "nobody_here")
    blocks.block(db, few, ann, "ben")
    with pytest.raises(Conflict):
        blocks.block(db, few, ann, "cid")
    assert logins(db, ann) == ["ben"]
    full = replace(config, outbox_max=1)
    with pytest.raises(Exception, match="overloaded"):
        blocks.block(db, full, ann, "cid")
    assert logins(db, ann) == ["ben"]


def test_between_tells_both_ways_at_once_in_one_trip(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    blocks.block(db, config, ann, "ben")
    blocks.block(
        db, config, cid, "ann"
    )  # nothing is settled: the list of blockers does not have it yet
    trips = db.trips
    assert blocks.blocked_either_way(db, ann, [ben, cid, dot, ann]) == {ben, cid}
    assert db.trips - trips == 1
    assert blocks.blocked_either_way(db, dot, [ann, ben, cid]) == set()
    assert (
        blocks.blocked_either_way(db, ann, []) == blocks.blocked_either_way(db, ann, [ann]) == set()
    )


def test_the_list_is_paged_newest_first_and_never_repeats(
    db: Db, config: Config, people: People
) -> None:
    ann, *_ = people("ann", *(f"bird{n}" for n in range(7)))
    for n in range(7):
        blocks.block(db, config, ann, f"bird{n}")
    found, cursor, trips = list[str](), None, db.trips
    for _ in range(3):
        page = blocks.page(db, ann, cursor, 3)
        found += [member.login for member in page.items]
        cursor = page.next
    assert found == [f"bird{n}" for n in range(6, -1, -1)] and cursor is None
    assert db.trips - trips == 6


def test_a_follow_that_crosses_a_block_does_not_stay(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    settle()
    blocks.block(db, config, ann, "ben")
    following.follow(db, config, ben, "ann")  # ben's partition has not heard of it
    settle()
    assert follows(db, ben, ann) == (False, False) and blocking(db, ann, ben) == (True, True)


def test_a_block_that_is_gone_when_it_is_applied_ends_no_follow(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    blocks.block(db, config, ann, "ben")
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert follows(db, ben, ann) == (True, True) and blocking(db, ann, ben) == (False, False)


def test_fifty_blocks_unblocks_and_follows_at_once_agree_in_the_end(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    uids = dict(zip(("ann", "ben", "cid"), people("ann", "ben", "cid"), strict=True))
    chance = random.Random(5)
    acts = [blocks.block, blocks.unblock, following.follow, following.follow]
    wanted = [(chance.choice(acts), *chance.sample(list(uids), 2)) for _ in range(50)]

    def act(one: tuple[Any, str, str]) -> None:
        with suppress(Forbidden):
            one[0](db, config, uids[one[1]], one[2])

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(act, wanted))
        pool.submit(settle).result()
    settle()
    for a in uids.values():
        for b in uids.values():
            (blocks_now, mirrored), (follows_now, listed) = blocking(db, a, b), follows(db, a, b)
            assert blocks_now == mirrored and follows_now == listed, (a, b)
            assert not (blocks_now and (follows_now or follows(db, b, a)[0])), (a, b)


class Killed(Exception):
    """A worker dies here."""


class Dying(Db):
    """A store that dies before the trip with this number."""

    def __init__(self, db: Db, at: int) -> None:
        self.__dict__.update(db.__dict__)
        self.left = at

    def trip(self, *commands: Command) -> list[Any]:
        """Make the trip, unless it is the one to die at."""
        self.left -= 1
        if self.left == -1:
            raise Killed
        return super().trip(*commands)


@pytest.mark.parametrize("applied", ["sync_blockers", "purge_deleted_account"])
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    applied: str,
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for at in count():
        ann, ben, cid = people(f"ann{at}", f"ben{at}", f"cid{at}")
        following.follow(db, config, ben, f"ann{at}")
        settle()
        blocks.block(db, config, ann, f"ben{at}")
        blocks.block(db, config, cid, f"ann{at}")
        if applied == "purge_deleted_account":
            settle()
            lifecycle.delete_account(db, config, ann, None)
        whole, dying = getattr(blocks_projections, applied), Dying(db, at)
        with monkeypatch.context() as patch:
            table = {
                "fanout": {kind: (once(whole, dying),) for kind in ("blocked", "removed")},
                "log": {},
            }
            worker.use_projections(patch, table)
            for _ in range(3):
                worker.drain(db, config)
        settle()
        if applied == "sync_blockers":
            assert blocking(db, ann, ben) == blocking(db, cid, ann) == (True, True)
            assert follows(db, ben, ann)[0] is False
        else:
            gone = (
                following_keys.blocks(ann),
                following_keys.blockers(ann),
                following_keys.blockers(ben),
                following_keys.blocks(cid),
            )
            assert db.trip(*(("EXISTS", key) for key in gone)) == [0, 0, 0, 0]
        if dying.left > 0:
            return


def once(projection: Any, dying: Dying) -> Any:
    """Run the projection on a store that dies."""
    return lambda context, events: projection(replace(context, db=dying), events)


def test_whoever_is_deleted_leaves_all_lists(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    blocks.block(db, config, ann, "ben")
    blocks.block(db, config, cid, "ann")
    settle()
    lifecycle.delete_account(db, config, ann, None)
    assert logins(db, cid) == []  # at once
    settle()
    for key in (
        following_keys.blocks(ann),
        following_keys.blockers(ann),
        following_keys.blockers(ben),
        following_keys.blocks(cid),
    ):
        assert not db.run(("EXISTS", key)), key


def test_a_block_that_crosses_a_deletion_does_not_stay(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    settle()
    found = accounts.get_by_login(db, "ben")
    lifecycle.delete_account(db, config, ben, None)
    settle()
    monkeypatch.setattr(accounts, "get_by_login", lambda db, login: found)
    blocks.block(db, config, ann, "ben")
    settle()
    assert not db.run(("EXISTS", following_keys.blocks(ann))) and not db.run(
        ("EXISTS", following_keys.blockers(ben))
    )


def test_a_member_blocks_on_a_profile_and_unblocks_in_the_settings(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    assert "Block @ben" in words(ann.get("/@ben"))
    answer = ann.post("/@BEN/block")
    assert answer.status_code == 303 and answer.location == "/@ben"
    page = words(ann.get("/@ben"))
    assert (
        "@ben is blocked." in page
        and "Unblock" in page
        and "You block them" in page
        and "Follow you" not in page
    )
    check_error(ben.post("/@ann/follow"), 403, "You can’t follow this member.")
    theirs = ben.get("/@ann").text
    assert "@ann does not show you what they write." in theirs and "lock them" not in theirs
    listed = ann.get("/settings/blocks")
    assert 'href="/@ben"' in listed.text and listed.headers["Cache-Control"] == "no-store"
    answer = ann.post("/@ben/unblock", data={"next": "/settings/blocks"})
    assert answer.location == "/settings/blocks"
    assert "You block nobody." in words(ann.get("/settings/blocks"))
    assert ben.post("/@ann/follow").status_code == 303


def test_pages_of_blocks_refuse_what_they_cannot_do(member: Join, client: FlaskClient) -> None:
    ann = member("ann")
    check_error(ann.post("/@ann/block"), 422, "You can’t block yourself.")
    check_error(ann.post("/@nobody_here/block"), 404)
    check_error(ann.post("/@nobody_here/unblock"), 404)
    check_error(ann.get("/settings/blocks?max_id=x"), 422)
    for answer in (
        client.post("/@ann/block"),
        client.post("/@ann/unblock"),
        client.get("/settings/blocks"),
    ):
        assert answer.status_code == 303 and answer.location.startswith("/login")
