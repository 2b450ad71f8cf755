"""`linnet doctor`: what an operator should know about the store and the events, each with a remedy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from redis.exceptions import RedisError

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import GROUPS
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.scripts import SCRIPTS
from webapp.pagecache import view_counts

MEBIBYTE = 1_048_576


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `remedy` is what to do when it is not ok."""

    ok: bool
    message: str
    remedy: str = ""


def report(config: Config) -> Iterator[Finding]:
    """The findings, most basic first. Raises StoreError when the store cannot be used at all."""
    db = connect(config)
    yield from findings(db, config)
    db.close()


def findings(db: Db, config: Config) -> Iterator[Finding]:
    """The same of a store that is open. Raises Unavailable."""
    fsync_replies = db.on_every_primary("CONFIG", "GET", "appendfsync")
    for text, fsync_reply in zip(db.on_every_primary("INFO"), fsync_replies, strict=True):
        info = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        # A store that lets nobody ask (managed ones do not) is taken at its word.
        yield from _server_findings(
            info,
            fsync_reply[1]
            if isinstance(fsync_reply, list) and len(fsync_reply) == 2
            else "unknown",
        )
    yield _scripts_finding(db)
    yield from _event_findings(db, config)
    yield _page_cache_finding(db, config)


def _server_findings(info: dict[str, str], fsync: str) -> Iterator[Finding]:
    name = "Valkey" if "valkey_version" in info else "Redis"
    version = info.get("valkey_version", info["redis_version"])
    remedy = "Let REDIS_URL name the primary, or its Sentinels: a replica takes no writes."
    message = f"store: {name} {version}, {info['role']}, up {info['uptime_in_seconds']} s"
    yield Finding(info["role"] == "master", message, remedy)
    policy = info["maxmemory_policy"]
    remedy = (
        "CONFIG SET maxmemory-policy noeviction: any other policy may drop statuses and sessions."
    )
    yield Finding(
        policy == "noeviction", f"memory: {info['used_memory_human']} used, policy {policy}", remedy
    )
    aof_enabled = info["aof_enabled"] == "1"
    last_write = info.get("aof_last_write_status", "unknown")
    yield Finding(
        aof_enabled and fsync in ("always", "unknown") and last_write == "ok",
        f"persistence: append-only file {'on' if aof_enabled else 'off'}, synced {fsync}, last write {last_write}",
        "CONFIG SET appendonly yes and appendfsync always, and look at the disk: what is not written can be lost.",
    )


def _scripts_finding(db: Db) -> Finding:
    missing = 0
    for loaded in db.on_every_primary("SCRIPT", "EXISTS", *(script.sha for script in SCRIPTS)):
        missing += list(loaded).count(0)
    remedy = "Nothing to do: each is sent whole when a server does not know it."
    return Finding(
        True,
        f"scripts: {len(SCRIPTS)}, of which {missing} will be loaded when first called",
        remedy,
    )


def _event_findings(db: Db, config: Config) -> Iterator[Finding]:
    lengths = db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS)))
    lag, pending = 0, 0
    for groups in db.trip_with_errors(
        [("XINFO", "GROUPS", event_keys.outbox(p)) for p in range(PARTITIONS)]
    ):
        for group in [] if isinstance(groups, RedisError) else groups:
            group_info = dict(zip(group[::2], group[1::2], strict=True))
            lag, pending = (
                lag + int(group_info.get("lag") or 0),
                pending + int(group_info["pending"]),
            )
    longest = max(lengths)
    yield Finding(
        longest < config.outbox_max / 2 and lag < config.outbox_max,
        f"outbox: {lag} events to apply, {pending} in hand; the longest holds {longest} of {config.outbox_max}",
        "Start more workers (linnet worker); at OUTBOX_MAX writes are refused with 503.",
    )
    yield _leases_finding(db)
    parked = sum(db.trip(*(("XLEN", event_keys.parked_events(p)) for p in range(PARTITIONS))))
    remedy = "Read the worker's log for the reason, mend it, then: linnet retry."
    yield Finding(not parked, f"parked events: {parked}", remedy)


def _page_cache_finding(db: Db, config: Config) -> Finding:
    stats = view_counts.stats(db)
    lookups = stats.hits + stats.misses
    share = f"{stats.hits / lookups:.0%} of {lookups:,}" if lookups else "none yet"
    size, capacity = stats.bytes / MEBIBYTE, config.page_cache_bytes / MEBIBYTE
    message = f"page cache: {share} requests of visitors found their page ({stats.hits:,} hits, {stats.misses:,} misses)"
    return Finding(
        True,
        f"{message}; {size:.1f} of {capacity:.1f} MiB in use, {stats.paths:,} addresses counted",
    )


def _leases_finding(db: Db) -> Finding:
    lease_keys = [event_keys.lease(p, group) for p in range(PARTITIONS) for group in GROUPS]
    now = time.time()
    held_leases = [
        reply
        for reply in db.trip(*(("HMGET", name, "owner", "until") for name in lease_keys))
        if reply[0]
    ]
    live_owners = {owner for owner, until in held_leases if int(until) / 1000 > now}
    count = sum(int(until) / 1000 > now for _, until in held_leases)
    return Finding(
        count == len(lease_keys),
        f"leases: {count} of {len(lease_keys)} held by {len(live_owners)} worker(s)",
        "Start a worker: linnet worker.",
    )
