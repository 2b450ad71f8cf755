"""Trips to the store: routing, refusals, lost scripts, and stores that will not do."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from redis.crc import key_slot
from redis.exceptions import ResponseError

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store import keys as store_keys
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.schema import PARTITION_TAGS
from webapp.core.store.scripts import script
from webapp.core.web import keys as limit_keys
from webapp.errors import NotFound, StoreError, Unavailable
from webapp.server import embedded_store
from webapp.statuses import keys as status_keys


def test_the_partitions_stand_at_even_distances_in_the_slots() -> None:
    assert [key_slot(f"{{{tag}}}".encode()) for tag in PARTITION_TAGS] == [
        256 * p + 128 for p in range(PARTITIONS)
    ]
    assert len(PARTITION_TAGS) == len(set(PARTITION_TAGS)) == PARTITIONS


@pytest.mark.parametrize("primaries", [1, 2, 3, 4, 5, 6, 8, 16, 32, 64])
def test_any_number_of_primaries_gets_an_even_share(primaries: int) -> None:
    owners = [key_slot(tag.encode()) * primaries // 16_384 for tag in PARTITION_TAGS]
    shares = [owners.count(owner) for owner in range(primaries)]
    assert max(shares) - min(shares) <= 1


def test_one_trip_reaches_every_partition_in_order(db: Db) -> None:
    trips = db.trips
    db.trip(*(("SET", status_keys.last_status_id(p), p) for p in range(PARTITIONS)))
    assert db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(PARTITIONS))) == [
        str(p) for p in range(PARTITIONS)
    ]
    assert db.trips - trips == 2


def test_no_commands_are_no_trip(db: Db) -> None:
    trips = db.trips
    assert db.trip() == [] and db.trips == trips


def test_only_the_scripts_a_server_lost_are_sent_whole(db: Db) -> None:
    limit = script("core/web/lua/rate_limit.lua")
    db.on_every_primary("SCRIPT", "FLUSH")
    command = limit(bucket=limit_keys.rate_limit("post", "1"), burst=5, period=60)
    assert db.trip(
        ("SET", status_keys.last_status_id(0), 1), command, ("INCR", status_keys.last_status_id(0))
    )[1:] == [
        0,
        2,
    ]
    assert db.run(command) == 0


def test_a_refusal_becomes_its_error_and_the_rest_is_done(db: Db, config: Config) -> None:
    start = script("accounts/sessions/lua/start_session.lua")
    missing = start(
        session=account_keys.session(1, "x"),
        sessions=account_keys.sessions(1),
        member=account_keys.user(1),
        member_sessions=account_keys.member_sessions(1),
        session_prefix=account_keys.session(1, ""),
        uid=1,
        sha="x",
        ttl=10,
        epoch="0",
        limit=1,
        address="",
        agent="",
    )
    with pytest.raises(NotFound, match="no_member"):
        db.trip(missing, ("SET", status_keys.last_status_id(0), 1))
    assert db.run(("GET", status_keys.last_status_id(0))) == "1"
    with pytest.raises(ResponseError):
        db.run(("INCR", store_keys.schema_version()))


def test_a_store_that_is_down_is_unavailable_and_comes_back(
    tmp_path: Path, settings: Config
) -> None:
    process = embedded_store.start(tmp_path, durable=False)
    db = connect(replace(settings, redis_url=f"unix://{tmp_path}/valkey.sock"))
    embedded_store.stop(process)
    for _ in range(2):
        with pytest.raises(Unavailable):
            db.run(("PING",))
    process = embedded_store.start(tmp_path, durable=False)
    assert db.run(("PING",)) == "PONG"
    embedded_store.stop(process)


def test_data_that_is_not_ours_is_refused_in_words(db: Db, config: Config) -> None:
    db.run(("DEL", store_keys.schema_version()))
    db.run(("SET", status_keys.last_status_id(3), 1))
    with pytest.raises(StoreError, match="not Linnet's"):
        connect(config)
    db.run(("SET", store_keys.schema_version(), "linnet:999"))
    with pytest.raises(StoreError, match="linnet:999"):
        connect(config)


def test_a_store_that_is_not_there_is_one_sentence(settings: Config, tmp_path: Path) -> None:
    for url in (
        f"unix://{tmp_path}/nothing.sock",
        "redis://127.0.0.1:1",
        "nonsense://x",
        "redis://:secret@127.0.0.1:1",
    ):
        with pytest.raises(StoreError) as refusal:
            connect(replace(settings, redis_url=url))
        assert "\n" not in str(refusal.value) and "secret" not in str(refusal.value)


def test_a_store_that_is_too_old_is_refused(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.core.store.connection.MIN_MAJOR_VERSION", 1_000)
    with pytest.raises(StoreError, match="needs"):
        connect(settings)


def test_the_embedded_program_runs_without_a_shell() -> None:
    shown = subprocess.run(
        [embedded_store.binary_path(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert "Valkey" in shown or "valkey" in shown
