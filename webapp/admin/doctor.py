"""`linnet doctor`: what an operator should know about the store and the events, with remedies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.events import status as events
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.reads import parse_info
from webapp.core.store.scripts import SCRIPTS
from webapp.pagecache import view_counts

MEBIBYTE = 1_048_576


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `remedy` says what to do if it is not ok."""

    ok: bool
    message: str
    remedy: str = ""


def report(config: Config) -> Iterator[Finding]:
    """Yield the findings, the most basic first. Raises StoreError if the store will not do."""
    db = connect(config)
    yield from findings(db, config)
    db.close()


def findings(db: Db, config: Config) -> Iterator[Finding]:
    """Yield the findings about a store that is open. Raises Unavailable."""
    fsync_replies = db.on_every_primary("CONFIG", "GET", "appendfsync")
    for text, reply in zip(db.on_every_primary("INFO"), fsync_replies, strict=True):
        yield from _server_findings(parse_info(text), _fsync(reply))
    yield _scripts_finding(db)
    yield from _event_findings(db, config)
    yield _page_cache_finding(db, config)


def _fsync(reply: Any) -> str:
    """Return the policy in a reply to CONFIG GET. Managed stores refuse the command."""
    return str(reply[1]) if isinstance(reply, list) and len(reply) == 2 else "unknown"


def _server_findings(info: dict[str, str], fsync: str) -> Iterator[Finding]:
    name = "Valkey" if "valkey_version" in info else "Redis"
    version = info.get("valkey_version", info["redis_version"])
    yield Finding(
        info["role"] == "master",
        f"store: {name} {version}, {info['role']}, up {info['uptime_in_seconds']} s",
        "Let REDIS_URL name the primary, or its Sentinels: a replica takes no writes.",
    )
    policy = info["maxmemory_policy"]
    yield Finding(
        policy == "noeviction",
        f"memory: {info['used_memory_human']} used, policy {policy}",
        "CONFIG SET maxmemory-policy noeviction: others may drop statuses and sessions.",
    )
    aof_enabled = info["aof_enabled"] == "1"
    last_write = info.get("aof_last_write_status", "unknown")
    yield Finding(
        aof_enabled and fsync in ("always", "unknown") and last_write == "ok",
        f"persistence: append-only file {'on' if aof_enabled else 'off'}, synced {fsync},"
        f" last write {last_write}",
        "CONFIG SET appendonly yes and appendfsync always, and check the disk:"
        " what is not written can be lost.",
    )


def _scripts_finding(db: Db) -> Finding:
    hashes = [script.sha for script in SCRIPTS]
    missing = sum(
        list(loaded).count(0) for loaded in db.on_every_primary("SCRIPT", "EXISTS", *hashes)
    )
    return Finding(
        True,
        f"scripts: {len(SCRIPTS)}, of which {missing} will be loaded when first called",
        "Nothing to do: a script is sent whole to a server that does not know it.",
    )


def _event_findings(db: Db, config: Config) -> Iterator[Finding]:
    status, backlog = db.read(events.status()), events.backlog(db)
    yield Finding(
        status.longest_outbox < config.outbox_max / 2 and backlog.unread < config.outbox_max,
        f"outbox: {backlog.unread} events to apply, {backlog.pending} in hand;"
        f" the longest holds {status.longest_outbox} of {config.outbox_max}",
        "Start more workers (linnet worker); at OUTBOX_MAX writes are refused with 503.",
    )
    yield Finding(
        status.leases_held == events.LEASES,
        f"leases: {status.leases_held} of {events.LEASES} held by {status.owners} worker(s)",
        "Start a worker: linnet worker.",
    )
    yield Finding(
        not status.parked,
        f"parked events: {status.parked}",
        "Find the reason in the worker's log, remove it, then: linnet retry.",
    )


def _page_cache_finding(db: Db, config: Config) -> Finding:
    stats = view_counts.stats(db)
    lookups = stats.hits + stats.misses
    share = f"{stats.hits / lookups:.0%} of {lookups:,}" if lookups else "none yet"
    size, capacity = stats.bytes / MEBIBYTE, config.page_cache_bytes / MEBIBYTE
    return Finding(
        True,
        f"page cache: {share} requests of visitors found their page"
        f" ({stats.hits:,} hits, {stats.misses:,} misses);"
        f" {size:.1f} of {capacity:.1f} MiB in use, {stats.paths:,} addresses counted",
    )
