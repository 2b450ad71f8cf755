"""Status ids: what they tell, and how scripts make them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webapp.core.store import ids
from webapp.core.store.client import Db
from webapp.core.store.scripts import Script, script

SOURCE = script("core/store/lua/includes/ids.lua").text


def lua(code: str) -> Script:
    import hashlib

    text = f"{SOURCE}\n{code}"
    return Script("test", text, hashlib.sha1(text.encode()).hexdigest())


def test_an_id_tells_its_time_and_its_partition() -> None:
    assert ids.created_at(0) == datetime(2026, 1, 1, tzinfo=UTC)
    number = (1234 << 12) + (5 << 6) + 42
    assert ids.created_at(number).microsecond == 234_000
    assert ids.partition_of(number) == 42
    assert ids.created_at(ids.MAX_ID).year == 2095


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "01", "1.0", "1e3", " 1", "x", "١", "9007199254740992", "9" * 40]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    assert ids.parse_id(text) is None


def test_the_greatest_id_is_an_id() -> None:
    assert ids.parse_id("9007199254740991") == ids.MAX_ID == 2**53 - 1


def test_scripts_keep_the_greatest_id_exact(db: Db) -> None:
    code = "local n = tonumber(ARGV[1]) return {id_text(n), id_text(n % 64), id_text(math.floor(n / 64))}"
    key = "schema"
    assert db.run(lua(code)([key], ids.MAX_ID)) == [str(ids.MAX_ID), "63", str(ids.MAX_ID // 64)]
    db.run(("ZADD", "active:{53t}", ids.MAX_ID, 1))
    assert db.run(("ZSCORE", "active:{53t}", 1)) == str(ids.MAX_ID)


NEXT = lua(
    "return next_id(ARGV[1] ~= '' and ARGV[1] or false, tonumber(ARGV[2]), tonumber(ARGV[3]))"
)


def test_ids_grow_though_the_clock_steps_back(db: Db) -> None:
    now = ids.EPOCH_MS + 1_000_000
    last = db.run(NEXT(["schema"], "", now, 9))
    assert int(last) == 1_000_000 << 12 | 9
    for ms in [now, now - 5_000, *[now] * 200, now + 1]:
        following = db.run(NEXT(["schema"], last, ms, 9))
        assert int(following) > int(last) and int(following) % 64 == 9
        last = following


def test_an_id_near_the_end_of_time_is_exact(db: Db) -> None:
    assert db.run(NEXT(["schema"], str(ids.MAX_ID - 64), ids.EPOCH_MS, 63)) == str(ids.MAX_ID)
