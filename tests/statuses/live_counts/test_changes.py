"""Live counts: many changes of a status become one event with the counts after the last."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from tests.conftest import ApplyEvents, People
from webapp.accounts import lifecycle
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.live_counts import changes, keys
from webapp.statuses.values.visibility import Visibility
from webapp.streaming import keys as stream_keys

Patch = pytest.MonkeyPatch
COUNTS = ("replies", "boosts", "quotes", "likes")


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let counts be due at once."""
    monkeypatch.setattr(changes, "DELAY_MS", 0)


def counted(db: Db) -> list[tuple[int, dict[str, str]]]:
    """Return each entry of the log about counts: the status's id and its counts."""
    entries = (fields for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+")))
    events = [dict(zip(fields[::2], fields[1::2], strict=True)) for fields in entries]
    return [
        (int(event["id"]), {name: event[name] for name in COUNTS if name in event})
        for event in events
        if event["type"] == "counted"
    ]


def test_very_many_likes_are_one_event_with_the_last_count(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", *(f"bird{number}" for number in range(20)))
    status_id = statuses.post(site, ann, parse("a song"), "form")
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda uid: likes.like(site, uid, status_id), birds[:-1]))
    apply_events()
    likes.like(site, birds[-1], status_id)  # noted on its own
    apply_events()
    assert counted(site.db) == []
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: changes.emit_due(site, range(PARTITIONS)), range(50)))
    apply_events()
    assert counted(site.db) == [(status_id, {"likes": "20"})]
    assert not site.db.run(("EXISTS", keys.changed_counts(partition_of(status_id))))
    likes.unlike(site, birds[0], status_id)
    apply_events()
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert counted(site.db)[-1] == (status_id, {"likes": "19"})


def test_later_likes_do_not_put_off_the_event(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(changes, "DELAY_MS", 60_000)
    ann, *birds = people("ann", "ben", "cid")
    status_id = statuses.post(site, ann, parse("a song"), "form")
    key, due = keys.changed_counts(partition_of(status_id)), set()
    for uid in birds:
        likes.like(site, uid, status_id)
        apply_events()
        sleep(0.002)  # so that another due time would be another millisecond
        due.add(site.db.run(("ZSCORE", key, status_id)))
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert len(due) == 1 and counted(site.db) == [], "nothing is due before"


def test_replies_boosts_and_quotes_count_on_their_status(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    status_id = statuses.post(site, ann, parse("a song"), "form")
    reply = statuses.post(site, ben, parse("indeed"), "form1", reply=status_id)
    statuses.post(site, ben, parse("look"), "form2", quote=status_id)
    boosts.boost(site, ben, status_id)
    apply_events()
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert counted(site.db) == [(status_id, {"replies": "1", "boosts": "1", "quotes": "1"})]
    statuses.delete(site, ben, reply)
    apply_events()
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert counted(site.db)[-1] == (status_id, {"boosts": "1", "quotes": "1"})


def test_replies_and_quotes_that_do_not_count_are_not_told(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    status_id = statuses.post(site, ann, parse("a song"), "form")
    lifecycle.protect(site, cat)
    for number, (uid, visibility) in enumerate(
        ((ben, Visibility.FOLLOWERS), (ben, Visibility.MENTIONED), (cat, Visibility.PUBLIC))
    ):
        for name in ("reply", "quote"):
            form_key = f"form-{number}-{name}"
            options = {"visibility": visibility, name: status_id}
            one = statuses.post(site, uid, parse("@ann psst"), form_key, **options)  # type: ignore[arg-type]
            apply_events()
            statuses.delete(site, uid, one)
            apply_events()
    assert not site.db.run(("EXISTS", keys.changed_counts(partition_of(status_id))))


def test_counts_of_restricted_protected_and_deleted_statuses_are_not_told(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    mentioned = Visibility.MENTIONED
    restricted = statuses.post(site, ann, parse("@ben psst"), "form", visibility=mentioned)
    protected = statuses.post(site, ann, parse("a song"), "form2")
    deleted = statuses.post(site, ann, parse("oops"), "form3")
    for status_id in (restricted, protected, deleted):
        likes.like(site, ben, status_id)
    apply_events()
    statuses.delete(site, ann, deleted)
    lifecycle.protect(site, ann)
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert [counts for _, counts in counted(site.db)] == [{}], (
        "a number of the protected one, no count"
    )


def test_nothing_is_told_before_its_time(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "DELAY_MS", 3_600_000)
    ann, ben = people("ann", "ben")
    status_id = statuses.post(site, ann, parse("a song"), "form")
    likes.like(site, ben, status_id)
    apply_events()
    changes.emit_due(site, range(PARTITIONS))
    apply_events()
    assert counted(site.db) == []
    assert site.db.run(("ZCARD", keys.changed_counts(partition_of(status_id)))) == 1
