"""Connection slots: the limit on streams of one member or address."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import chain
from unittest.mock import Mock

import pytest
from redis.exceptions import ResponseError

from tests.support.concurrently import concurrently
from tests.support.loops import in_loop
from tests.support.processes import PATIENCE
from tests.support.settings import with_settings
from webapp.core.store import PARTITIONS, Db, Site
from webapp.streaming import keys as stream_keys
from webapp.streaming.api_v1 import connection_slots, held_slots
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.api_topics import Filter, Firehose, Sample, fingerprint
from webapp.streaming.matching.predicates import Box, Predicate

ANN, BEN = 7, 7 + PARTITIONS  # of the same partition


def held(db: Db, holder: connection_slots.SlotHolder) -> list[str]:
    """Return a holder's slots, the oldest first."""
    return [str(slot) for slot in db.run(("ZRANGE", stream_keys.connection_slots(holder), 0, -1))]


def make_silent(
    db: Db, holder: connection_slots.SlotHolder, *silent: str, seconds: float = 31
) -> None:
    """Make it look as if these slots were not refreshed for so many seconds."""
    for slot in silent:
        seen = float(db.run(("ZSCORE", stream_keys.connection_slots_seen(holder), slot)))
        db.run(
            ("ZADD", stream_keys.connection_slots_seen(holder), int(seen - seconds * 1000), slot)
        )


def acquire_all(site: Site, holder: connection_slots.SlotHolder, *wanted: str) -> list[list[str]]:
    """Acquire slots one after another; return what each evicted."""
    return [connection_slots.acquire(site, holder, slot) for slot in wanted]


def test_new_slot_evicts_the_oldest(site: Site) -> None:
    assert acquire_all(site, ANN, "a", "b", "c", "d") == [[], [], ["a"], ["b"]]
    assert held(site.db, ANN) == ["c", "d"]


def test_holders_do_not_share_slots(site: Site) -> None:
    for holder in (ANN, BEN, "192.0.2.1", "192.0.2.2", "2001.db8.."):
        assert acquire_all(site, holder, f"{holder}-1", f"{holder}-2") == [[], []]
    assert held(site.db, ANN) == ["7-1", "7-2"]
    assert held(site.db, "192.0.2.1") == ["192.0.2.1-1", "192.0.2.1-2"]


def test_concurrent_acquires_never_exceed_the_limit(site: Site) -> None:
    three = with_settings(site, streams_per_member=3)
    counts: list[int] = []

    def acquire_one(number: int) -> list[str]:
        evicted = connection_slots.acquire(three, ANN, f"slot-{number}")
        counts.append(len(held(site.db, ANN)))
        return evicted

    evicted = chain(*concurrently(acquire_one, 50))
    assert max(counts) == 3
    # Every slot that is not held now was evicted once, and reported to exactly one.
    found = sorted([*evicted, *held(site.db, ANN)])
    assert found == sorted(f"slot-{number}" for number in range(50))


def test_slots_are_evicted_in_order_of_acquisition(site: Site) -> None:
    four = with_settings(site, streams_per_member=4)
    order = ["m", "z", "a", "k"]
    acquire_all(four, ANN, *order)
    make_silent(site.db, ANN, "z", "k", seconds=-3_600)  # stamped by a clock an hour ahead
    connection_slots.refresh(site.db, dict.fromkeys(["a"], ANN))  # does not change the order
    found = [connection_slots.acquire(four, ANN, f"new-{n}") for n in range(4)]
    assert found == [[slot] for slot in order]


def test_slots_of_a_dead_process_are_evicted_first(site: Site) -> None:
    acquire_all(site, ANN, "alive", "dead")
    make_silent(site.db, ANN, "dead", seconds=29)
    assert connection_slots.acquire(with_settings(site, streams_per_member=3), ANN, "c") == []
    assert connection_slots.refresh(site.db, {"alive": ANN, "c": ANN}) == {}
    make_silent(site.db, ANN, "dead", seconds=2)
    assert connection_slots.acquire(with_settings(site, streams_per_member=3), ANN, "d") == ["dead"]
    assert held(site.db, ANN) == ["alive", "c", "d"]


def test_silent_slots_are_lost_only_to_new_ones(site: Site) -> None:
    acquire_all(site, ANN, "a", "b")
    make_silent(site.db, ANN, "a", "b")
    assert connection_slots.refresh(site.db, {"a": ANN, "b": ANN}) == {}
    make_silent(site.db, ANN, "a", "b")
    # Only the older silent slot is evicted.
    assert connection_slots.acquire(site, ANN, "c") == ["a"]
    assert connection_slots.refresh(site.db, {"a": ANN, "b": ANN}) == {"a": EndCode.REPLACED}


def test_refresh_returns_the_lost_slots_in_one_trip(site: Site) -> None:
    slots: dict[str, connection_slots.SlotHolder] = {}
    for uid in range(1, 301):
        for name in ("x", "y"):
            connection_slots.acquire(site, uid, f"{uid}{name}")
            slots[f"{uid}{name}"] = uid
    # More holders of one partition than one script call takes.
    crowd = [ANN + PARTITIONS * n for n in range(20, 20 + connection_slots.BATCH + 5)]
    for uid in crowd:
        connection_slots.acquire(site, uid, f"crowd-{uid}")
        slots[f"crowd-{uid}"] = uid
    acquire_all(site, 12, "elsewhere")
    acquire_all(site, crowd[-1], "new", "newer")
    before = site.db.trips
    lost = connection_slots.refresh(site.db, slots)
    assert site.db.trips - before == 1
    assert lost.keys() == {"12x", f"crowd-{crowd[-1]}"}
    assert connection_slots.refresh(site.db, {}) == {}


