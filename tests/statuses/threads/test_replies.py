"""Replies in the store: permissions, threads, races, and timelines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.statuses.threads import (
    ancestors,
    chain,
    content_id,
    descendants,
    page,
    post,
    profile_ids,
    reply_ids,
)
from tests.support.timelines import home
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import MAX_ID, partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.drafts import publishing
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.polls import voting
from webapp.statuses.threads import keys as thread_keys
from webapp.statuses.threads import projections as threads_projections
from webapp.statuses.values import places
from webapp.statuses.values.places import Place
from webapp.statuses.values.poll import Poll
from webapp.statuses.values.visibility import Visibility
from webapp.streaming import keys as stream_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def test_log_entries_of_a_reply_name_its_ancestors(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    created = [root := post(db, config, ann), *chain(db, config, [ann, ben], root, 12)]
    songs = Poll(("Trill", "Chirp"), 60)
    cursor = (parse("which?"), "form-which")
    poll_status_id = statuses.post(
        db, config, ann, *cursor, reply=created[-1], poll=songs, visibility=Visibility.UNLISTED
    )
    apply_events()
    voting.vote(db, config, ben, poll_status_id, {0})
    editing.edit(db, config, ann, poll_status_id, parse("which one?"), "", "0")
    apply_events()
    statuses.delete(db, config, ann, poll_status_id)
    apply_events()
    log = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    above_by_type = {
        entry["type"]: entry.get("ancestors")
        for entry in log
        if entry.get("id") == str(poll_status_id)
    }
    assert above_by_type == dict.fromkeys(
        ["posted", "voted", "edited", "deleted"], " ".join(map(str, created[-10:]))
    )
    assert [
        entry.get("ancestors") for entry in log if entry.get("id") in map(str, created[:2])
    ] == [
        None,
        str(root),
    ]


def test_forbidden_replies_are_refused(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    blocks.block(db, config, ann, "ben")
    blocks.block(db, config, cid, "ann")
    for _ in range(2):
        for member in (ben, cid):
            with pytest.raises(Forbidden) as refusal:
                post(db, config, member, "no", status_id)
            assert refusal.value.code == "cannot_reply"
        apply_events()
    assert post(db, config, ann, "to myself", status_id)
    blocks.unblock(db, config, ann, "ben")
    apply_events()
    assert post(db, config, ben, "yes", status_id)
    gone = post(db, config, ann)
    statuses.delete(db, config, ann, gone)
    for number in (gone, MAX_ID):
        with pytest.raises(NotFound):
            post(db, config, ben, "no", number)
    lifecycle.suspend(db, config, ben, True)
    with pytest.raises(Forbidden):
        post(db, config, ben, "no", status_id)


def test_a_reply_is_newer_than_its_parent_though_its_clock_is_minutes_behind(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)
    ahead = status_id + 240_000 * 4096  # from a server whose clock is four minutes ahead
    db.run(("RENAME", status_keys.status(status_id), status_keys.status(ahead)))
    assert post(db, config, ben, "after it", ahead) > ahead
    assert post(db, config, ben, "and later") > ahead


def test_the_same_form_posts_a_reply_once(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first, second = post(db, config, ann), post(db, config, ann)
    created = [
        statuses.post(db, config, ben, parse("yes"), "the-form", reply=parent)
        for parent in (first, first, second)
    ]
    apply_events()
    assert created[0] == created[1] != created[2]
    assert reply_ids(db, first) == {created[0]}
    assert reply_ids(db, second) == {created[2]}


def test_fifty_concurrent_replies_are_all_counted(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, *members = people("ann", *(f"bird{number}" for number in range(10)))
    root = post(db, config, ann)
    with ThreadPoolExecutor(10) as pool:
        created = set(
            pool.map(
                lambda number: post(db, config, members[number % 10], f"{number}", root), range(50)
            )
        )
        drains = [pool.submit(worker.drain, db, config, f"worker-{number}") for number in range(3)]
        for drained in drains:
            drained.result()
    apply_events()
    assert reply_ids(db, root) == created and len(created) == 50
    assert [content_id(node.content) for node in page(db, root, size=60).descendants] == sorted(
        created
    )


@pytest.mark.parametrize("round_", range(5))
def test_concurrent_reply_and_deletion_of_its_parent_leave_a_tombstone(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, round_: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    middle_id = post(db, config, ben, "middle", root)

    def try_reply(number: int) -> int | None:
        try:
            return post(db, config, cid, f"{number}", middle_id)
        except NotFound:
            return None

    with ThreadPoolExecutor(9) as pool:
        futures = [pool.submit(try_reply, number) for number in range(8)]
        pool.submit(statuses.delete, db, config, ben, middle_id).result()
        created = sorted(filter(None, (future.result() for future in futures)))
    apply_events()
    assert all(ancestors(db, status_id) == [root, "deleted"] for status_id in created)
    assert descendants(db, root) == ([("deleted", 1)] if created else []) + [
        (status_id, 2) for status_id in created
    ]
    assert reply_ids(db, root) == set()
    assert thread_keys.thread(middle_id) not in live_keys(db)


def test_projections_of_replies_are_idempotent_in_any_order(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first = post(db, config, ben, "1", root)
    second = post(db, config, cid, "1.1", first)
    events = {}
    for status_id, author in ((second, cid), (first, ben)):
        above_field = db.run(("HGET", status_keys.status(status_id), "ancestors"))
        data = {"id": str(status_id), "author": str(author), "ancestors": above_field}
        events[status_id] = Event("1-1", partition_of(author), "log", 10**9, "posted", "-", data)
    context = Context(db, config, lambda: None)
    threads_projections.sync_replies(context, [events[second]])
    assert descendants(db, root) == [
        (first, 1),
        (second, 2),
    ]  # ancestors exist before they are listed
    for status_id in (first, first, second):
        threads_projections.sync_replies(context, [events[status_id]])
        assert descendants(db, root) == [(first, 1), (second, 2)]
    assert reply_ids(db, root) == {first}


def test_a_reply_enters_homes_of_members_who_follow_both_authors(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, follows_both, follows_ann, follows_ben = people("ann", "ben", "both", "one", "other")
    for member, names in (
        (follows_both, ("ann", "ben")),
        (follows_ann, ("ann",)),
        (follows_ben, ("ben",)),
        (ben, ("ann",)),
    ):
        for name in names:
            following.follow(db, config, member, name)
    apply_events()
    root = post(db, config, ben)
    reply = post(db, config, ann, "yes", root)
    own = post(db, config, ann, "and", reply)  # a self-reply counts as a post
    apply_events()
    expected = {
        ann: [own, reply],
        ben: [own, reply, root],
        follows_both: [own, reply, root],
        follows_ann: [own],
        follows_ben: [root],
    }
    for _ in range(2):
        assert {uid: home(db, config, uid) for uid in expected} == expected
        for uid in expected:  # rebuilt on the next read
            db.trip(
                ("DEL", account_keys.home(uid)),
                ("ZREM", account_keys.active_members(partition_of(uid)), uid),
            )
    assert [status.id for status in timelines.public(db, config).items] == [own, root]
    assert profile_ids(db, config, "ann", False) == [own]
    assert profile_ids(db, config, "ann", True) == [
        own,
        reply,
    ]
    assert profile_page(db, config, ProfileQuery("ann")).profile.statuses == 2
    following.unfollow(db, config, follows_both, "ben")  # the parent's author
    assert home(db, config, follows_both) == [own]
    following.unfollow(db, config, ben, "ann")  # the reply's author
    assert home(db, config, ben) == [root]
    apply_events()
    assert home(db, config, follows_both) == [own]
    assert home(db, config, ben) == [root]
    following.follow(db, config, ben, "ann")
    apply_events()
    assert home(db, config, ben) == [own, reply, root]
    statuses.delete(db, config, ann, reply)
    assert home(db, config, ben) == [own, root] and home(db, config, ann) == [own]
    apply_events()
    assert home(db, config, ben) == [own, root]
    assert profile_ids(db, config, "ann", True) == [own]


def test_an_unfollow_hides_replies_before_projections_run(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for name in ("ann", "ben"):
        following.follow(db, config, cid, name)
    apply_events()
    reply = post(db, config, ann, "yes", post(db, config, ben))
    following.unfollow(db, config, cid, "ben")
    apply_events()  # the post comes after the unfollow
    assert home(db, config, cid) == []
    db.run(
        ("ZADD", account_keys.home(cid), reply, f"{reply}:{ann}:{ben}")
    )  # as a concurrent delivery would
    assert home(db, config, cid) == []
    assert not db.run(("ZCARD", account_keys.home(cid)))


def test_replies_of_pull_authors_need_both_follows(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    config = replace(config, push_max_followers=1, merged_seconds=0)
    ann, ben, cid, dot, eve = people("ann", "ben", "cid", "dot", "eve")
    for member in (ben, cid, dot):
        following.follow(db, config, member, "ann")
    following.follow(db, config, cid, "eve")
    worker.drain(db, config)
    assert db.run(("HGET", account_keys.user(ann), "pull_author"))
    to_ben, to_eve = post(db, config, ben), post(db, config, eve)
    plain = post(db, config, ann, "plain")
    first, second = post(db, config, ann, "yes", to_ben), post(db, config, ann, "no", to_eve)
    worker.drain(db, config)
    assert home(db, config, ben) == sorted((first, plain, to_ben), reverse=True)
    assert home(db, config, cid) == sorted((second, plain, to_eve), reverse=True)
    assert home(db, config, dot) == [plain]
    assert home(db, config, ann) == [second, first, plain]
    cached = replace(config, merged_seconds=60)
    home(db, cached, dot)
    for uid, expected in ((cid, {second, plain, to_eve}), (dot, {plain})):
        trips = db.trips
        assert set(home(db, cached, uid)) == expected and db.trips - trips == 2
    following.unfollow(db, config, cid, "eve")
    assert home(db, config, cid) == [plain]


def test_removing_places_includes_replies(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    place = Place(1, 2, "Reeds")
    status_id = statuses.post(
        db, config, ann, parse("here"), "form-one", place, reply=post(db, config, ben)
    )
    assert statuses.get(db, status_id).place == place
    places.remove_locations(db, config, ann)
    assert statuses.get(db, status_id).place is None


def test_a_scheduled_reply_is_published_or_fails_with_a_code(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first, deleted = post(db, config, ann), post(db, config, ann)
    past = datetime.now(UTC) - timedelta(minutes=1)
    for form, parent in (("form-one", first), ("form-two", deleted)):
        drafts.save(db, config, ben, form, {"text": "yes", "reply": str(parent)}, past)
    statuses.delete(db, config, ann, deleted)
    publishing.publish_due(db, config, [partition_of(ben)])
    apply_events()
    [published] = reply_ids(db, first)
    assert statuses.get(db, published).reply_to_uid == ann
    waiting, failed = drafts.list_all(db, ben)
    assert not waiting
    assert [(draft.form_key, draft.error_code) for draft in failed] == [("form-two", "no_status")]
