"""Replies at the store: who may answer what, what threads show, and into which timelines a reply goes."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.support import worker
from tests.support.schema import live_keys
from tests.timelines.test_store import home
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import MAX_ID, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.attachments import places
from webapp.statuses.attachments.places import Place
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.status import InReplyTo, Status
from webapp.statuses.threads import projections as threads_projections
from webapp.statuses.threads import replies
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.visibility import Visibility
from webapp.streaming import keys as stream_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]


def post(db: Db, config: Config, uid: int, text: str = "hi", to: int | None = None) -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{random.random()}", reply=to)


def chain(db: Db, config: Config, writers: list[int], start: int, length: int) -> list[int]:
    """Each answering the last one."""
    made = [start]
    for number in range(length):
        made.append(post(db, config, writers[number % len(writers)], f"{number}", made[-1]))
    return made[1:]


def answers(db: Db, status_id: int) -> set[int]:
    """The replies to a status that are for all who see it, as its list says; the number that the status itself says is
    held to it. It counts those for followers, too, while its author is protected.
    """
    listed = status_keys.replies(status_id)
    all_, number = db.trip(("ZCARD", listed), ("HGET", status_keys.status(status_id), "replies"))
    ids = db.run(("ZRANGE", listed, 0, "+inf", "BYSCORE"))
    assert len(ids) <= int(number or 0) <= all_ and number != "0"
    return set(map(int, ids))


def seen(part: Status | threads.Tombstone) -> int | str:
    return part.id if isinstance(part, Status) else "deleted" if part.deleted else "hidden"


def page(db: Db, status_id: int, after: str | None = None, size: int = 30) -> threads.Thread:
    return threads.thread(db, status_id, None, threads.parse_cursor(after), size)


def test_the_log_says_of_all_that_happens_to_a_reply_below_what_it_is_as_far_as_pages_show_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    made = [root := post(db, config, ann), *chain(db, config, [ann, ben], root, 12)]
    songs = Poll(("Trill", "Chirp"), 60)
    given = (parse("which?"), "form-which")
    asked = statuses.post(
        db, config, ann, *given, reply=made[-1], poll=songs, visibility=Visibility.UNLISTED
    )
    settle()
    voting.vote(db, config, ben, asked, {0})
    editing.edit(db, config, ann, asked, parse("which one?"), "", "0")
    settle()
    statuses.delete(db, config, ann, asked)
    settle()
    log = [
        dict(zip(flat[::2], flat[1::2], strict=True))
        for _, flat in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    told = {entry["type"]: entry.get("above") for entry in log if entry.get("id") == str(asked)}
    assert told == dict.fromkeys(
        ["posted", "voted", "revised", "deleted"], " ".join(map(str, made[-10:]))
    )
    assert [entry.get("above") for entry in log if entry.get("id") in map(str, made[:2])] == [
        None,
        str(root),
    ]


def above(db: Db, status_id: int) -> list[int | str]:
    return [seen(part) for part in page(db, status_id).ancestors]


def below(db: Db, status_id: int, size: int = 30) -> list[tuple[int | str, int]]:
    """All that hangs below a status, with how many levels, read page by page."""
    found: list[tuple[int | str, int]] = []
    after = None
    while True:
        part = page(db, status_id, after, size)
        found += [(seen(node.content), node.depth) for node in part.descendants]
        after = part.next
        if after is None:
            return found


def named(db: Db, config: Config, login: str, with_replies: bool) -> list[int]:
    return [
        one.id
        for one in profile_page(db, config, login, None, with_replies=with_replies).timeline.items
    ]


def test_a_thread_shows_what_is_above_and_below_depth_first(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first, second = post(db, config, ben, "1", root), post(db, config, cid, "2", root)
    under_first = post(db, config, cid, "1.1", first)
    under_second = post(db, config, ann, "2.1", second)
    deep = post(db, config, ben, "1.1.1", under_first)
    late = post(db, config, ann, "1.2", first)
    assert above(db, deep) == [root, first, under_first]  # at once
    settle()
    tree = [(first, 1), (under_first, 2), (deep, 3), (late, 2), (second, 1), (under_second, 2)]
    assert [below(db, root, size) for size in (30, 6, 5, 2, 1)] == [tree] * 5
    assert below(db, first) == [(under_first, 1), (deep, 2), (late, 1)]
    assert above(db, root) == [] and below(db, deep) == []
    assert answers(db, root) == {first, second} and answers(db, first) == {under_first, late}
    status = statuses.get(db, deep)
    assert status.in_reply_to == InReplyTo(under_first, cid, "cid") and status.reply_to_uid == cid
    assert statuses.get(db, root).replies == 2 and statuses.get(db, root).in_reply_to is None


def test_a_page_of_a_thread_takes_two_trips_whatever_its_shape(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    for status_id in [root, *chain(db, config, [ben, cid, ann], root, 12)]:
        post(db, config, cid, f"aside {status_id}", status_id)
    settle()
    middle = below(db, root)[5][0]
    for status_id in (root, middle):
        for viewer in (None, ann):
            trips = db.trips
            threads.thread(db, int(status_id), viewer, (), 30)
            assert db.trips - trips == 2


def test_long_chains_are_cut_and_lead_on(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    links = chain(db, config, [ben, ann], root, replies.ANCESTORS_MAX + 3)
    settle()
    end = page(db, links[-1])
    assert [seen(part) for part in end.ancestors] == links[-replies.ANCESTORS_MAX - 1 : -1]
    assert end.earlier and end.earlier.id == links[-replies.ANCESTORS_MAX - 2]
    twenty = page(db, links[replies.ANCESTORS_MAX - 1])
    assert [seen(part) for part in twenty.ancestors] == [
        root,
        *links[: replies.ANCESTORS_MAX - 1],
    ] and not twenty.earlier
    top = page(db, root)
    assert [seen(node.content) for node in top.descendants] == links[: replies.DEPTH_MAX]
    assert [node.has_more_replies for node in top.descendants] == [False] * (
        replies.DEPTH_MAX - 1
    ) + [True]
    last = page(db, links[-replies.DEPTH_MAX - 1])
    assert [seen(node.content) for node in last.descendants] == links[
        -replies.DEPTH_MAX :
    ] and not last.descendants[-1].has_more_replies
    statuses.delete(db, config, ann, links[-replies.ANCESTORS_MAX - 2])
    statuses.delete(db, config, ben, links[-replies.ANCESTORS_MAX - 1])
    earlier = page(db, links[-1]).earlier
    assert (
        earlier and earlier.id == links[-replies.ANCESTORS_MAX]
    )  # the first of those that are there


def test_a_deleted_status_leaves_a_gap_while_something_hangs_on_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    first, second, third = chain(db, config, [ben, ann], root, 3)
    settle()
    statuses.delete(db, config, ben, first)
    for _ in range(2):  # before it is applied and after
        assert below(db, root) == [("deleted", 1), (second, 2), (third, 3)]
        assert above(db, third) == [root, "deleted", second]
        settle()
    assert answers(db, root) == set()
    statuses.delete(db, config, ann, second)
    settle()
    assert below(db, root) == [("deleted", 1), ("deleted", 2), (third, 3)]
    with pytest.raises(NotFound):
        page(db, second)
    statuses.delete(db, config, ben, third)
    for _ in range(2):
        assert below(db, root) == []
        settle()
    statuses.delete(db, config, ann, root)
    settle()
    assert not [
        key
        for key in live_keys(db)
        if key.split(":")[0] in ("thread", "replies", "replied", "status")
    ]


def test_suspended_authors_are_gaps_and_leaves_of_theirs_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first = post(db, config, ben, "1", root)
    under = post(db, config, cid, "1.1", first)
    post(db, config, ben, "2", root)
    settle()
    lifecycle.suspend(db, config, ben, True)
    assert [below(db, root, size) for size in (30, 1)] == [[("hidden", 1), (under, 2)]] * 2
    assert above(db, under) == [root, "hidden"]
    with pytest.raises(Forbidden):
        page(db, first)
    with pytest.raises(Forbidden):
        post(db, config, ann, "to one who is suspended", first)
    lifecycle.suspend(db, config, ben, False)
    assert len(below(db, root)) == 3


def test_the_replies_of_a_deleted_account_go_and_leave_gaps(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    first, second, third = chain(db, config, [ben, ann, ben], root, 3)
    own = post(db, config, ben, "to myself", third)
    settle()
    assert named(db, config, "ben", True) == [own, third, first]
    lifecycle.delete_account(db, config, ben, None)
    for _ in range(2):
        assert below(db, root) == [("deleted", 1), (second, 2)] and above(db, second) == [
            root,
            "deleted",
        ]
        settle()
    assert answers(db, root) == answers(db, second) == set()
    left = " ".join(live_keys(db))
    assert (
        status_keys.profile_replies(ben) not in left
        and status_keys.thread(first) not in left
        and status_keys.replies(third) not in left
    )
    assert db.run(("ZRANGE", status_keys.thread(second), 0, -1)) == []


def test_what_cannot_be_answered_is_refused(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    blocks.block(db, config, ann, "ben")
    blocks.block(db, config, cid, "ann")
    for _ in range(2):
        for who in (ben, cid):
            with pytest.raises(Forbidden) as refusal:
                post(db, config, who, "no", status_id)
            assert refusal.value.code == "cannot_reply"
        settle()
    assert post(db, config, ann, "to myself", status_id)
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert post(db, config, ben, "yes", status_id)
    gone = post(db, config, ann)
    statuses.delete(db, config, ann, gone)
    for number in (gone, MAX_ID):
        with pytest.raises(NotFound):
            post(db, config, ben, "no", number)
    lifecycle.suspend(db, config, ben, True)
    with pytest.raises(Forbidden):
        post(db, config, ben, "no", status_id)


def test_a_reply_is_later_than_what_it_answers_so_that_no_circle_can_be(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)
    far = MAX_ID - 63 + partition_of(ann)  # as by a server whose clock is years ahead
    fields = db.run(("HGETALL", status_keys.status(status_id)))
    flat = (
        fields if isinstance(fields, list) else [part for pair in fields.items() for part in pair]
    )
    db.run(("HSET", status_keys.status(far), *flat))
    before = live_keys(db)
    with pytest.raises(Conflict):
        post(db, config, ben, "before it", far)
    assert live_keys(db) == before
    db.run(("DEL", status_keys.status(far)))
    assert post(db, config, ben, "after it", status_id) > status_id


def test_the_same_form_posts_a_reply_once(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    one, two = post(db, config, ann), post(db, config, ann)
    made = [
        statuses.post(db, config, ben, parse("yes"), "the-form", reply=to) for to in (one, one, two)
    ]
    settle()
    assert made[0] == made[1] != made[2]
    assert answers(db, one) == {made[0]} and answers(db, two) == {made[2]}


def test_fifty_replies_at_once_are_all_counted(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others = people("ann", *(f"bird{number}" for number in range(10)))
    root = post(db, config, ann)
    with ThreadPoolExecutor(10) as pool:
        made = set(
            pool.map(
                lambda number: post(db, config, others[number % 10], f"{number}", root), range(50)
            )
        )
        settling = [
            pool.submit(worker.drain, db, config, f"worker-{number}") for number in range(3)
        ]
        for one in settling:
            one.result()
    settle()
    assert answers(db, root) == made and len(made) == 50
    assert [seen(node.content) for node in page(db, root, size=60).descendants] == sorted(made)


@pytest.mark.parametrize("round_", range(5))
def test_a_reply_and_the_deletion_of_what_it_answers_at_once_leave_a_gap(
    db: Db, config: Config, people: People, settle: Settle, round_: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    middle = post(db, config, ben, "middle", root)

    def answer(number: int) -> int | None:
        try:
            return post(db, config, cid, f"{number}", middle)
        except NotFound:
            return None

    with ThreadPoolExecutor(9) as pool:
        asked = [pool.submit(answer, number) for number in range(8)]
        pool.submit(statuses.delete, db, config, ben, middle).result()
        made = sorted(filter(None, (one.result() for one in asked)))
    settle()
    assert all(above(db, one) == [root, "deleted"] for one in made)
    assert below(db, root) == ([("deleted", 1)] if made else []) + [(one, 2) for one in made]
    assert answers(db, root) == set() and status_keys.thread(middle) not in live_keys(db)


def test_mirrored_in_any_order_and_twice_a_thread_is_the_same(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first = post(db, config, ben, "1", root)
    second = post(db, config, cid, "1.1", first)
    found = {}
    for status_id, author in ((second, cid), (first, ben)):
        stored = db.run(("HGET", status_keys.status(status_id), "above"))
        data = {"id": str(status_id), "author": str(author), "above": stored}
        found[status_id] = Event("1-1", partition_of(author), "log", 10**9, "posted", "-", data)
    context = Context(db, config, lambda: None)
    threads_projections.sync_replies(context, [found[second]])
    assert below(db, root) == [
        (first, 1),
        (second, 2),
    ]  # what is passed on the way is there, though not listed yet
    for status_id in (first, first, second):
        threads_projections.sync_replies(context, [found[status_id]])
        assert below(db, root) == [(first, 1), (second, 2)]
    assert answers(db, root) == {first}


def test_a_reply_goes_into_the_homes_of_those_who_follow_both(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, both, one, other = people("ann", "ben", "both", "one", "other")
    for who, names in ((both, ("ann", "ben")), (one, ("ann",)), (other, ("ben",)), (ben, ("ann",))):
        for name in names:
            following.follow(db, config, who, name)
    settle()
    root = post(db, config, ben)
    reply = post(db, config, ann, "yes", root)
    own = post(db, config, ann, "and", reply)  # to oneself: as good as a post
    settle()
    expected = {
        ann: [own, reply],
        ben: [own, reply, root],
        both: [own, reply, root],
        one: [own],
        other: [root],
    }
    for _ in range(2):
        assert {uid: home(db, config, uid) for uid in expected} == expected
        for uid in expected:  # and built anew
            db.trip(
                ("DEL", timeline_keys.home(uid)),
                ("ZREM", timeline_keys.active_members(partition_of(uid)), uid),
            )
    assert [status.id for status in timelines.public(db, config).items] == [own, root]
    assert named(db, config, "ann", False) == [own] and named(db, config, "ann", True) == [
        own,
        reply,
    ]
    assert profile_page(db, config, "ann", None).profile.statuses == 2
    following.unfollow(db, config, both, "ben")  # whom the reply answers
    assert home(db, config, both) == [own]
    following.unfollow(db, config, ben, "ann")  # who wrote it
    assert home(db, config, ben) == [root]
    settle()
    assert home(db, config, both) == [own] and home(db, config, ben) == [root]
    following.follow(db, config, ben, "ann")
    settle()
    assert home(db, config, ben) == [own, reply, root]
    statuses.delete(db, config, ann, reply)
    assert home(db, config, ben) == [own, root] and home(db, config, ann) == [own]
    settle()
    assert home(db, config, ben) == [own, root] and named(db, config, "ann", True) == [own]


def test_an_unfollow_is_true_at_once_in_a_home_that_is_delivered_to(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for name in ("ann", "ben"):
        following.follow(db, config, cid, name)
    settle()
    reply = post(db, config, ann, "yes", post(db, config, ben))
    following.unfollow(db, config, cid, "ben")
    settle()  # the post comes after the unfollow
    assert home(db, config, cid) == []
    db.run(
        ("ZADD", timeline_keys.home(cid), reply, f"{reply}:{ann}:{ben}")
    )  # as a delivery that crossed it would
    assert home(db, config, cid) == [] and not db.run(("ZCARD", timeline_keys.home(cid)))


def test_merged_authors_obey_the_same_rule(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, push_max_followers=1, merged_seconds=0)
    ann, ben, cid, dot, eve = people("ann", "ben", "cid", "dot", "eve")
    for who in (ben, cid, dot):
        following.follow(db, config, who, "ann")
    following.follow(db, config, cid, "eve")
    worker.drain(db, config)
    assert db.run(("HGET", account_keys.user(ann), "pulled"))
    to_ben, to_eve = post(db, config, ben), post(db, config, eve)
    plain = post(db, config, ann, "plain")
    first, second = post(db, config, ann, "yes", to_ben), post(db, config, ann, "no", to_eve)
    worker.drain(db, config)
    assert home(db, config, ben) == sorted((first, plain, to_ben), reverse=True)
    assert home(db, config, cid) == sorted((second, plain, to_eve), reverse=True)
    assert home(db, config, dot) == [plain] and home(db, config, ann) == [second, first, plain]
    warm = replace(config, merged_seconds=60)
    home(db, warm, dot)
    for uid, expected in ((cid, {second, plain, to_eve}), (dot, {plain})):
        trips = db.trips
        assert set(home(db, warm, uid)) == expected and db.trips - trips == 2
    following.unfollow(db, config, cid, "eve")
    assert home(db, config, cid) == [plain]


def test_a_place_is_taken_off_replies_as_well(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    place = Place(1, 2, "Reeds")
    status_id = statuses.post(
        db, config, ann, parse("here"), "form-one", place, reply=post(db, config, ben)
    )
    assert statuses.get(db, status_id).place == place
    places.remove_locations(db, config, ann)
    assert statuses.get(db, status_id).place is None


def test_a_draft_of_a_reply_is_posted_as_one_or_says_why_not(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    one, two = post(db, config, ann), post(db, config, ann)
    past = datetime.now(UTC) - timedelta(minutes=1)
    for form, to in (("form-one", one), ("form-two", two)):
        drafts.save(db, config, ben, form, {"text": "yes", "reply": str(to)}, past)
    statuses.delete(db, config, ann, two)
    drafts.publish_due(db, config, [partition_of(ben)])
    settle()
    [made] = answers(db, one)
    assert statuses.get(db, made).reply_to_uid == ann
    waiting, kept = drafts.list_all(db, ben)
    assert not waiting and [(draft.form_key, draft.error_code) for draft in kept] == [
        ("form-two", "no_status")
    ]


@pytest.mark.parametrize(
    "given",
    ["", "1", "1.", ".1", "1.2-", "1.2/3.4", "01.2", "1.2.3", "-", "1.x", "1.2-" * 10 + "1.2"],
)
def test_a_cursor_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(Invalid):
        threads.parse_cursor(given)
    assert threads.parse_cursor("1.2-3.4") == ((1, 2), (3, 4)) and threads.parse_cursor(None) == ()