def test_refresh_keeps_a_slot_but_does_not_restore_a_lost_one(site: Site) -> None:
    acquire_all(site, ANN, "a", "b")
    make_silent(site.db, ANN, "a", "b", seconds=29)
    connection_slots.refresh(site.db, {"a": ANN})
    make_silent(site.db, ANN, "a", "b", seconds=2)
    assert connection_slots.acquire(site, ANN, "c") == ["b"]  # "a" was refreshed
    assert connection_slots.refresh(site.db, {"b": ANN}) == {"b": EndCode.REPLACED}
    assert held(site.db, ANN) == ["a", "c"]


def test_released_slot_is_free(site: Site) -> None:
    acquire_all(site, ANN, "a", "b")
    connection_slots.acquire(site, BEN, "ben")
    leaving: Mapping[str, connection_slots.SlotHolder] = {"a": ANN, "ben": BEN, "unknown": ANN}
    connection_slots.release(site.db, leaving)
    connection_slots.release(site.db, leaving)
    assert connection_slots.acquire(site, ANN, "c") == []
    assert held(site.db, ANN) == ["b", "c"] and held(site.db, BEN) == []
    assert not site.db.run(("EXISTS", stream_keys.connection_slots_seen(BEN)))


def test_slot_acquired_again_counts_once(site: Site) -> None:
    assert acquire_all(site, ANN, "a", "b", "a", "a") == [[], [], [], []]
    assert connection_slots.acquire(site, ANN, "c") == ["b"]


def test_lower_limit_evicts_all_excess_slots(site: Site) -> None:
    acquire_all(with_settings(site, streams_per_member=4), ANN, "a", "b", "c", "d")
    assert connection_slots.acquire(site, ANN, "e") == ["a", "b", "c"]


@pytest.mark.parametrize("holder", [ANN, "192.0.2.1"])
def test_keys_of_slots_expire(holder: connection_slots.SlotHolder, site: Site) -> None:
    connection_slots.acquire(site, holder, "a")
    for key in (stream_keys.connection_slots, stream_keys.connection_slots_seen):
        site.db.run(("EXPIRE", key(holder), 5))
    connection_slots.refresh(site.db, {"a": holder})
    for key in (stream_keys.connection_slots, stream_keys.connection_slots_seen):
        ttl = site.db.run(("TTL", key(holder)))
        assert connection_slots.SLOT_TTL_SECONDS < ttl <= connection_slots.KEY_TTL_SECONDS


def test_slot_knows_whether_it_was_lost_to_the_same_topic(site: Site) -> None:
    first, second = (Filter(Predicate((word,), follow=frozenset({3, 1}))) for word in "ab")
    names = [connection_slots.slot_name(topic) for topic in (first, first, second, first)]
    assert len(set(names)) == 4
    slots = dict.fromkeys(names, ANN)
    acquire_all(site, ANN, *names[:3])
    assert connection_slots.refresh(site.db, slots)[names[0]] is EndCode.REPLACED
    acquire_all(site, ANN, names[3])
    assert connection_slots.refresh(site.db, {names[1]: ANN}) == {names[1]: EndCode.DUPLICATE}
    assert site.db.run(("ZRANGE", stream_keys.connection_slots_seen(ANN), 0, -1)) == names[2:]


def test_slots_are_refreshed_again_after_the_store_was_busy(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshed = asyncio.Event()

    async def go() -> None:
        loop = asyncio.get_running_loop()
        answers = iter((ResponseError("BUSY Redis is busy running a script."), {}))

        def answer(*_: object) -> dict[str, EndCode]:
            found = next(answers)
            if isinstance(found, Exception):
                raise found
            loop.call_soon_threadsafe(refreshed.set)
            return found

        monkeypatch.setattr(connection_slots, "refresh", answer)
        slots = held_slots.HeldSlots(site)
        async with slots.hold(Mock(), ANN, "a"), asyncio.timeout(PATIENCE):
            refreshing = asyncio.create_task(slots.refresh())
            await refreshed.wait()
            refreshing.cancel()
        await slots.wait_for_releases()

    monkeypatch.setattr(held_slots, "REFRESH_SECONDS", 0.01)
    in_loop(go())


@pytest.mark.slow
def test_fingerprints_are_equal_for_equal_topics_only() -> None:
    topics = [
        Filter(Predicate(("a",), frozenset({1, 2}))),
        Filter(Predicate(("a",), frozenset({1}))),
        Filter(Predicate((), boxes=frozenset({Box(1, 2, 3, 4)}))),
        Sample(frozenset({1, 2})),
        Firehose(),
        Firehose(Predicate(languages=frozenset({"en", "zh"}))),
    ]
    assert len({fingerprint(topic) for topic in topics}) == len(topics)
    program = (
        "from webapp.streaming.hub.api_topics import *;"
        "print(fingerprint(Firehose(Predicate(languages=frozenset({'zh', 'en'})))))"
    )
    for seed in ("1", "2"):  # another order of sets
        environment = os.environ | {"PYTHONHASHSEED": seed}
        printed = subprocess.check_output([sys.executable, "-c", program], env=environment)
        assert printed.decode().strip() == fingerprint(topics[-1])
