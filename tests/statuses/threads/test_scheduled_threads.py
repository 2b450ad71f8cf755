"""Threads that are posted at their time: whole, once, whatever dies or runs twice."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import count
from typing import Any

import pytest
from werkzeug.datastructures import FileStorage

from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.crashing_db import dies
from tests.support.settings import with_settings
from tests.support.statuses.pictures import photo
from tests.support.world import World
from webapp.config import Rate
from webapp.core.errors import NotFound
from webapp.core.forms.fields import UploadedPicture
from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.core.web import keys as limit_keys
from webapp.statuses import Status, Visibility, keys as status_keys, store as statuses
from webapp.statuses.attachments import keys as attachment_keys, staging
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.drafts import keys as draft_keys, publishing, store as drafts
from webapp.statuses.threads import store as threads

FORM = "form-key-1"
THREAD = {"text": "one", "more1": "two", "more2": "three"}
PAST = datetime.now(UTC) - timedelta(days=1)


def save_due(site: Site, uid: int, form: str = FORM, **fields: str) -> None:
    """Save a thread that is due."""
    drafts.save(site, uid, form, THREAD | fields, PAST)


def posted(db: Db, uid: int, key: Callable[[int], str] | None = None) -> list[Status]:
    """Return a member's statuses, oldest first."""
    ids = db.run(("ZRANGE", (key or status_keys.profile_statuses)(uid), 0, -1))
    return [statuses.get(db, int(one), uid) for one in ids]


def chain(db: Db, uid: int) -> list[tuple[str, str]]:
    """Return the text of each of a member's statuses and of the one it answers, oldest first."""
    found = posted(db, uid)
    texts = {status.id: status.text for status in found}
    return [
        (status.text, texts[status.in_reply_to.id] if status.in_reply_to else "")
        for status in found
    ]


def waiting(db: Db, uid: int) -> tuple[int, int]:
    """Return how many drafts a member has, and how many entries wait in their partition."""
    partition = partition_of(uid)
    return tuple(  # type: ignore[return-value]
        db.trip(("ZCARD", draft_keys.drafts(uid)), ("ZCARD", draft_keys.scheduled_posts(partition)))
    )


WHOLE = [("one", ""), ("two", "one"), ("three", "two")]


def test_a_due_thread_is_posted_whole_as_a_chain(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann, cw=" numbers ", place="Hedge", option1="a", option2="b")
    for _ in range(2):
        world.do(worker.publish_due)
    assert chain(world.db, ann) == WHOLE and waiting(world.db, ann) == (0, 0)
    first, second, third = posted(world.db, ann)
    assert [one.cw for one in (first, second, third)] == ["numbers"] * 3
    assert first.poll and first.place and not second.poll and not second.place
    assert (second.replies, third.replies) == (1, 0)
    page = threads.thread(world.db, first.id, ann, (), 20)
    assert [status.text for status in page.statuses] == ["one", "two", "three"]


