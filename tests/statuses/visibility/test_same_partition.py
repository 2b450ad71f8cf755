"""Members in the author's partition may do neither more nor less than other members.

Scripts see the keys of both in that partition, and must not confuse the two.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.conftest import ApplyEvents
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import Forbidden, Refused
from webapp.core.store import PARTITIONS, Site, constant, partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.statuses import Poll, keys as status_keys, store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.polls import voting
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.statuses.visibility import targets

Action = Callable[[Site, int, int], object]  # takes the uid of a member and a status id


def post(site: Site, uid: int, **options: Any) -> int:
    form = f"form-{random.random()}"
    return statuses.post(site, uid, parse("hello @wren"), form, **options)


ACTIONS: Mapping[str, Action] = {
    "like": likes.like,
    "unlike": likes.unlike,
    "boost": boosts.boost,
    "unboost": boosts.unboost,
    "bookmark": bookmarks.bookmark,
    "unbookmark": lambda site, uid, status: bookmarks.unbookmark(site, uid, status),
    "vote": lambda site, uid, status: voting.vote(site, uid, status, [0]),
    "reply": lambda site, uid, status: post(site, uid, reply=status),
    "quote": lambda site, uid, status: post(site, uid, quote=status),
    "follow": lambda site, uid, status: following.follow(site, uid, "ann"),
    "add to list": lambda site, uid, status: lists.set_memberships(
        site, uid, "ann", {lists.create(site, uid, "birds"): True}
    ),
    "mute": lambda site, uid, status: mutes.mute(site, uid, "ann"),
    "unmute": lambda site, uid, status: mutes.unmute(site, uid, "ann"),
    "accept": lambda site, uid, status: requests.answer(site, uid, "ann", True),
    "remove": lambda site, uid, status: requests.remove_follower(site, uid, "ann"),
    "block": lambda site, uid, status: blocks.block(site, uid, "ann"),
    "unblock": lambda site, uid, status: blocks.unblock(site, uid, "ann"),
    "unfollow": lambda site, uid, status: following.unfollow(site, uid, "ann"),
}
AUTHOR_ACTIONS: Mapping[str, Action] = {
    "pin": pins.pin,
    "unpin": pins.unpin,
    "edit": lambda site, uid, status: editing.edit(site, uid, status, parse("mine now"), "", "0"),
    "set quote policy": lambda site, uid, status: quotes.set_quote_policy(
        site.db, uid, status, QuotePolicy.NOBODY
    ),
    "detach": quotes.detach,
    "reattach": quotes.reattach,
    "delete": statuses.delete,
}


@pytest.mark.slow
@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("relationship", ["stranger", "follower", "mentioned", "blocked"])
def test_sharing_a_partition_with_the_author_changes_no_outcome(
    world: World, relationship: str, protected: bool
) -> None:
    login = "wren" if relationship == "mentioned" else "ben"
    results = []
    for gap in (PARTITIONS - 1, 0):  # in the author's partition, in another one
        world.db.on_every_primary("FLUSHALL")
        (ann,) = world.people("ann")
        world.db.run(("INCRBY", account_keys.last_uid(), gap))
        (ben,) = world.people(login)
        assert (partition_of(ben) == partition_of(ann)) == bool(gap)
        if relationship == "follower":
            following.follow(world, ben, "ann")
        if relationship == "blocked":
            blocks.block(world, ann, login)
        world.apply_events()
        world.do(World.protect, ann, protected)
        results.append(outcomes_and_counts(world, ann, ben, world.apply_events))
    assert results[0] == results[1]


def outcomes_and_counts(site: Site, ann: int, ben: int, apply_events: ApplyEvents) -> object:
    """Let ben try every action on statuses of ann. Return the outcomes and the final counts.

    Fails if an action that only the author may take changes a status.
    """
    written = [
        post(site, ann, visibility=visibility, poll=Poll(("a", "b"), 5))
        for visibility in WIDEST_FIRST
    ]
    own = post(site, ben)

    def try_all(actions: Mapping[str, Action]) -> list[tuple[str, int, str]]:
        return [
            (name, index, outcome(action, site, ben, status))
            for name, action in actions.items()
            for index, status in enumerate(written)
        ]

    before = [site.db.run(("HGETALL", status_keys.status(status))) for status in written]
    outcomes = try_all(AUTHOR_ACTIONS)
    after = [site.db.run(("HGETALL", status_keys.status(status))) for status in written]
    assert after == before
    outcomes += try_all(ACTIONS)
    apply_events()
    fields = ("likes", "boosts", "replies", "quotes", "tally")
    counts = [site.db.run(("HMGET", status_keys.status(status), *fields)) for status in written]
    assert statuses.get(site.db, own, ben).text
    return outcomes, counts


def outcome(action: Action, site: Site, uid: int, status: int) -> str:
    """Return "done", or the error and its code."""
    try:
        action(site, uid, status)
    except Refused as refusal:
        return f"{type(refusal).__name__} {refusal.code}"
    return "done"


@pytest.mark.parametrize(("blocker", "blocked"), [(0, "ben"), (1, "ann")])
def test_a_block_between_the_trips_of_an_act_refuses_it(
    world: World, monkeypatch: pytest.MonkeyPatch, blocker: int, blocked: str
) -> None:
    ann, ben = people = world.people("ann", "ben")
    status_id = world.post(ann, "which?", poll=Poll(("a", "b"), 60))
    world.do(World.block, people[blocker], blocked)
    monkeypatch.setattr(targets, "_is_listed", lambda *_: constant(False))  # the first trip
    for name in ("like", "boost", "vote", "reply"):
        world.refuses(Forbidden, ACTIONS[name], ben, status_id, match=f"cannot_{name}")
