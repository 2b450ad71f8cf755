"""Whoever lives in one partition with an author may do no more with what that one wrote, and no less, than others do:
scripts see both there, and must not take the one for the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.accounts.quote_policy import QuotePolicy
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Refused
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.quotes import store as quotes
from webapp.statuses.visibility.visibility import Visibility

People = Callable[..., list[int]]
Settle = Callable[[], None]
Act = Callable[[Db, Config, int, int], object]  # what a member, by uid, does with a status, by id


def post(db: Db, config: Config, uid: int, **said: Any) -> int:
    return statuses.post(db, config, uid, parse("hello @wren"), f"form-{random.random()}", **said)


# With a status of ann's; those of the second table only its author does, or nobody.
ACTS: Mapping[str, Act] = {
    "like": likes.like,
    "unlike": likes.unlike,
    "boost": boosts.boost,
    "unboost": boosts.unboost,
    "bookmark": bookmarks.bookmark,
    "unbookmark": lambda db, config, uid, status: bookmarks.unbookmark(db, uid, status),
    "vote": lambda db, config, uid, status: voting.vote(db, config, uid, status, [0]),
    "reply": lambda db, config, uid, status: post(db, config, uid, reply=status),
    "quote": lambda db, config, uid, status: post(db, config, uid, quote=status),
    "follow": lambda db, config, uid, status: following.follow(db, config, uid, "ann"),
    "enlist": lambda db, config, uid, status: lists.set_memberships(
        db, config, uid, "ann", {lists.create(db, config, uid, "birds"): True}
    ),
    "mute": lambda db, config, uid, status: mutes.mute(db, config, uid, "ann"),
    "unmute": lambda db, config, uid, status: mutes.unmute(db, config, uid, "ann"),
    "accept": lambda db, config, uid, status: requests.answer(db, config, uid, "ann", True),
    "remove": lambda db, config, uid, status: requests.remove_follower(db, config, uid, "ann"),
    "block": lambda db, config, uid, status: blocks.block(db, config, uid, "ann"),
    "unblock": lambda db, config, uid, status: blocks.unblock(db, config, uid, "ann"),
    "unfollow": lambda db, config, uid, status: following.unfollow(db, config, uid, "ann"),
}
AUTHORS: Mapping[str, Act] = {
    "pin": pins.pin,
    "unpin": pins.unpin,
    "edit": lambda db, config, uid, status: editing.edit(
        db, config, uid, status, parse("mine now"), "", "0"
    ),
    "let quote": lambda db, config, uid, status: quotes.set_quote_policy(
        db, uid, status, QuotePolicy.NOBODY
    ),
    "detach": quotes.detach,
    "reattach": quotes.reattach,
    "delete": statuses.delete,
}


@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("near", ["stranger", "follower", "mentioned", "blocked"])
def test_who_lives_beside_an_author_may_do_what_anybody_else_may(
    db: Db, config: Config, people: People, settle: Settle, near: str, protected: bool
) -> None:
    login = "wren" if near == "mentioned" else "ben"
    told = []
    for gap in (PARTITIONS - 1, 0):  # in the author's partition, in another one
        db.on_every_primary("FLUSHALL")
        (ann,) = people("ann")
        db.run(("INCRBY", account_keys.last_uid(), gap))
        (ben,) = people(login)
        assert (partition_of(ben) == partition_of(ann)) == bool(gap)
        if near == "follower":
            following.follow(db, config, ben, "ann")
        if near == "blocked":
            blocks.block(db, config, ann, login)
        settle()
        lifecycle.protect(db, config, ann, protected)
        settle()
        written = [
            post(db, config, ann, visibility=one, poll=Poll(("a", "b"), 5)) for one in Visibility
        ]
        other = post(db, config, ben)  # so that ann's are not all that there is
        looks = [db.run(("HGETALL", status_keys.status(one))) for one in written]
        mine = [
            (name, one, outcome(act, db, config, ben, one))
            for name, act in AUTHORS.items()
            for one in written
        ]
        assert [db.run(("HGETALL", status_keys.status(one))) for one in written] == looks, (
            "they are as their author left them"
        )
        theirs = [
            (name, one, outcome(act, db, config, ben, one))
            for name, act in ACTS.items()
            for one in written
        ]
        settle()
        counts = [
            db.run(
                ("HMGET", status_keys.status(one), "likes", "boosts", "replies", "quotes", "tally")
            )
            for one in written
        ]
        told.append(
            ([(name, written.index(one), what) for name, one, what in mine + theirs], counts)
        )
        assert statuses.get(db, other, ben).text
    assert told[0] == told[1]


def outcome(act: Act, db: Db, config: Config, uid: int, status: int) -> str:
    """How an act is answered."""
    try:
        act(db, config, uid, status)
    except Refused as refusal:
        return f"{type(refusal).__name__} {refusal.code}"
    return "done"
