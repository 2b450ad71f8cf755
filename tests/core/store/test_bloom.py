"""Bloom filters: nothing that was added is missed, and the rate of errors is the formula's."""

from math import exp, log

import pytest

from tests.support.concurrently import at_once
from webapp.core.store import Db
from webapp.core.store.bloom.bloom_filter import HEADER_BYTES, BloomFilter
from webapp.explore.suggestions import keys

KEY = keys.dismissed(1)  # any declared key that holds a filter
SMALL = BloomFilter(capacity=200, error_rate=0.05)


def has(db: Db, bloom: BloomFilter, *items: int) -> frozenset[int]:
    """Return which of these items a filter has."""
    return db.read(bloom.contained(KEY, items))


def expected_error_rate(bloom: BloomFilter, current: int, previous: int = 0) -> float:
    """Return the expected rate of false positives, by the number of items in each half."""
    misses = 1.0
    for count in (current, previous):
        misses *= 1 - (1 - exp(-bloom.hashes * count / bloom.bits)) ** bloom.hashes
    return 1 - misses


def test_sizes_follow_from_the_capacity_and_the_rate() -> None:
    for capacity, rate in ((1_000, 0.01), (200, 0.05), (5_000, 0.001), (1, 0.5)):
        bloom = BloomFilter(capacity, rate)
        ideal = capacity * log(2 / rate) / log(2) ** 2
        assert ideal <= bloom.bits < ideal + 8 and bloom.bits % 8 == 0
        assert abs(bloom.hashes - bloom.bits / capacity * log(2)) <= 0.5
        assert expected_error_rate(bloom, 0) == 0
        full = expected_error_rate(bloom, capacity, capacity)
        assert full < rate * 1.05, "when both halves are full"
        assert expected_error_rate(bloom, capacity) < full


def test_nothing_that_was_added_is_missed(db: Db) -> None:
    assert has(db, SMALL, 1, 2, 3) == frozenset()
    assert db.run(SMALL.add(KEY, [1, 2])) == 2
    assert has(db, SMALL, 1, 2, 3) == {1, 2}
    assert db.run(SMALL.add(KEY, [2, 3])) == 1, "an item counts once"
    assert has(db, SMALL, 1, 2, 3) == {1, 2, 3}
    assert has(db, SMALL) == frozenset()


def test_a_filter_that_was_read_whole_says_the_same(db: Db) -> None:
    assert 1 not in db.read(SMALL.whole(KEY))
    for start in range(0, 300, 50):  # into both halves
        db.run(SMALL.add(KEY, range(start, start + 50)))
        whole = db.read(SMALL.whole(KEY))
        items = range(1_000)
        assert {item for item in items if item in whole} == has(db, SMALL, *items)


def test_errors_are_as_rare_as_the_formula_says(db: Db) -> None:
    """Fill both halves, then ask for items that were never added."""
    count = 2 * SMALL.capacity
    db.trip(*(SMALL.add(KEY, range(start, start + 100)) for start in range(0, count, 100)))
    known = frozenset(range(count))
    assert has(db, SMALL, *known) == known
    strangers = 4_000
    errors = len(has(db, SMALL, *range(10_000, 10_000 + strangers)))
    expected = expected_error_rate(SMALL, SMALL.capacity, SMALL.capacity) * strangers
    assert 0.7 * expected < errors < 1.3 * expected  # four deviations and more


def test_a_full_filter_forgets_its_oldest_half_and_never_grows(db: Db) -> None:
    newest = 5 * SMALL.capacity
    for item in range(newest):
        db.run(SMALL.add(KEY, [item]))
        if item % 97 == 0:
            kept = range(max(item - SMALL.capacity + 1, 0), item + 1)
            assert has(db, SMALL, *kept) == frozenset(kept)
    assert len(has(db, SMALL, *range(newest))) < 2 * SMALL.capacity * 1.2
    assert db.run(("STRLEN", KEY)) <= SMALL.bytes_max == HEADER_BYTES + SMALL.bits // 4


def test_fifty_additions_at_once_are_all_kept(db: Db) -> None:
    assert sum(at_once(10, lambda item: db.run(SMALL.add(KEY, [item])), range(50))) >= 45
    assert has(db, SMALL, *range(50)) == frozenset(range(50))


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_filter_may_expire(db: Db, seconds: int) -> None:
    db.run(SMALL.add(KEY, ["a", "b"], seconds))
    assert 0 < db.run(("TTL", KEY)) <= 60 if seconds else db.run(("TTL", KEY)) == -1