def test_a_thread_in_reply_has_the_whole_path_and_its_last_steps(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    parent = world.post(ben, "hello")
    for number in range(16):
        form = f"form-{number}"
        parent = statuses.post(world, ben, parse(form), form, reply=parent)
    fields = {f"more{number}": f"part {number}" for number in range(1, 10)}
    save_due(world, ann, reply=str(parent), **fields)
    worker.publish_due(world)
    ids = ids_written(world.db, ann)
    assert len(ids) == 10
    for number, status_id in enumerate(ids):
        stored = world.db.run(("HGET", status_keys.status(status_id), "ancestors"))
        steps = stored.split("/")
        assert len(steps) == min(17 + number, 21)
        assert int(steps[-1].partition(".")[0]) == (ids[number - 1] if number else parent)
        assert steps[-1].partition(".")[2] == str(ann if number else ben)
        assert all(len(step.partition(".")[0]) == 16 for step in steps)
    world.apply_events()
    assert world.status(parent).replies == 1


def ids_written(db: Db, uid: int) -> list[int]:
    """Return the ids of all that a member wrote, oldest first."""
    posts, replies = status_keys.profile_statuses(uid), status_keys.profile_replies(uid)
    entries = [*db.run(("ZRANGE", posts, 0, -1)), *db.run(("ZRANGE", replies, 0, -1))]
    return sorted(int(entry.partition(":")[0]) for entry in entries)


def test_a_thread_of_a_restricted_audience_is_seen_as_a_whole(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    question = world.post(cid, "who comes?")
    first = statuses.post(
        *(Site(world.db, world.config), ann, parse("@ben and I"), FORM),
        reply=question,
        visibility=Visibility.MENTIONED,
        more=[FurtherPost(parse("two")), FurtherPost(parse("@dot too"))],
    )
    second, third = first + 64, first + 128
    for uid in (ben, cid, ann):
        assert [world.status(one, uid).id for one in (first, second, third)]
    assert world.status(third, dot).text == "@dot too"
    for one in (first, second):
        with pytest.raises(NotFound):
            world.status(one, dot)


def test_a_worker_that_dies_at_any_trip_leaves_no_half_thread_and_no_double(world: World) -> None:
    (ann,) = world.people("ann")
    for trip in count():
        save_due(world, ann, f"form-key-{trip}", text=f"one {trip}")
        died = dies(world, trip, worker.publish_due)
        assert len(posted(world.db, ann)) % 3 == 0
        worker.publish_due(world)
        assert len(posted(world.db, ann)) == 3 * (trip + 1) and waiting(world.db, ann) == (0, 0)
        if not died:
            break


def test_fifty_publishers_at_once_post_each_thread_once(world: World) -> None:
    (ann,) = world.people("ann")
    for number in range(3):
        save_due(world, ann, f"form-key-{number}", text=f"one {number}")
    barrier = threading.Barrier(50)

    def work(_: int) -> None:
        barrier.wait()
        worker.publish_due(world)

    at_once(50, work, range(50))
    texts = [status.text for status in posted(world.db, ann)]
    assert sorted(texts) == sorted([*(f"one {n}" for n in range(3)), *["two", "three"] * 3])
    assert waiting(world.db, ann) == (0, 0)


def test_a_publisher_that_read_a_draft_before_its_thread_was_posted_posts_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann)
    post = publishing.post

    def posted_meanwhile(*args: Any, **options: Any) -> int:
        monkeypatch.setattr(publishing, "post", post)
        more = [FurtherPost(parse("newer"))]
        statuses.post(world, ann, parse("new"), FORM, more=more, replaces_draft=True)
        return post(*args, **options)

    monkeypatch.setattr(publishing, "post", posted_meanwhile)
    worker.publish_due(world)
    assert chain(world.db, ann) == [("new", ""), ("newer", "new")]
    assert waiting(world.db, ann) == (0, 0)


def test_a_thread_waits_for_the_rate_limit_as_a_whole(world: World) -> None:
    (ann,) = world.people("ann")
    world = with_settings(world, limit_post=Rate(3, 3600))
    world.post(ann, "zero", place=None, rate=world.config.limit_post)
    save_due(world, ann)
    worker.publish_due(world)
    assert len(posted(world.db, ann)) == 1 and waiting(world.db, ann) == (1, 1)
    world.db.run(("DEL", limit_keys.member_limit(ann, "post")))
    world.db.run(("ZADD", draft_keys.scheduled_posts(partition_of(ann)), 1, f"{ann}:{FORM}"))
    worker.publish_due(world)
    assert chain(world.db, ann)[1:] == WHOLE and waiting(world.db, ann) == (0, 0)


def test_a_thread_with_a_wrong_post_becomes_a_draft_with_the_reason(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann, more2="x" * 281)
    worker.publish_due(world)
    assert posted(world.db, ann) == [] and waiting(world.db, ann) == (1, 0)
    assert "has a problem" in drafts.get(world.db, ann, FORM).error_message


def test_the_first_post_takes_the_pictures_of_the_draft(world: World) -> None:
    (ann,) = world.people("ann")
    file = FileStorage(BytesIO(photo()), "red.png", content_type="image/png")
    upload = UploadedPicture(file, "a red sky", "")
    pictures = staging.stage_for_draft(world, ann, [upload])
    drafts.save(world, ann, FORM, THREAD, PAST, pictures)
    worker.publish_due(world)
    expected = [["a red sky"], [], []]
    assert [[one.alt for one in status.pictures] for status in posted(world.db, ann)] == expected
    uploads = world.db.run(("ZRANGE", attachment_keys.uploads(partition_of(ann)), 0, -1))
    assert uploads == [pictures[0].name], "the draft's own files are to be removed"


def test_a_deleted_account_posts_no_thread(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann)
    world.delete_account(ann, None)
    world.do(worker.publish_due)
    assert waiting(world.db, ann) == (0, 0) and not world.db.run(
        ("EXISTS", draft_keys.draft(ann, FORM))
    )


def test_pictures_and_a_poll_together_become_a_draft_with_the_reason(world: World) -> None:
    (ann,) = world.people("ann")
    file = FileStorage(BytesIO(photo()), "red.png", content_type="image/png")
    pictures = staging.stage_for_draft(world, ann, [UploadedPicture(file, "a red sky", "")])
    fields = {"text": "which?", "option1": "a", "option2": "b"}
    drafts.save(world, ann, FORM, fields, PAST, pictures)
    worker.publish_due(world)
    assert posted(world.db, ann) == [] and waiting(world.db, ann) == (1, 0)
    draft = drafts.get(world.db, ann, FORM)
    assert "has a problem" in draft.error_message and draft.pictures == tuple(pictures)
