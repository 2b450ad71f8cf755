"""Voting in polls: permissions, tallies, the end of a poll, limits, and races."""

import random
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from tests.support import worker
from tests.support.concurrently import together
from tests.support.events import event_log, waiting_events
from tests.support.settings import with_settings
from tests.support.statuses.polls import SONGS, end, post_poll, tally
from tests.support.timelines import home_timeline
from tests.support.world import World
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound, Refused, Unavailable
from webapp.core.store import Db
from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys, voting
from webapp.statuses.values.poll import pack_vote
from webapp.streaming import keys as stream_keys
from webapp.timelines.profile import ProfileQuery, profile_page

WEEK_MS = 7 * 86_400_000


def viewer_tally(db: Db, status_id: int, viewer: int | None) -> tuple[tuple[int, ...], int]:
    """Return the tally a viewer sees, and the bits of their own vote."""
    status, acts = statuses.get_with_state(db, status_id, viewer)
    return acts.tallies.get(status_id, status.tally), acts.votes.get(status_id, 0)


def test_a_member_votes_once_and_sees_the_vote_before_projections_run(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post_poll(world, ann)
    found = world.status(status_id).poll
    assert found == replace(SONGS, ends_at=world.status(status_id).created + timedelta(0, 3600))
    voting.vote(world, ben, status_id, {1})
    assert viewer_tally(world.db, status_id, ben)[0][1] == 1
    assert viewer_tally(world.db, status_id, ben)[0][-1] == 1
    assert (
        viewer_tally(world.db, status_id, cid) == viewer_tally(world.db, status_id, None) == ((), 0)
    )
    world.apply_events()
    assert tally(world.db, status_id) == (0, 1, 0, 1)
    assert viewer_tally(world.db, status_id, ben) == ((0, 1, 0, 1), 2)
    assert viewer_tally(world.db, status_id, cid) == ((0, 1, 0, 1), 0)
    outbox = waiting_events(world.db, ben)
    voting.vote(world, ben, status_id, {1})  # the same form sent twice
    world.refuses(Conflict, voting.vote, ben, status_id, {2}, match="voted")
    assert waiting_events(world.db, ben) == outbox
    voting.vote(world, cid, status_id, {2})
    assert viewer_tally(world.db, status_id, cid) == ((0, 1, 1, 2), 4)
    world.apply_events()
    assert tally(world.db, status_id) == (0, 1, 1, 2)


def test_a_vote_is_counted_once_in_a_home_with_pull_authors(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    pull_config = with_settings(world, push_max_followers=0)
    for uid in (ben, cid):
        following.follow(pull_config, uid, "ann")
    worker.drain(pull_config)
    status_id = post_poll(pull_config, ann)
    voting.vote(pull_config, ben, status_id, {1})
    page = home_timeline(pull_config, ben)
    [status] = page.items
    assert isinstance(status, statuses.Status)
    assert page.viewer_state.tally(status_id, status.tally)[1] == 1
    worker.drain(pull_config)
    voting.vote(pull_config, cid, status_id, {2})
    page = home_timeline(pull_config, cid)
    assert page.viewer_state.tally(status_id, tally(world.db, status_id)) == (0, 1, 1, 2)
    assert page.viewer_state.tally(status_id, (0, 1, 1, 2)) == (0, 1, 1, 2), "counted once"


def test_only_multiple_choice_polls_accept_several_options(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    single, multiple = (
        post_poll(world, ann),
        post_poll(world, ann, replace(SONGS, multiple=True), "which songs?"),
    )
    for options in ((), (0, 1), (3,), (0, 4)):
        world.refuses(Invalid, voting.vote, ben, single, options)
    for options in ((), (3,), (0, 4)):
        world.refuses(Invalid, voting.vote, ben, multiple, options)
    world.do(voting.vote, ben, multiple, {0, 2})
    assert tally(world.db, multiple) == (1, 0, 1, 1) and tally(world.db, single) == ()
    assert world.db.run(("HGETALL", poll_keys.member_votes(ben))) == [str(multiple), "5"]


def test_forbidden_votes_write_nothing(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    status_id, plain = (post_poll(world, ann), world.post(ann, "no poll"))
    hidden = world.post(ann, "for few", poll=SONGS, visibility=Visibility.MENTIONED)
    by_dot, deleted = post_poll(world, dot), post_poll(world, ann, text="goes")
    statuses.delete(world, ann, deleted)
    world.suspend(dot)
    world.block(ann, "ben")  # without running projections

    def refused(kind: type[Refused], code: str, uid: int, status: int, **settings: int) -> None:
        with pytest.raises(kind, match=code):
            voting.vote(with_settings(world, **settings), uid, status, {0})
        assert not world.db.run(("EXISTS", poll_keys.member_votes(uid)))

    refused(Forbidden, "own_poll", ann, status_id)
    refused(Forbidden, "cannot_vote", ben, status_id)
    world.apply_events()
    refused(Forbidden, "cannot_vote", ben, status_id)
    refused(NotFound, "no_poll", cid, plain)
    refused(NotFound, "no_status", cid, hidden)
    refused(NotFound, "no_status", cid, deleted)
    refused(Forbidden, "suspended", cid, by_dot)
    refused(Forbidden, "suspended", dot, status_id)
    world.post(cid, "waits")
    refused(Unavailable, "overloaded", cid, status_id, outbox_max=1)
    end(world.db, status_id)
    refused(Conflict, "poll_ended", cid, status_id)


def test_only_old_votes_are_trimmed_at_the_limit(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post_poll(world, ann, text=f"song {number}?") for number in range(4)]
    bounded = with_settings(world, voted_max=3)
    for status_id in ids[:3]:
        voting.vote(bounded, ben, status_id, {0})
    bounded.refuses(Conflict, voting.vote, ben, ids[3], {0}, match="voted_full")
    assert world.db.run(("HLEN", poll_keys.member_votes(ben))) == 3
    old = (int(time.time() * 1000) - WEEK_MS - 1_000 - EPOCH_MS) * 4096
    world.db.run(("HSET", poll_keys.member_votes(ben), old, 1))
    voting.vote(with_settings(world, voted_max=4), ben, ids[3], {0})
    assert sorted(world.db.run(("HKEYS", poll_keys.member_votes(ben)))) == sorted(map(str, ids))


def test_concurrent_votes_count_once_per_member(world: World) -> None:
    author, *members = world.crowd(51)
    status_id = post_poll(world, author, replace(SONGS, multiple=True))
    chance = random.Random(7)
    clicks = [
        (uid, frozenset(chance.sample(range(3), chance.randint(1, 3))))
        for uid in members
        for _ in range(4)
    ]
    chance.shuffle(clicks)
    acts = [partial(voting.vote, world, uid, status_id, options) for uid, options in clicks]
    *results, _ = together([*acts, world.apply_events])
    accepted = [result != "voted" for result in results]
    world.apply_events()
    flat = world.db.run(("HGETALL", poll_keys.votes(status_id)))
    stored_votes = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
    assert stored_votes == {
        uid: world.db.run(("HGET", poll_keys.member_votes(uid), status_id)) for uid in members
    }
    assert tally(world.db, status_id)[-1] == 50 <= sum(accepted)
    accepted_votes = {
        (uid, pack_vote(options))
        for (uid, options), was_accepted in zip(clicks, accepted, strict=True)
        if was_accepted
    }
    assert accepted_votes == {(uid, int(bits)) for uid, bits in stored_votes.items()}


def test_an_edit_keeps_the_poll_and_another_poll_is_another_post(world: World) -> None:
    [ann] = world.people("ann")
    status_id = post_poll(world, ann)
    assert post_poll(world, ann) == status_id
    assert post_poll(world, ann, replace(SONGS, multiple=True)) != status_id
    editing.edit(world, ann, status_id, parse("which of these songs?"), "", "0")
    found = world.status(status_id).poll
    assert found == replace(SONGS, ends_at=world.status(status_id).created + timedelta(0, 3600))


def test_a_scheduled_poll_starts_when_it_is_published(world: World) -> None:
    [ann] = world.people("ann")
    fields = {
        "text": "which?",
        "option1": " a ",
        "option3": "b",
        "poll_minutes": "5",
        "poll_multiple": "y",
    }
    due = datetime.now(UTC) - timedelta(hours=1)
    drafts.save(world, ann, "form-later", fields, due)
    drafts.save(world, ann, "form-broken", {**fields, "option3": "a"}, due)
    assert drafts.get(world.db, ann, "form-later").fields["option3"] == "b"
    worker.publish_due(world)
    [status] = profile_page(world, ProfileQuery("ann")).timeline.items
    assert status.poll
    assert (status.poll.options, status.poll.multiple) == (("a", "b"), True)
    assert status.poll.ends_at == status.created + timedelta(minutes=5) > datetime.now(UTC)
    assert drafts.get(world.db, ann, "form-broken").error_code == "draft_invalid"


def test_polls_cost_no_trips_except_for_recent_votes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    ids = [post_poll(world, ann, text=f"song {number}?") for number in range(5)]
    for status_id in ids:
        voting.vote(world, ben, status_id, {0})
    world.apply_events()
    for extra_trips in (1, 0):
        trips = world.db.trips
        page = home_timeline(world, ben)
        assert world.db.trips - trips == 2 + extra_trips
        found = {status.id: page.viewer_state.votes[status.id] for status in page.items}
        assert found == dict.fromkeys(ids, 1)
        world.db.run(("DEL", interaction_keys.recent_interactions(ben)))
    trips = world.db.trips
    voting.vote(world, ben, ids[0], {0})
    assert world.db.trips - trips == 3


def test_log_entries_of_votes_are_throttled_and_anonymous(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = world.do(post_poll, ann)
    for uid in (ben, cid):
        world.do(voting.vote, uid, status_id, {0})
    entries = event_log(world.db)
    vote_entries = [entry for entry in entries if entry["type"] == "voted"]
    assert len(vote_entries) == 1
    assert vote_entries[0]["id"] == str(status_id)
    assert "uid" not in vote_entries[0]
    assert 0 < world.db.run(("PTTL", poll_keys.tally_throttle(status_id))) <= 1_000
    world.db.run(("DEL", poll_keys.tally_throttle(status_id)))  # as expiry does after a second
    [dot] = world.people("dot")
    world.do(voting.vote, dot, status_id, {0})
    assert world.db.run(("XLEN", stream_keys.event_log())) == len(entries) + 1
