"""The store client: routing, refusals, lost scripts, and unusable stores."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Thread, Timer
from types import SimpleNamespace
from typing import Any

import pytest
from redis import Redis
from redis.crc import key_slot
from redis.exceptions import ConnectionError, ResponseError, TryAgainError

from tests.support.processes import until
from tests.support.silent_store import silent_store
from webapp.config import Config
from webapp.core.errors import NotFound, StoreError, Unavailable
from webapp.core.store import PARTITIONS, Db, client, keys as store_keys, script
from webapp.core.store.connection import connect
from webapp.core.store.schema import PARTITION_TAGS
from webapp.core.web import keys as limit_keys
from webapp.server import embedded_store
from webapp.statuses import keys as status_keys


def test_partitions_are_spread_evenly_over_the_slots() -> None:
    found = [key_slot(f"{{{tag}}}".encode()) for tag in PARTITION_TAGS]
    assert found == [256 * partition + 128 for partition in range(PARTITIONS)]
    assert len(PARTITION_TAGS) == len(set(PARTITION_TAGS)) == PARTITIONS


@pytest.mark.parametrize("primaries", [1, 2, 3, 4, 5, 6, 8, 16, 32, 64])
def test_primaries_get_even_shares_of_partitions(primaries: int) -> None:
    owners = [key_slot(tag.encode()) * primaries // 16_384 for tag in PARTITION_TAGS]
    shares = [owners.count(owner) for owner in range(primaries)]
    assert max(shares) - min(shares) <= 1


def test_one_trip_reaches_every_partition_in_order(db: Db) -> None:
    trips = db.trips
    db.trip(
        *(
            ("SET", status_keys.last_status_id(partition), partition)
            for partition in range(PARTITIONS)
        )
    )
    assert db.trip(
        *(("GET", status_keys.last_status_id(partition)) for partition in range(PARTITIONS))
    ) == [str(partition) for partition in range(PARTITIONS)]
    assert db.trips - trips == 2


def test_no_commands_make_no_trip(db: Db) -> None:
    trips = db.trips
    assert db.trip() == [] and db.trips == trips


def test_a_lost_script_is_loaded_again(db: Db) -> None:
    limit = script("core/web/lua/rate_limit.lua")
    db.on_every_primary("SCRIPT", "FLUSH")
    command = limit(bucket=limit_keys.rate_limit("post", "1"), burst=5, period=60)
    key = status_keys.last_status_id(0)
    assert db.trip(("SET", key, 1), command, ("INCR", key))[1:] == [0, 2]
    assert db.run(command) == 0


def test_only_idempotent_commands_are_sent_again_once_their_connection_is_lost(
    db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, real = status_keys.last_status_id(0), client.exchange
    replies = iter((ConnectionError, ConnectionError, real, ConnectionError, ConnectionError, real))

    def lose(*values: Any) -> Any:
        found, reply = real(*values), next(replies)
        if reply is ConnectionError:
            raise ConnectionError("Connection closed by server.")
        return found

    monkeypatch.setattr(client, "exchange", lose)
    with pytest.raises(Unavailable):
        db.trip(("GET", key), ("INCR", key))
    assert db.run(("GET", key)) == "1"
    with pytest.raises(Unavailable):
        db.run(("GET", key))
    assert db.run(("GET", key)) == "1"


def test_a_wait_that_ends_because_its_server_is_no_primary_is_an_outage(db: Db) -> None:
    def end_waits() -> bool:
        clients = "\n".join(db.on_every_primary("CLIENT", "LIST", "TYPE", "NORMAL"))
        waiting = re.findall(r"^id=(\d+) .* flags=\w*b", clients, re.MULTILINE)
        for number in waiting:
            db.on_every_primary("CLIENT", "UNBLOCK", number, "ERROR")
        return bool(waiting)

    ending = Thread(target=until, args=(end_waits,))
    ending.start()
    with pytest.raises(Unavailable):
        db.run(("XREAD", "BLOCK", 0, "STREAMS", status_keys.last_status_id(0), "$"))
    ending.join()


@pytest.mark.cluster
def test_a_slot_that_moves_to_a_new_primary_is_read_and_written(
    cluster: str, settings: Config
) -> None:
    db = connect(replace(settings, redis_url=cluster))
    there, missing = (limit_keys.rate_limit(act, "1") for act in ("post", "edit"))
    db.run(("SET", there, 1))
    source = Redis.from_url(cluster, decode_responses=True)
    slot = key_slot(there.encode())
    target = next(
        one
        for one in (Redis(connection_pool=pool) for pool in db.primaries())
        if one.get_connection_kwargs()["port"] != source.get_connection_kwargs()["port"]
    )

    def set_slot(server: Redis, *words: str) -> None:
        server.execute_command("CLUSTER SETSLOT", slot, *words)

    set_slot(target, "IMPORTING", source.execute_command("CLUSTER MYID"))
    set_slot(source, "MIGRATING", target.execute_command("CLUSTER MYID"))
    target.script_flush()
    limit = script("core/web/lua/rate_limit.lua")
    assert db.run(limit(bucket=missing, burst=5, period=60)) == 0
    end = Timer(0.1, set_slot, (source, "STABLE"))
    end.start()
    assert db.run(("EXISTS", there, missing)) == 1, "waits while one of them is elsewhere"
    end.join()
    db.on_every_primary("FLUSHALL")
    set_slot(target, "STABLE")
    source.close()
    db.close()


def test_nobody_waits_after_the_last_attempt_at_keys_that_are_being_moved(
    db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(client, "time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr(client, "exchange", lambda *_: {0: TryAgainError("TRYAGAIN")})
    monkeypatch.setattr(db._servers, "retries", lambda *_: {"again": []})
    with pytest.raises(Unavailable):
        db.run(("EXISTS", "one", "two"))
    assert len(pauses) == client.ATTEMPTS_MAX - 1


@pytest.mark.cluster
def test_a_cluster_is_found_though_the_server_that_is_named_first_is_down(
    cluster: str, settings: Config
) -> None:
    address = cluster.removeprefix("redis://")
    db = connect(replace(settings, redis_url=f"redis://127.0.0.1:1,{address}"))
    assert len(db.primaries()) == 3
    db.close()
    with pytest.raises(StoreError, match="Connection refused"):
        connect(replace(settings, redis_url="redis://127.0.0.1:1,127.0.0.1:2"))


def test_a_refusal_raises_its_error_after_the_other_commands(db: Db, config: Config) -> None:
    start = script("accounts/sessions/lua/start_session.lua")
    missing = start(
        config,
        uid=1,
        sha="x",
        ttl=10,
        epoch="0",
        address="",
        agent="",
        network="",
        factor="",
        country="",
    )
    with pytest.raises(NotFound, match="no_member"):
        db.trip(missing, ("SET", status_keys.last_status_id(0), 1))
    assert db.run(("GET", status_keys.last_status_id(0))) == "1"
    with pytest.raises(ResponseError):
        db.run(("INCR", store_keys.schema_version()))


def test_a_stopped_store_is_unavailable_until_it_restarts(tmp_path: Path, settings: Config) -> None:
    process = embedded_store.start(tmp_path, durable=False)
    db = connect(replace(settings, redis_url=f"unix://{tmp_path}/valkey.sock"))
    embedded_store.stop(process)
    for _ in range(2):
        with pytest.raises(Unavailable):
            db.run(("PING",))
    process = embedded_store.start(tmp_path, durable=False)
    assert db.run(("PING",)) == "PONG"
    embedded_store.stop(process)


def test_foreign_data_is_refused(db: Db, config: Config) -> None:
    db.run(("DEL", store_keys.schema_version()))
    db.run(("SET", status_keys.last_status_id(3), 1))
    with pytest.raises(StoreError, match="not Linnet's"):
        connect(config)
    db.run(("SET", store_keys.schema_version(), "linnet:999"))
    with pytest.raises(StoreError, match="linnet:999"):
        connect(config)


def test_an_unreachable_store_is_a_one_line_error_without_the_password(
    settings: Config, tmp_path: Path
) -> None:
    for url in (
        f"unix://{tmp_path}/nothing.sock",
        "redis://127.0.0.1:1",
        "nonsense://x",
        "redis://:secret@127.0.0.1:1",
    ):
        with pytest.raises(StoreError) as refusal:
            connect(replace(settings, redis_url=url))
        assert "\n" not in str(refusal.value) and "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [("127.0.0.1:6379", "must begin with redis://"), ("redis://127.0.0.1:1/birds", "for 'birds'.")],
)
def test_an_address_of_a_store_that_leads_nowhere_says_why(
    url: str, reason: str, settings: Config
) -> None:
    with pytest.raises(StoreError, match=reason) as refusal:
        connect(replace(settings, redis_url=url))
    assert "object at" not in str(refusal.value)


def test_a_store_that_hangs_is_told_from_one_that_does_not_run(settings: Config) -> None:
    with silent_store() as store:
        store.answering.clear()
        url = f"redis://127.0.0.1:{store.server_address[1]}"
        with pytest.raises(StoreError, match="does not answer") as refusal:
            connect(replace(settings, redis_url=url), timeout=0.2)
    assert "that the store runs" not in str(refusal.value)
    with pytest.raises(StoreError, match="that the store runs"):
        connect(replace(settings, redis_url=url))


def test_an_outdated_store_is_refused(settings: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.core.store.connection.MIN_MAJOR_VERSION", 1_000)
    with pytest.raises(StoreError, match="needs"):
        connect(settings)


def test_the_embedded_store_program_runs() -> None:
    output = subprocess.run(
        [embedded_store.binary_path(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert "Valkey" in output or "valkey" in output
