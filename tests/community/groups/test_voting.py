"""Votes on posts of groups, and the order of Top."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import post, shown
from tests.conftest import ApplyEvents, People
from tests.support.settings import with_settings
from webapp.community.groups import keys, store, voting
from webapp.community.groups.models import Voting
from webapp.community.groups.posts import UNITS_PER_SECOND
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses


def count_of(site: Site, gid: int, status_id: int, author: int) -> int:
    return int(float(site.db.run(("ZSCORE", keys.group_votes(gid), f"{status_id}:{author}"))))


def test_a_vote_is_given_changed_and_taken_back(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben)
    song = post(site, ann, gid)
    apply_events()
    given = ("up", "up", "down", "none", "down", "up", "none")
    counts = [voting.vote(site, ben, gid, song, direction) for direction in given]
    assert counts == [2, 2, 0, 1, 0, 2, 1]
    voting.vote(site, ben, gid, song, "down")
    votes = site.db.read(voting.votes_of(gid, [(song, ann)], ben))
    assert votes == {song: voting.Votes(0, -1)}
    assert 0 < site.db.run(("TTL", keys.group_voters(gid, song))) <= 7 * 86_400


def test_votes_that_a_group_does_not_take_are_refused(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    up_only = make_group(ann, ben, voting=Voting.UP)
    silent = make_group(ann, ben, slug="silent", voting=Voting.OFF)
    song, quiet = post(site, ann, up_only), post(site, ann, silent)
    elsewhere = statuses.post(site, ann, parse("elsewhere"), "key-elsewhere")
    apply_events()
    for refusal, uid, gid, status_id, direction in (
        (Conflict, ben, up_only, song, "down"),
        (Conflict, ben, silent, quiet, "up"),
        (Conflict, ann, up_only, song, "none"),
        (Forbidden, cat, up_only, song, "up"),
        (NotFound, ben, up_only, elsewhere, "up"),
        (NotFound, ben, up_only, 64, "up"),
    ):
        with pytest.raises(refusal):
            voting.vote(site, uid, gid, status_id, direction)
    with pytest.raises(Conflict):
        voting.vote(with_settings(site, group_vote_days=0), ben, up_only, song, "up")
    assert count_of(site, up_only, song, ann) == 1
    assert not site.db.run(("EXISTS", keys.group_voters(up_only, song)))


def test_fifty_votes_at_once_are_counted_once_each(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, *voters = people("ann", *(f"m{number}" for number in range(10)))
    gid = make_group(ann, *voters)
    song = post(site, ann, gid)
    apply_events()
    rng = random.Random(1)
    acts = [(uid, rng.choice(("up", "down", "none"))) for uid in voters for _ in range(5)]
    rng.shuffle(acts)
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(lambda act: voting.vote(site, act[0], gid, song, act[1]), acts))
    own = site.db.run(("HVALS", keys.group_voters(gid, song)))
    assert count_of(site, gid, song, ann) == 1 + sum(map(int, own))


def test_a_vote_and_a_removal_at_once_leave_the_count_true(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben)
    song = post(site, ann, gid)
    apply_events()
    store.remove(site, ann, gid, ben, "ban")
    with pytest.raises(Forbidden):
        voting.vote(site, ben, gid, song, "up")
    assert count_of(site, gid, song, ann) == 1


@pytest.mark.parametrize("seconds", [0, 1, 432, 1_000_000])
def test_top_equals_a_recount_at_any_weight(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents, seconds: int
) -> None:
    members = people(*(f"m{number}" for number in range(6)))
    gid = make_group(*members)
    posted = {post(site, uid, gid, f"{uid} {number}"): uid for uid in members for number in (1, 2)}
    apply_events()
    rng = random.Random(seconds)
    votes = dict.fromkeys(posted, 1)
    for status_id, author in posted.items():
        for uid in members:
            if uid != author and (change := rng.choice((-1, 0, 1))):
                votes[status_id] += change
                voting.vote(site, uid, gid, status_id, "up" if change > 0 else "down")
    weight = seconds * UNITS_PER_SECOND
    expected = sorted(posted, key=lambda one: one + votes[one] * weight, reverse=True)
    weighted = with_settings(site, group_vote_seconds=seconds, page_size=5)
    assert shown(weighted, gid, None, is_top=True) == expected
    assert 0 < site.db.run(("TTL", keys.group_top(gid))) <= 60
