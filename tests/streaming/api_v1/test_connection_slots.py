"""Connection slots: how many streams one holder has, whatever asks at once and whatever dies."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.streaming import keys as stream_keys
from webapp.streaming.api_v1 import connection_slots

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


def acquire_all(
    db: Db, config: Config, holder: connection_slots.SlotHolder, *wanted: str
) -> list[list[str]]:
    """Acquire slots one after another; return what each evicted."""
    return [connection_slots.acquire(db, config, holder, slot) for slot in wanted]


def test_a_new_stream_gets_in_and_the_oldest_is_cut(db: Db, config: Config) -> None:
    assert acquire_all(db, config, ANN, "a", "b", "c", "d") == [[], [], ["a"], ["b"]]
    assert held(db, ANN) == ["c", "d"]


def test_holders_do_not_share_seats(db: Db, config: Config) -> None:
    for holder in (ANN, BEN, "192.0.2.1", "192.0.2.2", "2001.db8.."):
        assert acquire_all(db, config, holder, f"{holder}-1", f"{holder}-2") == [[], []]
    assert held(db, ANN) == ["7-1", "7-2"] and held(db, "192.0.2.1") == [
        "192.0.2.1-1",
        "192.0.2.1-2",
    ]


def test_fifty_at_once_never_leave_more_than_the_limit(db: Db, config: Config) -> None:
    three = replace(config, streams_per_member=3)
    counts: list[int] = []

    def acquire_one(number: int) -> list[str]:
        evicted = connection_slots.acquire(db, three, ANN, f"seat-{number}")
        counts.append(len(held(db, ANN)))
        return evicted

    with ThreadPoolExecutor(50) as pool:
        evicted = [
            slot for evicted_by_one in pool.map(acquire_one, range(50)) for slot in evicted_by_one
        ]
    assert max(counts) == 3
    # Every slot that is not held now was evicted once, and reported to exactly one.
    assert sorted([*evicted, *held(db, ANN)]) == sorted(f"seat-{number}" for number in range(50))


def test_the_order_is_fair_whatever_the_seats_are_called_and_the_clock_does(
    db: Db, config: Config
) -> None:
    four = replace(config, streams_per_member=4)
    order = ["m", "z", "a", "k"]
    acquire_all(db, four, ANN, *order)
    make_silent(db, ANN, "z", "k", seconds=-3_600)  # stamped by a clock that was an hour ahead
    connection_slots.refresh(db, dict.fromkeys(["a"], ANN))  # which must not move it up
    assert [connection_slots.acquire(db, four, ANN, f"new-{n}") for n in range(4)] == [
        [slot] for slot in order
    ]


def test_seats_of_a_process_that_died_make_room_before_older_ones_that_live(
    db: Db, config: Config
) -> None:
    acquire_all(db, config, ANN, "alive", "dead")
    make_silent(db, ANN, "dead", seconds=29)
    assert connection_slots.acquire(db, replace(config, streams_per_member=3), ANN, "c") == []
    assert connection_slots.refresh(db, {"alive": ANN, "c": ANN}) == {"alive", "c"}
    make_silent(db, ANN, "dead", seconds=2)
    assert connection_slots.acquire(db, replace(config, streams_per_member=3), ANN, "d") == ["dead"]
    assert held(db, ANN) == ["alive", "c", "d"]


def test_after_a_long_silence_of_the_store_nobody_loses_a_seat_but_to_a_new_one(
    db: Db, config: Config
) -> None:
    acquire_all(db, config, ANN, "a", "b")
    make_silent(db, ANN, "a", "b")
    assert connection_slots.refresh(db, {"a": ANN, "b": ANN}) == {"a", "b"}
    make_silent(db, ANN, "a", "b")
    assert connection_slots.acquire(db, config, ANN, "c") == [
        "a"
    ]  # the older of the silent ones alone
    assert connection_slots.refresh(db, {"a": ANN, "b": ANN}) == {"b"}


def test_a_refresh_tells_which_seats_are_lost_in_one_trip(db: Db, config: Config) -> None:
    mine: dict[str, connection_slots.SlotHolder] = {}
    for uid in range(1, 301):
        for name in ("x", "y"):
            connection_slots.acquire(db, config, uid, f"{uid}{name}")
            mine[f"{uid}{name}"] = uid
    crowd = [
        ANN + PARTITIONS * n for n in range(20, 20 + connection_slots.BATCH + 5)
    ]  # more than one script's worth
    for uid in crowd:
        connection_slots.acquire(db, config, uid, f"crowd-{uid}")
        mine[f"crowd-{uid}"] = uid
    acquire_all(db, config, 12, "elsewhere")
    acquire_all(db, config, crowd[-1], "new", "newer")
    before = db.trips
    still = connection_slots.refresh(db, mine)
    assert db.trips - before == 1
    assert set(mine) - still == {"12x", f"crowd-{crowd[-1]}"}
    assert connection_slots.refresh(db, {}) == set()


def test_a_refresh_keeps_a_seat_alive_and_brings_no_lost_one_back(db: Db, config: Config) -> None:
    acquire_all(db, config, ANN, "a", "b")
    make_silent(db, ANN, "a", "b", seconds=29)
    connection_slots.refresh(db, {"a": ANN})
    make_silent(db, ANN, "a", "b", seconds=2)
    assert connection_slots.acquire(db, config, ANN, "c") == ["b"]  # "a" was heard of
    assert connection_slots.refresh(db, {"b": ANN}) == set()
    assert held(db, ANN) == ["a", "c"]


def test_a_seat_that_was_left_is_free(db: Db, config: Config) -> None:
    acquire_all(db, config, ANN, "a", "b")
    connection_slots.acquire(db, config, BEN, "ben")
    leaving: Mapping[str, connection_slots.SlotHolder] = {"a": ANN, "ben": BEN, "unknown": ANN}
    connection_slots.release(db, leaving)
    connection_slots.release(db, leaving)
    assert connection_slots.acquire(db, config, ANN, "c") == []
    assert held(db, ANN) == ["b", "c"] and held(db, BEN) == []
    assert not db.run(("EXISTS", stream_keys.connection_slots_seen(BEN)))


def test_a_seat_that_is_taken_again_counts_once(db: Db, config: Config) -> None:
    assert acquire_all(db, config, ANN, "a", "b", "a", "a") == [[], [], [], []]
    assert connection_slots.acquire(db, config, ANN, "c") == ["b"]


def test_a_lower_limit_cuts_all_that_are_too_many(db: Db, config: Config) -> None:
    acquire_all(db, replace(config, streams_per_member=4), ANN, "a", "b", "c", "d")
    assert connection_slots.acquire(db, config, ANN, "e") == ["a", "b", "c"]


@pytest.mark.parametrize("holder", [ANN, "192.0.2.1"])
def test_forgotten_seats_go_by_themselves(
    holder: connection_slots.SlotHolder, db: Db, config: Config
) -> None:
    connection_slots.acquire(db, config, holder, "a")
    for key in (stream_keys.connection_slots, stream_keys.connection_slots_seen):
        db.run(("EXPIRE", key(holder), 5))
    connection_slots.refresh(db, {"a": holder})
    lives = db.trip(
        *(
            ("TTL", key(holder))
            for key in (stream_keys.connection_slots, stream_keys.connection_slots_seen)
        )
    )
    assert all(
        connection_slots.SLOT_TTL_SECONDS < life <= connection_slots.KEY_TTL_SECONDS
        for life in lives
    )
