"""Status ids: what they encode, and how scripts make them."""

from datetime import UTC, datetime, timedelta

import pytest

from webapp.core.store import Db, ids
from webapp.core.store.scripts import compile_script

HEADER = """-- A script of this test.
--
-- KEYS     key         any
-- ARGV     id
--          ms
--          partition
"""
EXACT = compile_script(
    "exact",
    f"{HEADER}local n = tonumber(id)\n"
    "return {id_text(n), id_text(n % 64), id_text(math.floor(n / 64))}",
)
NEXT = compile_script(
    "next", f"{HEADER}return next_id(id ~= '' and id or false, tonumber(ms), tonumber(partition))"
)
REPLY = compile_script(
    "reply",
    f"{HEADER}--          parent\nreturn next_id(id, tonumber(ms), tonumber(partition), parent)",
)


def next_id(db: Db, last: str, ms: int, partition: int) -> str:
    """Return the id that a script makes after `last`."""
    return str(db.run(NEXT(key="schema", id=last, ms=ms, partition=partition)))


def reply_id(db: Db, last: str, ms: int, parent: int) -> int:
    """Return the id that a script makes after `last` for a reply to `parent`."""
    return int(db.run(REPLY(key="schema", id=last, ms=ms, partition=9, parent=parent)))


def test_an_id_encodes_its_time_and_partition() -> None:
    number = (1_000_001_234 << 12) + (5 << 6) + 42
    assert ids.created_at(number) == datetime(2026, 1, 12, 13, 46, 41, 234_000, tzinfo=UTC)
    assert ids.partition_of(number) == 42
    assert ids.created_at(ids.MAX_ID).year == 2095


def test_ids_of_imported_posts_are_of_their_second_and_grow_with_time() -> None:
    moments = [
        datetime(2006, 1, 1, tzinfo=UTC),
        datetime(2019, 2, 3, 4, 5, 6, tzinfo=UTC),
        datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC),
        datetime(2026, 5, 6, 7, 8, 9, 123_000, tzinfo=UTC),
    ]
    made = [ids.imported_ids(round(one.timestamp() * 1000), 42) for one in moments]
    assert [ids.created_at(one[0]) for one in made] == moments
    every = [number for some in made for number in some]
    assert every == sorted(set(every)) and {ids.partition_of(one) for one in every} == {42}
    for moment, some in zip(moments, made, strict=True):
        ms = round(moment.timestamp() * 1000)
        assert ids.first_id_at(ms) <= some[0] < ids.first_id_at(ms + 1_000)
    assert ids.first_id_at(0) == 0
    assert ids.created_at(ids.first_id_at(ids.EPOCH_MS)) < ids.EPOCH + timedelta(hours=3)


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "01", "1.0", "1e3", " 1", "x", "١", "9007199254740992", "9" * 40]
)
def test_an_invalid_id_is_refused(text: str) -> None:
    assert ids.parse_id(text) is None


def test_the_greatest_id_is_valid() -> None:
    assert ids.parse_id("9007199254740991") == ids.MAX_ID == 2**53 - 1


def test_scripts_handle_the_greatest_id_exactly(db: Db) -> None:
    command = EXACT(key="schema", id=ids.MAX_ID, ms=0, partition=0)
    assert db.run(command) == [str(ids.MAX_ID), "63", str(ids.MAX_ID // 64)]
    db.run(("ZADD", "active:{53t}", ids.MAX_ID, 1))
    assert db.run(("ZSCORE", "active:{53t}", 1)) == str(ids.MAX_ID)


def test_ids_grow_when_the_clock_steps_back(db: Db) -> None:
    now = ids.EPOCH_MS + 1_000_000
    last = next_id(db, "", now, 9)
    assert int(last) == 1_000_000 << 12 | 9
    for ms in [now, now - 5_000, *[now] * 200, now + 1]:
        following = next_id(db, last, ms, 9)
        assert int(following) > int(last) and int(following) % 64 == 9
        last = following


def test_an_id_near_the_end_of_time_is_exact(db: Db) -> None:
    ms = ids.EPOCH_MS + (ids.MAX_ID >> 12)
    assert next_id(db, str(ids.MAX_ID - 64), ms, 63) == str(ids.MAX_ID)


FIVE_MINUTES = 300_000


def test_an_id_far_ahead_of_the_clock_does_not_count(db: Db) -> None:
    now = ids.EPOCH_MS + 1_000_000_000
    just_ahead = str(ids.first_id_at(now + FIVE_MINUTES) + 9)
    assert int(next_id(db, just_ahead, now, 9)) > int(just_ahead)
    too_far = str(ids.first_id_at(now + FIVE_MINUTES + 1) + 9)
    assert int(next_id(db, too_far, now, 9)) >> 12 == 1_000_000_000


DAY = 86_400_000


@pytest.mark.parametrize(
    "jumps",
    [
        (DAY, -DAY, DAY),
        (600_000, -600_000, 600_000),
        (DAY, -DAY, DAY, -DAY, DAY),
        (DAY, -DAY, DAY, -DAY, DAY, -DAY, DAY),
        (DAY, -DAY - 1, 1, DAY),
        (2, -1, -1),
    ],
)
def test_no_id_is_made_twice_when_the_clock_comes_to_a_time_again(
    db: Db, jumps: tuple[int, ...]
) -> None:
    """It may go back three times before it passes what it dated first."""
    made, last, now = list[str](), "", ids.EPOCH_MS + 10 * DAY
    for jump in (0, *jumps):
        now += jump
        for number in range(40):  # more than a quarter of a millisecond's ids
            last = next_id(db, last, now + number // 20, 9)
            made.append(last)
            assert abs((int(last) >> 12) + ids.EPOCH_MS - now) < 10
            assert int(last) % 64 == 9
    assert len(set(made)) == len(made)


def test_a_reply_is_later_than_its_parent_unless_a_wrong_clock_dated_that(db: Db) -> None:
    now = ids.EPOCH_MS + 1_000_000_000
    last = next_id(db, "", now, 9)
    parent = ids.first_id_at(now + 1_000) + 63 * 64 + 7
    reply = reply_id(db, last, now, parent)
    assert parent < reply and reply >> 12 == (parent >> 12) + 1
    assert reply_id(db, last, now, ids.first_id_at(now - 1_000)) == int(last) + 64
    assert reply_id(db, last, now, ids.first_id_at(now + DAY)) == int(last) + 64
