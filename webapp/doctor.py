"""`linnet doctor`: what an operator should know about the store and the events, each with a remedy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from redis.exceptions import RedisError

from . import keys, pagestore
from .config import Config
from .connect import connect
from .db import Db
from .events import GROUPS
from .ids import PARTITIONS
from .scripts import SCRIPTS

MEBIBYTE = 1_048_576


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `remedy` is what to do when it is not ok."""

    ok: bool
    what: str
    remedy: str = ""


def report(config: Config) -> Iterator[Finding]:
    """The findings, most basic first. Raises StoreError when the store cannot be used at all."""
    db = connect(config)
    yield from findings(db, config)
    db.close()


def findings(db: Db, config: Config) -> Iterator[Finding]:
    """The same of a store that is open. Raises Unavailable."""
    syncs = db.everywhere("CONFIG", "GET", "appendfsync")
    for text, sync in zip(db.everywhere("INFO"), syncs, strict=True):
        info = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        # A store that lets nobody ask (managed ones do not) is taken at its word.
        yield from _server(info, sync[1] if isinstance(sync, list) and len(sync) == 2 else "unknown")
    yield _scripts(db)
    yield from _events(db, config)
    yield _pages(db, config)


def _server(info: dict[str, str], fsync: str) -> Iterator[Finding]:
    name = "Valkey" if "valkey_version" in info else "Redis"
    version = info.get("valkey_version", info["redis_version"])
    remedy = "Let REDIS_URL name the primary, or its Sentinels: a replica takes no writes."
    what = f"store: {name} {version}, {info['role']}, up {info['uptime_in_seconds']} s"
    yield Finding(info["role"] == "master", what, remedy)
    policy = info["maxmemory_policy"]
    remedy = "CONFIG SET maxmemory-policy noeviction: any other policy may drop statuses and sessions."
    yield Finding(policy == "noeviction", f"memory: {info['used_memory_human']} used, policy {policy}", remedy)
    saved = info["aof_enabled"] == "1"
    written = info.get("aof_last_write_status", "unknown")
    yield Finding(
        saved and fsync in ("always", "unknown") and written == "ok",
        f"persistence: append-only file {'on' if saved else 'off'}, synced {fsync}, last write {written}",
        "CONFIG SET appendonly yes and appendfsync always, and look at the disk: what is not written can be lost.",
    )


def _scripts(db: Db) -> Finding:
    missing = 0
    for known in db.everywhere("SCRIPT", "EXISTS", *(script.sha for script in SCRIPTS)):
        missing += list(known).count(0)
    remedy = "Nothing to do: each is sent whole when a server does not know it."
    return Finding(True, f"scripts: {len(SCRIPTS)}, of which {missing} will be loaded when first called", remedy)


def _events(db: Db, config: Config) -> Iterator[Finding]:
    lengths = db.trip(*(("XLEN", keys.outbox(p)) for p in range(PARTITIONS)))
    lag, pending = 0, 0
    for groups in db.replies([("XINFO", "GROUPS", keys.outbox(p)) for p in range(PARTITIONS)]):
        for group in [] if isinstance(groups, RedisError) else groups:
            facts = dict(zip(group[::2], group[1::2], strict=True))
            lag, pending = lag + int(facts.get("lag") or 0), pending + int(facts["pending"])
    longest = max(lengths)
    yield Finding(
        longest < config.outbox_max / 2 and lag < config.outbox_max,
        f"outbox: {lag} events to apply, {pending} in hand; the longest holds {longest} of {config.outbox_max}",
        "Start more workers (linnet worker); at OUTBOX_MAX writes are refused with 503.",
    )
    yield _leases(db)
    parked = sum(db.trip(*(("XLEN", keys.parked(p)) for p in range(PARTITIONS))))
    remedy = "Read the worker's log for the reason, mend it, then: linnet retry."
    yield Finding(not parked, f"parked events: {parked}", remedy)


def _pages(db: Db, config: Config) -> Finding:
    found = pagestore.figures(db)
    asked = found.hits + found.misses
    share = f"{found.hits / asked:.0%} of {asked:,}" if asked else "none yet"
    size, most = found.bytes / MEBIBYTE, config.page_cache_bytes / MEBIBYTE
    what = f"page cache: {share} requests of visitors found their page ({found.hits:,} hits, {found.misses:,} misses)"
    return Finding(True, f"{what}; {size:.1f} of {most:.1f} MiB in use, {found.paths:,} addresses counted")


def _leases(db: Db) -> Finding:
    names = [keys.lease(p, group) for p in range(PARTITIONS) for group in GROUPS]
    now = time.time()
    held = [reply for reply in db.trip(*(("HMGET", name, "owner", "until") for name in names)) if reply[0]]
    live = {owner for owner, until in held if int(until) / 1000 > now}
    count = sum(int(until) / 1000 > now for _, until in held)
    return Finding(
        count == len(names),
        f"leases: {count} of {len(names)} held by {len(live)} worker(s)",
        "Start a worker: linnet worker.",
    )
