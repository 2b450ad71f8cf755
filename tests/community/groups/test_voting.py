"""Votes on posts of groups, and the order of Top."""

import random

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import post, shown
from tests.support.concurrently import at_once
from tests.support.settings import with_settings
from tests.support.world import Web, World
from webapp.community.groups import keys, store, voting
from webapp.community.groups.models import Voting
from webapp.community.groups.posts import UNITS_PER_SECOND
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.statuses import store as statuses


def count_of(site: Site, gid: int, status_id: int, author: int) -> int:
    return int(float(site.db.run(("ZSCORE", keys.group_votes(gid), f"{status_id}:{author}"))))


def test_a_vote_is_given_changed_and_taken_back(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    song = world.do(post, ann, gid)
    given = ("up", "up", "down", "none", "down", "up", "none")
    counts = [voting.vote(world, ben, gid, song, direction) for direction in given]
    assert counts == [2, 2, 0, 1, 0, 2, 1]
    voting.vote(world, ben, gid, song, "down")
    votes = world.db.read(voting.votes_of(gid, [(song, ann)], ben))
    assert votes == {song: voting.Votes(0, -1)}
    assert 0 < world.db.run(("TTL", keys.group_voters(gid, song))) <= 7 * 86_400


def test_votes_that_a_group_does_not_take_are_refused(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    up_only = make_group(ann, ben, voting=Voting.UP)
    silent = make_group(ann, ben, slug="silent", voting=Voting.OFF)
    song, quiet = post(world, ann, up_only), post(world, ann, silent)
    elsewhere = world.do(statuses.post, ann, parse("elsewhere"), "key-elsewhere")
    for refusal, uid, gid, status_id, direction in (
        (Conflict, ben, up_only, song, "down"),
        (Conflict, ben, silent, quiet, "up"),
        (Conflict, ann, up_only, song, "none"),
        (Forbidden, cat, up_only, song, "up"),
        (NotFound, ben, up_only, elsewhere, "up"),
        (NotFound, ben, up_only, 64, "up"),
    ):
        world.refuses(refusal, voting.vote, uid, gid, status_id, direction)
    with pytest.raises(Conflict):
        voting.vote(with_settings(world, group_vote_days=0), ben, up_only, song, "up")
    assert count_of(world, up_only, song, ann) == 1
    assert not world.db.run(("EXISTS", keys.group_voters(up_only, song)))


def test_fifty_votes_at_once_are_counted_once_each(world: World, make_group: MakeGroup) -> None:
    ann, *voters = world.people("ann", *(f"m{number}" for number in range(10)))
    gid = make_group(ann, *voters)
    song = world.do(post, ann, gid)
    rng = random.Random(1)
    acts = [(uid, rng.choice(("up", "down", "none"))) for uid in voters for _ in range(5)]
    rng.shuffle(acts)
    at_once(10, lambda act: voting.vote(world, act[0], gid, song, act[1]), acts)
    own = world.db.run(("HVALS", keys.group_voters(gid, song)))
    assert count_of(world, gid, song, ann) == 1 + sum(map(int, own))


def test_a_vote_and_a_removal_at_once_leave_the_count_true(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    song = world.do(post, ann, gid)
    store.remove(world, ann, gid, ben, "ban")
    world.refuses(Forbidden, voting.vote, ben, gid, song, "up")
    assert count_of(world, gid, song, ann) == 1


@pytest.mark.parametrize("seconds", [0, 1, 432, 1_000_000])
def test_top_equals_a_recount_at_any_weight(
    world: World, make_group: MakeGroup, seconds: int
) -> None:
    members = world.people(*(f"m{number}" for number in range(6)))
    gid = make_group(*members)
    posted = {post(world, uid, gid, f"{uid} {number}"): uid for uid in members for number in (1, 2)}
    world.apply_events()
    rng = random.Random(seconds)
    votes = dict.fromkeys(posted, 1)
    for status_id, author in posted.items():
        for uid in members:
            if uid != author and (change := rng.choice((-1, 0, 1))):
                votes[status_id] += change
                voting.vote(world, uid, gid, status_id, "up" if change > 0 else "down")
    weight = seconds * UNITS_PER_SECOND
    expected = sorted(posted, key=lambda one: one + votes[one] * weight, reverse=True)
    weighted = with_settings(world, group_vote_seconds=seconds, page_size=5)
    assert shown(weighted, gid, None, is_top=True) == expected
    assert 0 < world.db.run(("TTL", keys.group_top(gid))) <= 60


def test_what_a_vote_weighs_changes_while_the_site_runs(web: Web) -> None:
    assert site_of(web.app).config.group_vote_seconds == 432
    web.app.extensions["linnet.settings"].apply("1", {"group_vote_seconds": "60"})
    assert site_of(web.app).config.group_vote_seconds == 60
