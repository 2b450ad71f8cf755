"""Replies in the store: permissions, threads, races, and timelines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.settings import with_settings
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
from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
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
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    created = [root := post(site, ann), *chain(site, [ann, ben], root, 12)]
    songs = Poll(("Trill", "Chirp"), 60)
    cursor = (parse("which?"), "form-which")
    poll_status_id = statuses.post(
        site, ann, *cursor, reply=created[-1], poll=songs, visibility=Visibility.UNLISTED
    )
    apply_events()
    voting.vote(site, ben, poll_status_id, {0})
    editing.edit(site, ann, poll_status_id, parse("which one?"), "", "0")
    apply_events()
    statuses.delete(site, ann, poll_status_id)
    apply_events()
    log = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in site.db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
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
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(site, ann)
    blocks.block(site, ann, "ben")
    blocks.block(site, cid, "ann")
    for _ in range(2):
        for member in (ben, cid):
            with pytest.raises(Forbidden) as refusal:
                post(site, member, "no", status_id)
            assert refusal.value.code == "cannot_reply"
        apply_events()
    assert post(site, ann, "to myself", status_id)
    blocks.unblock(site, ann, "ben")
    apply_events()
    assert post(site, ben, "yes", status_id)
    gone = post(site, ann)
    statuses.delete(site, ann, gone)
    for number in (gone, MAX_ID):
        with pytest.raises(NotFound):
            post(site, ben, "no", number)
    lifecycle.suspend(site, ben, True)
    with pytest.raises(Forbidden):
        post(site, ben, "no", status_id)


def test_a_reply_is_newer_than_its_parent_though_its_clock_is_minutes_behind(
    site: Site, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann)
    ahead = status_id + 240_000 * 4096  # from a server whose clock is four minutes ahead
    site.db.run(("RENAME", status_keys.status(status_id), status_keys.status(ahead)))
    assert post(site, ben, "after it", ahead) > ahead
    assert post(site, ben, "and later") > ahead


def test_the_same_form_posts_a_reply_once(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first, second = post(site, ann), post(site, ann)
    created = [
        statuses.post(site, ben, parse("yes"), "the-form", reply=parent)
        for parent in (first, first, second)
    ]
    apply_events()
    assert created[0] == created[1] != created[2]
    assert reply_ids(site.db, first) == {created[0]}
    assert reply_ids(site.db, second) == {created[2]}


def test_fifty_concurrent_replies_are_all_counted(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *members = people("ann", *(f"bird{number}" for number in range(10)))
    root = post(site, ann)
    with ThreadPoolExecutor(10) as pool:
        created = set(
            pool.map(lambda number: post(site, members[number % 10], f"{number}", root), range(50))
        )
        drains = [pool.submit(worker.drain, site, f"worker-{number}") for number in range(3)]
        for drained in drains:
            drained.result()
    apply_events()
    assert reply_ids(site.db, root) == created and len(created) == 50
    assert [
        content_id(node.content) for node in page(site.db, root, size=60).descendants
    ] == sorted(created)


@pytest.mark.parametrize("round_", range(5))
def test_concurrent_reply_and_deletion_of_its_parent_leave_a_tombstone(
    site: Site, people: People, apply_events: ApplyEvents, round_: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(site, ann)
    middle_id = post(site, ben, "middle", root)

    def try_reply(number: int) -> int | None:
        try:
            return post(site, cid, f"{number}", middle_id)
        except NotFound:
            return None

    with ThreadPoolExecutor(9) as pool:
        futures = [pool.submit(try_reply, number) for number in range(8)]
        pool.submit(statuses.delete, site, ben, middle_id).result()
        created = sorted(filter(None, (future.result() for future in futures)))
    apply_events()
    assert all(ancestors(site.db, status_id) == [root, "deleted"] for status_id in created)
    assert descendants(site.db, root) == ([("deleted", 1)] if created else []) + [
        (status_id, 2) for status_id in created
    ]
    assert reply_ids(site.db, root) == set()
    assert thread_keys.thread(middle_id) not in live_keys(site.db)


def test_projections_of_replies_are_idempotent_in_any_order(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(site, ann)
    first = post(site, ben, "1", root)
    second = post(site, cid, "1.1", first)
    events = {}
    for status_id, author in ((second, cid), (first, ben)):
        above_field = site.db.run(("HGET", status_keys.status(status_id), "ancestors"))
        data = {"id": str(status_id), "author": str(author), "ancestors": above_field}
        events[status_id] = Event("1-1", partition_of(author), "log", 10**9, "posted", "-", data)
    context = Context(site.db, site.config, lambda: None)
    threads_projections.sync_replies(context, [events[second]])
    assert descendants(site.db, root) == [
        (first, 1),
        (second, 2),
    ]  # ancestors exist before they are listed
    for status_id in (first, first, second):
        threads_projections.sync_replies(context, [events[status_id]])
        assert descendants(site.db, root) == [(first, 1), (second, 2)]
    assert reply_ids(site.db, root) == {first}


def test_a_reply_enters_homes_of_members_who_follow_both_authors(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, follows_both, follows_ann, follows_ben = people("ann", "ben", "both", "one", "other")
    for member, names in (
        (follows_both, ("ann", "ben")),
        (follows_ann, ("ann",)),
        (follows_ben, ("ben",)),
        (ben, ("ann",)),
    ):
        for name in names:
            following.follow(site, member, name)
    apply_events()
    root = post(site, ben)
    reply = post(site, ann, "yes", root)
    own = post(site, ann, "and", reply)  # a self-reply counts as a post
    apply_events()
    expected = {
        ann: [own, reply],
        ben: [own, reply, root],
        follows_both: [own, reply, root],
        follows_ann: [own],
        follows_ben: [root],
    }
    for _ in range(2):
        assert {uid: home(site, uid) for uid in expected} == expected
        for uid in expected:  # rebuilt on the next read
            site.db.trip(
                ("DEL", account_keys.home(uid)),
                ("ZREM", account_keys.active_members(partition_of(uid)), uid),
            )
    assert [status.id for status in timelines.public(site).items] == [own, root]
    assert profile_ids(site, "ann", False) == [own]
    assert profile_ids(site, "ann", True) == [
        own,
        reply,
    ]
    assert profile_page(site, ProfileQuery("ann")).profile.statuses == 2
    following.unfollow(site, follows_both, "ben")  # the parent's author
    assert home(site, follows_both) == [own]
    following.unfollow(site, ben, "ann")  # the reply's author
    assert home(site, ben) == [root]
    apply_events()
    assert home(site, follows_both) == [own]
    assert home(site, ben) == [root]
    following.follow(site, ben, "ann")
    apply_events()
    assert home(site, ben) == [own, reply, root]
    statuses.delete(site, ann, reply)
    assert home(site, ben) == [own, root] and home(site, ann) == [own]
    apply_events()
    assert home(site, ben) == [own, root]
    assert profile_ids(site, "ann", True) == [own]


def test_an_unfollow_hides_replies_before_projections_run(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for name in ("ann", "ben"):
        following.follow(site, cid, name)
    apply_events()
    reply = post(site, ann, "yes", post(site, ben))
    following.unfollow(site, cid, "ben")
    apply_events()  # the post comes after the unfollow
    assert home(site, cid) == []
    site.db.run(
        ("ZADD", account_keys.home(cid), reply, f"{reply}:{ann}:{ben}")
    )  # as a concurrent delivery would
    assert home(site, cid) == []
    assert not site.db.run(("ZCARD", account_keys.home(cid)))


def test_replies_of_pull_authors_need_both_follows(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    site = with_settings(site, push_max_followers=1, merged_seconds=0)
    ann, ben, cid, dot, eve = people("ann", "ben", "cid", "dot", "eve")
    for member in (ben, cid, dot):
        following.follow(site, member, "ann")
    following.follow(site, cid, "eve")
    worker.drain(site)
    assert site.db.run(("HGET", account_keys.user(ann), "pull_author"))
    to_ben, to_eve = post(site, ben), post(site, eve)
    plain = post(site, ann, "plain")
    first, second = (
        post(site, ann, "yes", to_ben),
        post(site, ann, "no", to_eve),
    )
    worker.drain(site)
    assert home(site, ben) == sorted((first, plain, to_ben), reverse=True)
    assert home(site, cid) == sorted((second, plain, to_eve), reverse=True)
    assert home(site, dot) == [plain]
    assert home(site, ann) == [second, first, plain]
    cached = with_settings(site, merged_seconds=60)
    home(cached, dot)
    for uid, expected in ((cid, {second, plain, to_eve}), (dot, {plain})):
        trips = site.db.trips
        assert set(home(cached, uid)) == expected and site.db.trips - trips == 2
    following.unfollow(site, cid, "eve")
    assert home(site, cid) == [plain]


def test_removing_places_includes_replies(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    place = Place(1, 2, "Reeds")
    status_id = statuses.post(site, ann, parse("here"), "form-one", place, reply=post(site, ben))
    assert statuses.get(site.db, status_id).place == place
    places.remove_locations(site, ann)
    assert statuses.get(site.db, status_id).place is None


def test_a_scheduled_reply_is_published_or_fails_with_a_code(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first, deleted = post(site, ann), post(site, ann)
    past = datetime.now(UTC) - timedelta(minutes=1)
    for form, parent in (("form-one", first), ("form-two", deleted)):
        drafts.save(site, ben, form, {"text": "yes", "reply": str(parent)}, past)
    statuses.delete(site, ann, deleted)
    publishing.publish_due(site, [partition_of(ben)])
    apply_events()
    [published] = reply_ids(site.db, first)
    assert statuses.get(site.db, published).reply_to_uid == ann
    waiting, failed = drafts.list_all(site.db, ben)
    assert not waiting
    assert [(draft.form_key, draft.error_code) for draft in failed] == [("form-two", "no_status")]
