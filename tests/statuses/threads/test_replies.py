"""Replies in the store: permissions, threads, races, and timelines."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from tests.support import worker
from tests.support.concurrently import at_once, together
from tests.support.events import event_log
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.threads import (
    ancestors,
    chain,
    content_id,
    descendants,
    page,
    profile_ids,
    reply_ids,
)
from tests.support.timelines import home
from tests.support.world import World, post
from webapp.accounts import keys as account_keys
from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import Event
from webapp.core.store import partition_of
from webapp.core.store.ids import MAX_ID
from webapp.core.text.parser import parse
from webapp.statuses import Place, Poll, Visibility, keys as status_keys, store as statuses
from webapp.statuses.drafts import publishing, store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.polls import voting
from webapp.statuses.threads import keys as thread_keys, projections as threads_projections
from webapp.statuses.values import places
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def test_log_entries_of_a_reply_name_its_ancestors(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    created = [root := post(world, ann), *chain(world, [ann, ben], root, 12)]
    songs = Poll(("Trill", "Chirp"), 60)
    cursor = (parse("which?"), "form-which")
    poll_status_id = world.do(
        statuses.post, ann, *cursor, reply=created[-1], poll=songs, visibility=Visibility.UNLISTED
    )
    voting.vote(world, ben, poll_status_id, {0})
    world.do(editing.edit, ann, poll_status_id, parse("which one?"), "", "0")
    world.do(statuses.delete, ann, poll_status_id)
    log = event_log(world.db)
    above_by_type = {
        entry["type"]: entry.get("ancestors")
        for entry in log
        if entry.get("id") == str(poll_status_id)
    }
    assert above_by_type == dict.fromkeys(
        ["posted", "voted", "edited", "deleted"], " ".join(map(str, created[-10:]))
    )
    found = [entry.get("ancestors") for entry in log if entry.get("id") in map(str, created[:2])]
    assert found == [None, str(root)]


def test_forbidden_replies_are_refused(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    world.block(ann, "ben")
    world.block(cid, "ann")
    for _ in range(2):
        for member in (ben, cid):
            world.refuses(Forbidden, post, member, "no", status_id, match="cannot_reply")
        world.apply_events()
    assert post(world, ann, "to myself", status_id)
    world.do(World.unblock, ann, "ben")
    assert post(world, ben, "yes", status_id)
    gone = post(world, ann)
    statuses.delete(world, ann, gone)
    for number in (gone, MAX_ID):
        world.refuses(NotFound, post, ben, "no", number)
    world.suspend(ben, True)
    world.refuses(Forbidden, post, ben, "no", status_id)


def test_a_reply_is_newer_than_its_parent_though_its_clock_is_minutes_behind(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)
    ahead = status_id + 240_000 * 4096  # from a server whose clock is four minutes ahead
    world.db.run(("RENAME", status_keys.status(status_id), status_keys.status(ahead)))
    assert post(world, ben, "after it", ahead) > ahead
    assert post(world, ben, "and later") > ahead


def test_the_same_form_posts_a_reply_once(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, second = post(world, ann), post(world, ann)
    created = [
        statuses.post(world, ben, parse("yes"), "the-form", reply=parent)
        for parent in (first, first, second)
    ]
    world.apply_events()
    assert created[0] == created[1] != created[2]
    assert reply_ids(world.db, first) == {created[0]}
    assert reply_ids(world.db, second) == {created[2]}


def test_fifty_concurrent_replies_are_all_counted(world: World) -> None:
    ann, *members = world.people("ann", *(f"bird{number}" for number in range(10)))
    root = post(world, ann)
    created = set(
        at_once(10, lambda number: post(world, members[number % 10], f"{number}", root), range(50))
    )
    at_once(3, lambda number: worker.drain(world, f"worker-{number}"), range(3))
    world.apply_events()
    assert reply_ids(world.db, root) == created and len(created) == 50
    found = [content_id(node.content) for node in page(world.db, root, size=60).descendants]
    assert found == sorted(created)


@pytest.mark.parametrize("round_", range(5))
def test_concurrent_reply_and_deletion_of_its_parent_leave_a_tombstone(
    world: World, round_: int
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    middle_id = post(world, ben, "middle", root)
    replies = [partial(post, world, cid, f"{number}", middle_id) for number in range(8)]
    *results, _ = together([*replies, partial(world.delete, ben, middle_id)])
    created = sorted(one for one in results if one != "no_status")
    world.apply_events()
    assert all(ancestors(world.db, status_id) == [root, "deleted"] for status_id in created)
    expected = ([("deleted", 1)] if created else []) + [(status_id, 2) for status_id in created]
    assert descendants(world.db, root) == expected
    assert reply_ids(world.db, root) == set()
    assert thread_keys.thread(middle_id) not in live_keys(world.db)


def test_projections_of_replies_are_idempotent_in_any_order(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    first = post(world, ben, "1", root)
    second = post(world, cid, "1.1", first)
    events = {}
    for status_id, author in ((second, cid), (first, ben)):
        above_field = world.db.run(("HGET", status_keys.status(status_id), "ancestors"))
        data = {"id": str(status_id), "author": str(author), "ancestors": above_field}
        events[status_id] = Event("1-1", partition_of(author), "log", 10**9, "posted", "-", data)
    context = world.context
    threads_projections.sync_replies(context, [events[second]])
    # Ancestors exist before they are listed.
    assert descendants(world.db, root) == [(first, 1), (second, 2)]
    for status_id in (first, first, second):
        threads_projections.sync_replies(context, [events[status_id]])
        assert descendants(world.db, root) == [(first, 1), (second, 2)]
    assert reply_ids(world.db, root) == {first}


def test_a_reply_enters_homes_of_members_who_follow_both_authors(world: World) -> None:
    ann, ben, follows_both, follows_ann, follows_ben = world.people(
        "ann", "ben", "both", "one", "other"
    )
    for member, names in (
        (follows_both, ("ann", "ben")),
        (follows_ann, ("ann",)),
        (follows_ben, ("ben",)),
        (ben, ("ann",)),
    ):
        for name in names:
            world.follow(member, name)
    world.apply_events()
    root = post(world, ben)
    reply = post(world, ann, "yes", root)
    own = world.do(post, ann, "and", reply)  # a self-reply counts as a post
    expected = {
        ann: [own, reply],
        ben: [own, reply, root],
        follows_both: [own, reply, root],
        follows_ann: [own],
        follows_ben: [root],
    }
    for _ in range(2):
        assert {uid: home(world, uid) for uid in expected} == expected
        for uid in expected:  # rebuilt on the next read
            world.db.trip(
                ("DEL", account_keys.home(uid)),
                ("ZREM", account_keys.active_members(partition_of(uid)), uid),
            )
    assert [status.id for status in timelines.public(world).items] == [own, root]
    assert profile_ids(world, "ann", False) == [own]
    assert profile_ids(world, "ann", True) == [own, reply]
    assert profile_page(world, ProfileQuery("ann")).profile.statuses == 2
    world.unfollow(follows_both, "ben")  # the parent's author
    assert home(world, follows_both) == [own]
    world.unfollow(ben, "ann")  # the reply's author
    assert home(world, ben) == [root]
    world.apply_events()
    assert home(world, follows_both) == [own]
    assert home(world, ben) == [root]
    world.do(World.follow, ben, "ann")
    assert home(world, ben) == [own, reply, root]
    statuses.delete(world, ann, reply)
    assert home(world, ben) == [own, root] and home(world, ann) == [own]
    world.apply_events()
    assert home(world, ben) == [own, root]
    assert profile_ids(world, "ann", True) == [own]


def test_an_unfollow_hides_replies_before_projections_run(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for name in ("ann", "ben"):
        world.follow(cid, name)
    world.apply_events()
    reply = post(world, ann, "yes", post(world, ben))
    world.unfollow(cid, "ben")
    world.apply_events()  # the post comes after the unfollow
    assert home(world, cid) == []
    # As a concurrent delivery would.
    world.db.run(("ZADD", account_keys.home(cid), reply, f"{reply}:{ann}:{ben}"))
    assert home(world, cid) == []
    assert not world.db.run(("ZCARD", account_keys.home(cid)))


def test_replies_of_pull_authors_need_both_follows(world: World) -> None:
    world = with_settings(world, push_max_followers=1, merged_seconds=0)
    ann, ben, cid, dot, eve = world.people("ann", "ben", "cid", "dot", "eve")
    for member in (ben, cid, dot):
        world.follow(member, "ann")
    world.do(World.follow, cid, "eve")
    assert world.db.run(("HGET", account_keys.user(ann), "pull_author"))
    to_ben, to_eve = post(world, ben), post(world, eve)
    plain = post(world, ann, "plain")
    first, second = (post(world, ann, "yes", to_ben), post(world, ann, "no", to_eve))
    world.apply_events()
    assert home(world, ben) == sorted((first, plain, to_ben), reverse=True)
    assert home(world, cid) == sorted((second, plain, to_eve), reverse=True)
    assert home(world, dot) == [plain]
    assert home(world, ann) == [second, first, plain]
    cached = with_settings(world, merged_seconds=60)
    home(cached, dot)
    for uid, expected in ((cid, {second, plain, to_eve}), (dot, {plain})):
        trips = world.db.trips
        assert set(home(cached, uid)) == expected and world.db.trips - trips == 2
    world.unfollow(cid, "eve")
    assert home(world, cid) == [plain]


def test_removing_places_includes_replies(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    place = Place(1, 2, "Reeds")
    status_id = statuses.post(world, ann, parse("here"), "form-one", place, reply=post(world, ben))
    assert world.status(status_id).place == place
    places.remove_locations(world, ann)
    assert world.status(status_id).place is None


def test_a_scheduled_reply_is_published_or_fails_with_a_code(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, deleted = post(world, ann), post(world, ann)
    past = datetime.now(UTC) - timedelta(minutes=1)
    for form, parent in (("form-one", first), ("form-two", deleted)):
        drafts.save(world, ben, form, {"text": "yes", "reply": str(parent)}, past)
    statuses.delete(world, ann, deleted)
    world.do(publishing.publish_due, [partition_of(ben)])
    [published] = reply_ids(world.db, first)
    assert world.status(published).reply_to_uid == ann
    waiting, failed = drafts.list_all(world.db, ben)
    assert not waiting
    assert [(draft.form_key, draft.error_code) for draft in failed] == [("form-two", "no_status")]
