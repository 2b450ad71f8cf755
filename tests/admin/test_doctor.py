"""What an operator is told, and what they are told to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.timelines.test_store import post
from webapp.admin import doctor
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import Leases
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.server import embedded_store

People = Callable[..., list[int]]


def findings(config: Config) -> dict[str, doctor.Finding]:
    return {finding.message.split(":")[0]: finding for finding in doctor.report(config)}


def test_a_store_that_loses_nothing_is_well(tmp_path: Path, settings: Config) -> None:
    process = embedded_store.start(tmp_path)
    found = findings(replace(settings, redis_url="", data_dir=tmp_path))
    embedded_store.stop(process)
    assert found["persistence"].ok and "synced always" in found["persistence"].message
    assert found["store"].ok and found["memory"].ok and found["scripts"].ok


def test_a_store_that_may_lose_something_is_not(db: Db, config: Config) -> None:
    for option, value, line in (
        ("maxmemory-policy", "allkeys-lru", "memory"),
        ("appendonly", "no", "persistence"),
    ):
        db.on_every_primary("CONFIG", "SET", option, value)
        found = findings(config)[line]
        assert not found.ok and "CONFIG SET" in found.remedy
    db.on_every_primary("CONFIG", "SET", "maxmemory-policy", "noeviction")


def test_what_waits_what_nobody_holds_and_what_was_parked_is_told(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    small = replace(config, outbox_max=3)
    found = findings(small)
    assert not found["leases"].ok and found["outbox"].ok and found["parked events"].ok
    post(db, small, ann, "a", "b")
    assert not findings(small)["outbox"].ok
    db.run(
        (
            "XADD",
            event_keys.parked_events(ann % PARTITIONS),
            "*",
            "group",
            "fanout",
            "type",
            "posted",
        )
    )
    assert "linnet retry" in findings(small)["parked events"].remedy
    for group in ("log", "fanout"):
        Leases(db, config, group, "one").rebalance()
    assert findings(small)["leases"].ok


@pytest.mark.parametrize(
    "line", ["store", "memory", "persistence", "scripts", "outbox", "leases", "parked events"]
)
def test_every_line_has_a_remedy(settings: Config, line: str) -> None:
    assert findings(settings)[line].remedy
