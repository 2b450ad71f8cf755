"""Trips to the store: routing, refusals, lost scripts, and stores that will not do."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from redis.crc import key_slot
from redis.exceptions import ResponseError

from webapp import embedded, keys
from webapp.config import Config
from webapp.connect import connect
from webapp.db import Db
from webapp.errors import NotFound, StoreError, Unavailable
from webapp.ids import PARTITIONS
from webapp.scripts import script


def test_the_partitions_stand_at_even_distances_in_the_slots() -> None:
    assert [key_slot(f"{{{tag}}}".encode()) for tag in keys.PARTITION_TAGS] == [256 * p + 128 for p in range(PARTITIONS)]
    assert len(keys.PARTITION_TAGS) == len(set(keys.PARTITION_TAGS)) == PARTITIONS


@pytest.mark.parametrize("primaries", [1, 2, 3, 4, 5, 6, 8, 16, 32, 64])
def test_any_number_of_primaries_gets_an_even_share(primaries: int) -> None:
    owners = [key_slot(tag.encode()) * primaries // 16_384 for tag in keys.PARTITION_TAGS]
    shares = [owners.count(owner) for owner in range(primaries)]
    assert max(shares) - min(shares) <= 1


def test_one_trip_reaches_every_partition_in_order(db: Db) -> None:
    trips = db.trips
    db.trip(*(("SET", keys.last_status_id(p), p) for p in range(PARTITIONS)))
    assert db.trip(*(("GET", keys.last_status_id(p)) for p in range(PARTITIONS))) == [str(p) for p in range(PARTITIONS)]
    assert db.trips - trips == 2


def test_no_commands_are_no_trip(db: Db) -> None:
    trips = db.trips
    assert db.trip() == [] and db.trips == trips


def test_only_the_scripts_a_server_lost_are_sent_whole(db: Db) -> None:
    limit = script("limits.lua")
    db.on_every_primary("SCRIPT", "FLUSH")
    command = limit([keys.rate_limit("post", "1")], 5, 60)
    assert db.trip(("SET", keys.last_status_id(0), 1), command, ("INCR", keys.last_status_id(0)))[1:] == [0, 2]
    assert db.run(command) == 0


def test_a_refusal_becomes_its_error_and_the_rest_is_done(db: Db, config: Config) -> None:
    start = script("accounts/start_session.lua")
    missing = start([keys.session(1, "x"), keys.sessions(1), keys.user(1)], 1, "x", 10)
    with pytest.raises(NotFound, match="no_member"):
        db.trip(missing, ("SET", keys.last_status_id(0), 1))
    assert db.run(("GET", keys.last_status_id(0))) == "1"
    with pytest.raises(ResponseError):
        db.run(("INCR", keys.schema_version()))


def test_a_store_that_is_down_is_unavailable_and_comes_back(tmp_path: Path, settings: Config) -> None:
    process = embedded.start(tmp_path, durable=False)
    db = connect(replace(settings, redis_url=f"unix://{tmp_path}/valkey.sock"))
    embedded.stop(process)
    for _ in range(2):
        with pytest.raises(Unavailable):
            db.run(("PING",))
    process = embedded.start(tmp_path, durable=False)
    assert db.run(("PING",)) == "PONG"
    embedded.stop(process)


def test_data_that_is_not_ours_is_refused_in_words(db: Db, config: Config) -> None:
    db.run(("DEL", keys.schema_version()))
    db.run(("SET", keys.last_status_id(3), 1))
    with pytest.raises(StoreError, match="not Linnet's"):
        connect(config)
    db.run(("SET", keys.schema_version(), "linnet:999"))
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


def test_a_store_that_is_too_old_is_refused(settings: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.connect.MIN_MAJOR_VERSION", 1_000)
    with pytest.raises(StoreError, match="needs"):
        connect(settings)


def test_a_script_never_exceeds_forty_lines_and_says_what_it_does() -> None:
    root = Path(keys.__file__).parent
    for path in root.rglob("*.lua"):
        lines = path.read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.startswith("--")]
        assert len(code) <= 40, path
        assert lines[0].startswith("-- Purpose: "), path


def test_the_embedded_program_runs_without_a_shell() -> None:
    shown = subprocess.run([embedded.binary_path(), "--version"], capture_output=True, text=True, check=True).stdout
    assert "Valkey" in shown or "valkey" in shown
